"""Rows of a log that are not among the episodes, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from untaken.episodes.labels import Label
from untaken.episodes.summary import Tally


@dataclass(frozen=True)
class RejectedRow:
    """One row that was left out."""

    episode: Label | None
    step: Any
    reason: str

    def __str__(self) -> str:
        episode = "no episode" if self.episode is None else f"episode {self.episode!r}"
        step = "no step" if self.step is None else f"step {self.step}"
        return f"{episode}, {step}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Rejected(Sequence[RejectedRow]):
    """Rows that were left out, in the order of episodes and steps.

    >>> print(Rejected())
    no rows were rejected
    """

    episodes: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    reasons: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    frame: str = "duckdb"

    def __post_init__(self) -> None:
        for array in (self.episodes, self.steps, self.reasons):
            array.setflags(write=False)

    @overload
    def __getitem__(self, which: int) -> RejectedRow: ...
    @overload
    def __getitem__(self, which: slice) -> Rejected: ...
    def __getitem__(self, which: int | slice) -> RejectedRow | Rejected:
        if isinstance(which, slice):
            return self.subset(which)
        return RejectedRow(self.episodes[which], self.steps[which], self.reasons[which])

    def __len__(self) -> int:
        return len(self.reasons)

    def __iter__(self) -> Iterator[RejectedRow]:
        return (self[position] for position in range(len(self)))

    def subset(self, which: slice | np.ndarray) -> Rejected:
        """Some of the rows: a slice, a mask or positions."""
        return replace(
            self,
            episodes=self.episodes[which],
            steps=self.steps[which],
            reasons=self.reasons[which],
        )

    def counts(self) -> tuple[Tally, ...]:
        """How many rows were left out for each reason, most common first."""
        counted = Counter(self.reasons.tolist()).most_common()
        return tuple(Tally(reason, count) for reason, count in counted)

    def to_frame(self) -> Any:
        """A table of episode, step and reason, in the kind of frame that was read."""
        from untaken.episodes.frames import rejected_frame

        return rejected_frame(self)

    def __str__(self) -> str:
        if not len(self):
            return "no rows were rejected"
        first = [f"  {row}" for row in self[:5]]
        more = [f"  and {len(self) - 5:,} more"] if len(self) > 5 else []
        counted = ", ".join(f"{tally.count:,} because {tally.label}" for tally in self.counts()[:6])
        return "\n".join([*first, *more, f"in all: {counted}"])
