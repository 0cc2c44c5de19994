"""Layer 1: what was observed."""

from untaken.episodes.discretise import cut, quantiles
from untaken.episodes.episode import Episode
from untaken.episodes.episodes import ColumnNames, Episodes
from untaken.episodes.labels import Label, Labels
from untaken.episodes.reading import read_episodes
from untaken.episodes.rejected import Rejected, RejectedRow
from untaken.episodes.summary import EpisodesSummary, Tally

__all__ = [
    "ColumnNames",
    "Episode",
    "Episodes",
    "EpisodesSummary",
    "Label",
    "Labels",
    "Rejected",
    "RejectedRow",
    "Tally",
    "cut",
    "quantiles",
    "read_episodes",
]
