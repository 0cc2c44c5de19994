"""Which few actions, had they been different, would have led to a better outcome?

This is the table of contents: the public names, grouped by layer. Each layer is imported when
something in it is first asked for, so that `import untaken` waits for nothing.

>>> import untaken
>>> untaken.__version__.split(".")[0]
'0'
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from untaken import errors
from untaken._version import __version__

if TYPE_CHECKING:
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
        Finding,
        Influence,
        OutcomeLaw,
        Realization,
        Realizations,
        Robustness,
        Spread,
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
    "Finding",
    "Influence",
    "OutcomeLaw",
    "Realization",
    "Realizations",
    "Robustness",
    "Spread",
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

_LAYERS = ("episodes", "model", "mechanism", "search", "analysis", "present.words", "study")
"""Where names are looked for. Each stands on those before it, so that no import is in vain."""
_MODULES = {"plots": "present.plots"} | {
    name: name for name in ("datasets", "present", *_LAYERS) if "." not in name
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # a checker that saw this would take every misspelt name for known

    def __getattr__(name: str) -> Any:
        value = globals()[name] = _found(name)
        return value


def _found(name: str) -> Any:
    """A public name, or a layer, that nobody has asked for before."""
    if name in _MODULES:
        return import_module(f"untaken.{_MODULES[name]}")
    for layer in _LAYERS if name in __all__ else ():
        home = import_module(f"untaken.{layer}")
        if hasattr(home, name):
            return getattr(home, name)
    message = f"module 'untaken' has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=sys.modules[__name__])
