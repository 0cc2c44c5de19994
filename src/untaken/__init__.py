"""Which few actions, had they been different, would have led to a better outcome?"""

from untaken import errors
from untaken._version import __version__

# Layer 1: what was observed
from untaken.episodes import Episode, Labels

# Layer 2: the process that produced it
from untaken.model import MDP, Rewards, Rows, continuation

# Layer 3: counterfactual worlds
from untaken.mechanism import (
    CausalClass,
    Custom,
    GumbelMax,
    GumbelMaxSampled,
    Independent,
    InverseCDF,
    MaximalCoupling,
    Mechanism,
    RowBounds,
)

# Layer 4: the search, its conventions and the paper's baselines
from untaken.search import Baseline, Greedy, Lookahead, NoisyGreedy, Policy, Random, Rules

# Layer 5: the question and its answer
from untaken.analysis import Counterfactual, Realizations, explain

__all__ = [
    "__version__",
    "errors",
    "Episode",
    "Labels",
    "MDP",
    "Rewards",
    "Rows",
    "continuation",
    "CausalClass",
    "Custom",
    "GumbelMax",
    "GumbelMaxSampled",
    "Independent",
    "InverseCDF",
    "MaximalCoupling",
    "Mechanism",
    "RowBounds",
    "Baseline",
    "Greedy",
    "Lookahead",
    "NoisyGreedy",
    "Policy",
    "Random",
    "Rules",
    "Counterfactual",
    "Realizations",
    "explain",
]
