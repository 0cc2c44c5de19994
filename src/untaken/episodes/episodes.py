"""Many observed courses, in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from untaken.episodes.episode import Episode
from untaken.episodes.labels import Label, Labels, listed, plain
from untaken.episodes.rejected import Rejected
from untaken.episodes.summary import EpisodesSummary, Tally
from untaken.errors import InvalidEpisode, InvalidQuestion, UnknownLabel
from untaken.kernels.layout import Codes, Flags, Floats, Ints

UNSEEN = -1
"""The code of a final state that nobody saw."""


@dataclass(frozen=True)
class ColumnNames:
    """What the columns of the log are called; several columns may make one label."""

    episode: tuple[str, ...] = ("episode",)
    step: str = "step"
    state: tuple[str, ...] = ("state",)
    action: tuple[str, ...] = ("action",)
    reward: str = "reward"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the log that says something about whole episodes."""

    name: str
    values: np.ndarray
    """One value an episode."""


@dataclass(frozen=True, eq=False, repr=False)
class Episodes(Sequence[Episode]):
    """Observed courses as offsets and codes: immutable, and as many as fit into memory. Made by
    `read_episodes`, or by `Episodes.of` from one `Episode` after the other.

    >>> import untaken as ut
    >>> first = ut.Episode(["ill", "well"], ["treat"], id="A")
    >>> second = ut.Episode(["well", "ill"], ["wait", "treat"], id="B")
    >>> episodes = ut.Episodes.of([first, second])
    >>> episodes
    Episodes(2 episodes, 3 decisions, 2 states, 2 actions)
    >>> episodes[0].final_state, episodes.by_id("B").actions
    ('well', ('wait', 'treat'))
    >>> [episode.id for episode in episodes[1:]]
    ['B']
    """

    states: Labels
    """The vocabulary of states; their order is the order of codes."""
    actions: Labels
    """The vocabulary of actions."""
    offsets: Ints
    """Where each episode's decisions start; one more than there are episodes."""
    state_codes: Codes
    """The state in which each decision was taken."""
    action_codes: Codes
    """The action of each decision."""
    final_codes: Codes
    """The state after each episode's last action; -1 where it was not seen."""
    ids: np.ndarray
    """Whose course each episode is."""
    rewards: Floats | None = None
    """The reward that the log carries for each decision."""
    kept: tuple[Column, ...] = ()
    """Columns of the log that were kept for grouping, one value an episode."""
    rejected: Rejected = field(default_factory=Rejected)
    """Rows of the log that are not among these episodes, each with its reason."""
    names: ColumnNames = field(default_factory=ColumnNames)
    """What the columns were called where the episodes come from."""
    frame: str = "duckdb"
    """The library of the frame they came from, and in which tables come back."""

    def __post_init__(self) -> None:
        arrays: list[np.ndarray] = [column.values for column in self.kept]
        arrays += [self.offsets, self.state_codes, self.action_codes, self.final_codes, self.ids]
        arrays += [] if self.rewards is None else [self.rewards]
        for array in arrays:
            array.setflags(write=False)

    @classmethod
    def of(
        cls,
        episodes: Iterable[Episode] | Episode,
        states: Iterable[Any] | None = None,
        actions: Iterable[Any] | None = None,
    ) -> Episodes:
        """Episodes gathered into columns. Without `states` and `actions`, labels come in their
        default order; episodes without an id are numbered by their position."""
        members = _members(episodes)
        horizons = np.array([episode.horizon for episode in members], dtype=np.int64)
        ids = [
            position if episode.id is None else episode.id
            for position, episode in enumerate(members)
        ]
        id, count = max(Counter(ids).items(), key=lambda item: item[1], default=(None, 0))
        if count > 1:
            raise InvalidEpisode(f"{count} episodes have the id {id!r}; each needs its own")
        state_names = _vocabulary(states, "state", (s for e in members for s in e.states))
        action_names = _vocabulary(actions, "action", (a for e in members for a in e.actions))
        inside = [label for e in members for label in e.states[: e.horizon]]
        final = [
            UNSEEN if len(e.states) == e.horizon else state_names.code(e.final_state)
            for e in members
        ]
        paid = [e.rewards for e in members if e.rewards is not None]
        every = len(paid) == len(members) > 0
        return cls(
            state_names,
            action_names,
            np.concatenate([[0], np.cumsum(horizons)]).astype(np.int64),
            state_names.codes(inside).astype(np.int32),
            action_names.codes(label for e in members for label in e.actions).astype(np.int32),
            np.array(final, dtype=np.int32),
            id_array(ids),
            np.array([reward for rewards in paid for reward in rewards]) if every else None,
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return (
            f"Episodes({len(self):,} episodes, {self.decisions:,} decisions, "
            f"{len(self.states)} states, {len(self.actions)} actions)"
        )

    @overload
    def __getitem__(self, which: int) -> Episode: ...
    @overload
    def __getitem__(self, which: slice | Sequence[int] | np.ndarray) -> Episodes: ...
    def __getitem__(self, which: int | slice | Sequence[int] | np.ndarray) -> Episode | Episodes:
        """The episode at a position; or those of a slice, a mask, or of several positions."""
        if isinstance(which, slice):
            return self._select(np.arange(len(self))[which])
        if isinstance(which, list) or (hasattr(which, "__array__") and np.ndim(which)):
            chosen = np.asarray(which)
            return self._select(np.arange(len(self))[chosen if len(chosen) else []])
        if not isinstance(which, int | np.integer):
            raise InvalidQuestion(
                f"episodes are picked by position, slice, mask or positions; {which!r} came. "
                "For an id use by_id()"
            )
        if not -len(self) <= which < len(self):
            raise IndexError(
                f"position {which} is outside {len(self)} episodes; for an id use by_id()"
            )
        return self._episode(int(which) % len(self))

    def __iter__(self) -> Iterator[Episode]:
        return (self._episode(position) for position in range(len(self)))

    @property
    def decisions(self) -> int:
        """The number of decisions in all episodes."""
        return len(self.state_codes)

    @property
    def horizons(self) -> Ints:
        """The number of decisions of each episode, T."""
        return np.diff(self.offsets)

    @property
    def final_seen(self) -> Flags:
        """Whether each episode saw the state after its last action."""
        return np.asarray(self.final_codes != UNSEEN)

    @cached_property
    def next_codes(self) -> Codes:
        """The state after each decision; -1 where it was not seen."""
        after = np.empty(self.decisions, dtype=np.int32)
        after[:-1] = self.state_codes[1:]
        after[self.offsets[1:] - 1] = self.final_codes
        after.setflags(write=False)
        return after

    @cached_property
    def episode_of_decision(self) -> Ints:
        """The position of the episode to which each decision belongs."""
        return np.repeat(np.arange(len(self)), self.horizons)

    @cached_property
    def _positions(self) -> dict[Label, int]:
        return {id: position for position, id in enumerate(self.ids.tolist())}

    def position(self, id: Any) -> int:
        """Where the episode with this id stands."""
        try:
            return self._positions[plain(id)]
        except (KeyError, TypeError):
            shown = ", ".join(repr(known) for known in self.ids[:5].tolist())
            more = f" and {len(self) - 5:,} more" if len(self) > 5 else ""
            raise UnknownLabel(f"no episode has the id {id!r}; the ids are {shown}{more}") from None

    def by_id(self, id: Any) -> Episode:
        """The episode with this id."""
        return self._episode(self.position(id))

    def column(self, name: str) -> np.ndarray:
        """The values of a column that was kept, one an episode."""
        for column in self.kept:
            if column.name == name:
                return column.values
        known = ", ".join(repr(column.name) for column in self.kept) or "none"
        raise UnknownLabel(f"no column {name!r} was kept; kept are: {known}. Give keep=[{name!r}]")

    def summary(self) -> EpisodesSummary:
        """Lengths, counts, most common actions and coverage of contexts."""
        contexts = self.state_codes.astype(np.int64) * len(self.actions) + self.action_codes
        lengths = self.horizons if len(self) else np.zeros(1, dtype=np.int64)
        actions = np.bincount(self.action_codes, minlength=len(self.actions))
        order = np.argsort(-actions, kind="stable")
        states = np.bincount(self.state_codes, minlength=len(self.states))
        return EpisodesSummary(
            episodes=len(self),
            decisions=self.decisions,
            shortest=int(lengths.min()),
            median_length=float(np.median(lengths)),
            longest=int(lengths.max()),
            final_seen=int(self.final_seen.sum()),
            states=tuple(map(Tally, self.states, states.tolist())),
            actions=tuple(Tally(self.actions[int(a)], int(actions[a])) for a in order),
            contexts_seen=len(np.unique(contexts)),
            contexts=len(self.states) * len(self.actions),
            rejected=len(self.rejected),
        )

    def to_frame(self) -> Any:
        """A table with one row a decision, and one without action for each final state that was
        seen; in the kind of frame from which the episodes were read. Files, SQL and simulation
        give a DuckDB relation: call `.df()`, `.pl()` or `.to_arrow_table()` on it, or query it.
        Labels of several kinds in one column (7 and "gone", or the ids of pieces) become texts."""
        from untaken.episodes.frames import episodes_frame

        return episodes_frame(self)

    def _episode(self, position: int) -> Episode:
        span = slice(int(self.offsets[position]), int(self.offsets[position + 1]))
        codes = self.state_codes[span].tolist()
        if self.final_codes[position] != UNSEEN:
            codes.append(int(self.final_codes[position]))
        return Episode(
            [self.states[code] for code in codes],
            [self.actions[code] for code in self.action_codes[span].tolist()],
            self.ids[position],
            None if self.rewards is None else self.rewards[span].tolist(),
        )

    def _select(self, positions: Ints) -> Episodes:
        horizons = self.horizons[positions]
        offsets = np.concatenate([[0], np.cumsum(horizons)]).astype(np.int64)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[positions] - offsets[:-1], horizons)
        return replace(
            self,
            offsets=offsets,
            state_codes=self.state_codes[rows],
            action_codes=self.action_codes[rows],
            final_codes=self.final_codes[positions],
            ids=self.ids[positions],
            rewards=None if self.rewards is None else self.rewards[rows],
            kept=tuple(Column(column.name, column.values[positions]) for column in self.kept),
        )


def id_array(ids: Sequence[Label]) -> np.ndarray:
    """Ids as an array: whole numbers as such, everything else as objects."""
    if all(type(id) is int and abs(id) < 2**63 for id in ids):
        return np.array(ids, dtype=np.int64)
    return np.fromiter(ids, dtype=object, count=len(ids))


def _members(episodes: Iterable[Episode] | Episode) -> list[Episode]:
    members = [episodes] if isinstance(episodes, Episode) else list(episodes)
    for position, member in enumerate(members):
        if not isinstance(member, Episode):
            raise InvalidEpisode(
                f"expected episodes; {type(member).__name__} came at position {position}"
            )
    return members


def _vocabulary(given: Iterable[Any] | None, kind: str, found: Iterable[Label]) -> Labels:
    if given is not None:
        return given if isinstance(given, Labels) else Labels(tuple(listed(given, kind)), kind)
    return Labels(tuple(default_order(set(found))), kind)


def default_order(labels: Iterable[Label]) -> list[Label]:
    """Numbers ascending, then texts, then everything else by its text; tuples part by part.

    >>> default_order(["b", 10, "a", 9])
    [9, 10, 'a', 'b']
    """

    def key(label: Any) -> tuple[Any, ...]:
        if isinstance(label, (bool, int, float)):
            return (0, label)
        if isinstance(label, str):
            return (1, label)
        if isinstance(label, tuple):
            return (2, *(key(part) for part in label))
        return (3, str(label))

    return sorted(labels, key=key)
