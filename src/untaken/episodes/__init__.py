"""Layer 1: what was observed."""

from untaken.episodes.episode import Episode
from untaken.episodes.episodes import ColumnNames, Episodes
from untaken.episodes.labels import Label, Labels

__all__ = ["ColumnNames", "Episode", "Episodes", "Label", "Labels"]
