"""The episodes of a study, chunk by chunk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.episodes import Episode, Episodes, Label
from untaken.episodes.labels import Labels
from untaken.errors import InvalidEpisode, InvalidQuestion
from untaken.kernels.layout import Ints
from untaken.model import MDP
from untaken.study.labels import Forms, KeptColumn, Written
from untaken.study.manifest import digest


@dataclass(frozen=True)
class Lost:
    """An episode that could not be read."""

    position: int
    id: Label
    reason: str


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some consecutive episodes."""

    number: int
    start: int
    """The position of the first one in the cohort."""
    episodes: Episodes
    lost: tuple[Lost, ...] = ()
    """Those among them that could not be read."""

    @property
    def positions(self) -> Ints:
        """Where in the cohort each of `episodes` stands."""
        stop = self.start + len(self.episodes) + len(self.lost)
        return np.setdiff1d(np.arange(self.start, stop), [one.position for one in self.lost])


class Cohort(ABC):
    """What a study needs to know of its episodes."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many episodes there are."""

    @property
    @abstractmethod
    def digests(self) -> dict[str, str]:
        """A hash of each part of all that counts of them."""

    @abstractmethod
    def forms(self, mdp: MDP) -> Forms:
        """How their labels stand in the tables."""

    @abstractmethod
    def chunks(self, size: int, mdp: MDP, done: Collection[int]) -> Iterator[Chunk]:
        """The chunks that are not done."""


@dataclass(frozen=True, eq=False)
class Gathered(Cohort):
    """Episodes in memory."""

    episodes: Episodes

    @property
    def size(self) -> int:
        """How many episodes there are."""
        return len(self.episodes)

    @property
    def digests(self) -> dict[str, str]:
        """A hash of labels, ids, courses, rewards and kept columns."""
        e = self.episodes
        ids = e.ids if e.ids.dtype != object else Labels(tuple(e.ids), "id").to_json()
        kept = {f"kept {c.name}": np.array(list(map(repr, c.values.tolist()))) for c in e.kept}
        courses = {
            "offsets": e.offsets,
            "state_codes": e.state_codes,
            "action_codes": e.action_codes,
            "final_codes": e.final_codes,
        }
        parts: dict[str, dict[str, Any]] = {
            "labels": {"states": e.states.to_json(), "actions": e.actions.to_json()},
            "ids": {"ids": ids},
            "courses": courses,
            "logged rewards": {"rewards": np.empty(0) if e.rewards is None else e.rewards},
            "kept columns": kept,
        }
        return {part: digest(arrays) for part, arrays in parts.items()}

    def forms(self, mdp: MDP) -> Forms:
        """The plainest forms that suit all labels."""
        e = self.episodes
        return Forms(
            Written.suiting(e.ids.tolist()),
            Written.suiting((*e.states, *mdp.states)),
            Written.suiting((*e.actions, *mdp.actions)),
            tuple(KeptColumn.of(column.name, column.values) for column in e.kept),
        )

    def chunks(self, size: int, mdp: MDP, done: Collection[int]) -> Iterator[Chunk]:  # noqa: ARG002
        """Slices of the episodes."""
        for number, start in enumerate(range(0, self.size, size)):
            if number not in done:
                yield Chunk(number, start, self.episodes[start : start + size])


def cohort_of(episodes: Cohort | Episodes | Iterable[Episode]) -> Cohort:
    """A cohort from what a user has."""
    cohort = episodes if isinstance(episodes, Cohort) else _gathered(episodes)
    if not cohort.size:
        raise InvalidQuestion("there are no episodes to study")
    return cohort


def _gathered(episodes: Episodes | Iterable[Episode]) -> Gathered:
    gathered = episodes if isinstance(episodes, Episodes) else Episodes.of(episodes)
    ids = gathered.ids.tolist()
    if len(set(ids)) < len(ids):
        id, count = Counter(ids).most_common(1)[0]
        raise InvalidEpisode(f"{count} episodes have the id {id!r}; each needs its own in a study")
    return Gathered(gathered)
