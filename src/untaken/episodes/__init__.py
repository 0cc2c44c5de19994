"""Layer 1: what was observed."""

from untaken.episodes.episode import Episode
from untaken.episodes.labels import Label, Labels

__all__ = ["Episode", "Label", "Labels"]
