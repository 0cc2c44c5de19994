"""Which few actions, had they been different, would have led to a better outcome?"""

from untaken import errors
from untaken._version import __version__

# Layer 1: what was observed
from untaken.episodes import Episode, Episodes, Labels, read_episodes

# Layer 2: the process that produced it
from untaken.model import (
    MDP,
    Fit,
    LoggedReward,
    Unseen,
    continuation,
    fit,
    neighbour_prior,
    positional_actions,
    simulate,
    uniform_prior,
)

__all__ = [
    "__version__",
    "errors",
    "Episode",
    "Episodes",
    "Labels",
    "read_episodes",
    "MDP",
    "Fit",
    "LoggedReward",
    "Unseen",
    "continuation",
    "fit",
    "neighbour_prior",
    "positional_actions",
    "simulate",
    "uniform_prior",
]
