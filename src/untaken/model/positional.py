"""Actions that open or close a course, and happen nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.episodes import Episode, Episodes, Label
from untaken.errors import InvalidQuestion


@dataclass(frozen=True)
class PositionalActions:
    """What was found: ready for `explain(pinned=..., excluded=...)`."""

    first: tuple[Label, ...]
    """Actions that occur at the first step only."""
    last: tuple[Label, ...]
    """Actions that occur at the last step only."""
    pinned: tuple[int, ...]
    """The steps at which every episode has such an action: 0, -1, or both."""

    @property
    def excluded(self) -> tuple[Label, ...]:
        """Actions that make no sense as alternatives in the middle of a course."""
        return tuple(dict.fromkeys(self.first + self.last))

    def pinned_in(self, episode: Episode) -> tuple[int, ...]:
        """The steps of one episode that have such an action, where not all episodes do."""
        first = (0,) if episode.actions[0] in self.first else ()
        last = (-1,) if episode.actions[-1] in self.last else ()
        return first + last


def positional_actions(episodes: Episodes, share: float = 0.5) -> PositionalActions:
    """Find the actions that occur at the first step only, or at the last only, in at least `share`
    of the episodes: a welcome and a farewell are no alternatives to anything.

    >>> import untaken as ut
    >>> courses = [["hello", "treat", "bye"], ["hello", "wait", "treat", "bye"]]
    >>> episodes = ut.Episodes.of(ut.Episode([0] * len(course), course) for course in courses)
    >>> found = ut.positional_actions(episodes)
    >>> found.excluded, found.pinned
    (('hello', 'bye'), (0, -1))
    """
    if not 0 < share <= 1:
        raise InvalidQuestion(f"share must be above 0 and at most 1; {share} came")
    if not len(episodes):
        return PositionalActions((), (), ())
    size = len(episodes.actions)
    total = np.bincount(episodes.action_codes, minlength=size)
    found, pinned = [], []
    for step, at in ((0, episodes.offsets[:-1]), (-1, episodes.offsets[1:] - 1)):
        there = np.bincount(episodes.action_codes[at], minlength=size)
        only = (there == total) & (there >= share * len(episodes)) & (there > 0)
        found.append(tuple(episodes.actions[code] for code in np.flatnonzero(only).tolist()))
        if only[episodes.action_codes[at]].all():
            pinned.append(step)
    return PositionalActions(found[0], found[1], tuple(pinned))
