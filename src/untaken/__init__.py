"""Which few actions, had they been different, would have led to a better outcome?

>>> import untaken
>>> untaken.__version__.split(".")[0]
'0'
"""

from untaken import errors
from untaken._version import __version__

# Layer 1: what was observed
from untaken.episodes import Episode, Episodes, Labels, cut, quantiles, read_episodes

# Layer 2: the process that produced it
from untaken.model import (
    MDP,
    Fit,
    LoggedReward,
    Plan,
    Rewards,
    Rows,
    Unseen,
    continuation,
    fit,
    neighbour_prior,
    plan,
    positional_actions,
    simulate,
    uniform_prior,
)

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
from untaken.search import (
    Baseline,
    Bounds,
    Greedy,
    InfluenceAtLeast,
    InfluenceBonus,
    Lookahead,
    NoisyGreedy,
    OptimumBounds,
    Policy,
    Random,
    Rules,
)

# Layer 5: the question, its answer, and what can be told of it
from untaken.analysis import (
    Account,
    Bracket,
    Change,
    Counterfactual,
    Credible,
    Explanation,
    Explanations,
    Influence,
    OutcomeLaw,
    Realization,
    Realizations,
    Robustness,
    Timeline,
    Verdict,
    WhatIf,
    explain,
)

# Layer 6: a whole cohort
from untaken.study import CohortSummary, Depth, EpisodeStream, Study, explain_all, open_study

# Layer 7: for people
from untaken.present import plots
from untaken.present.words import Words

# Ready-made cohorts and processes
from untaken import datasets

__all__ = [
    "__version__",
    "errors",
    "Episode",
    "Episodes",
    "Labels",
    "cut",
    "quantiles",
    "read_episodes",
    "MDP",
    "Fit",
    "LoggedReward",
    "Plan",
    "Rewards",
    "Rows",
    "Unseen",
    "continuation",
    "fit",
    "neighbour_prior",
    "plan",
    "positional_actions",
    "simulate",
    "uniform_prior",
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
    "Bounds",
    "Greedy",
    "InfluenceAtLeast",
    "InfluenceBonus",
    "Lookahead",
    "NoisyGreedy",
    "OptimumBounds",
    "Policy",
    "Random",
    "Rules",
    "Account",
    "Bracket",
    "Change",
    "Counterfactual",
    "Credible",
    "Explanation",
    "Explanations",
    "Influence",
    "OutcomeLaw",
    "Realization",
    "Realizations",
    "Robustness",
    "Timeline",
    "Verdict",
    "WhatIf",
    "explain",
    "CohortSummary",
    "Depth",
    "EpisodeStream",
    "Study",
    "explain_all",
    "open_study",
    "plots",
    "Words",
    "datasets",
]
