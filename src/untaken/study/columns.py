"""Rows of the tables in columns, a chunk at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from untaken.episodes import Episodes
from untaken.episodes.frames import object_array
from untaken.study import tables
from untaken.study.cohort import Chunk
from untaken.study.frontiers import Frontiers
from untaken.study.labels import Forms, Written
from untaken.study.tables import Filled, Holds, Table

Row = tuple[Any, ...]


def filled(table: Table, rows: Sequence[Row], episodes: Episodes, forms: Forms) -> Filled:
    """Rows as columns, with what goes along with the episodes."""
    plain = [column for column in table.columns if column.holds is not Holds.KEPT]
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(plain)
    arrays = [_array(column.holds, values) for column, values in zip(plain, columns, strict=True)]
    if table is tables.EPISODES:
        arrays += [form.write(episodes.column(form.name)) for form in forms.kept]
    return Filled(table, tuple(arrays))


def _array(holds: Holds, values: Sequence[Any]) -> np.ndarray:
    """A column as DuckDB reads it: numbers with NaN for null, all else as objects."""
    return np.array(values, np.float64) if holds is Holds.NUMBER else object_array(values)


def ids(episodes: Episodes, forms: Forms) -> np.ndarray:
    """Ids as they stand in the tables."""
    if forms.ids is not Written.JSON:
        return episodes.ids
    return object_array([forms.ids.write(id) for id in episodes.ids.tolist()])


def placed(parts: Sequence[Filled], chunk: Chunk, forms: Forms) -> tuple[Filled, ...]:
    """Rows at their places in the cohort, with those of episodes that could not be read."""
    if not chunk.lost:
        return tuple(parts)
    return tuple(
        _with_lost(moved, chunk, forms) if moved.table is tables.EPISODES else moved
        for moved in (_moved(part, chunk) for part in parts)
    )


def _moved(part: Filled, chunk: Chunk) -> Filled:
    """The same rows where the episodes of a chunk do not stand side by side."""
    position, *others = part.values
    places = chunk.positions[position.astype(np.int64) - chunk.start]
    return replace(part, values=(places, *others))


def _with_lost(part: Filled, chunk: Chunk, forms: Forms) -> Filled:
    """The table of episodes with rows for those that could not be read, in their places."""
    told = {
        "position": [one.position for one in chunk.lost],
        "episode": [forms.ids.write(one.id) for one in chunk.lost],
        "error": [one.reason for one in chunk.lost],
    }
    unknown = [None] * len(chunk.lost)
    plain = [column for column in part.table.columns if column.holds is not Holds.KEPT]
    rows = [_array(column.holds, told.get(column.name, unknown)) for column in plain]
    rows += [_array(Holds.TEXT, unknown) for _ in forms.kept]
    values = [np.concatenate(pair) for pair in zip(part.values, rows, strict=True)]
    order = np.argsort(values[0].astype(np.int64), kind="stable")
    return replace(part, values=tuple(column[order] for column in values))


def decisions(episodes: Episodes, start: int, forms: Forms) -> Filled:
    """The observed courses, as they came: final states that were seen in rows of their own."""
    seen = episodes.final_seen
    ends = episodes.offsets[1:][seen]
    states = np.insert(episodes.state_codes, ends, episodes.final_codes[seen])
    actions = np.insert(episodes.action_codes, ends, -1)
    logged = np.full(episodes.decisions, np.nan) if episodes.rewards is None else episodes.rewards
    lengths = episodes.horizons + seen
    episode = np.repeat(np.arange(len(episodes)), lengths)
    step = np.arange(len(episode)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    state_names = object_array([forms.states.write(label) for label in episodes.states])
    action_names = object_array([*map(forms.actions.write, episodes.actions), None])
    values = (start + episode, ids(episodes, forms)[episode], step, state_names[states])
    rewards = np.insert(logged, ends, np.nan)
    return Filled(tables.DECISIONS, (*values, action_names[actions], rewards))


@dataclass(frozen=True, eq=False)
class Answers:
    """Frontiers and what follows from them."""

    found: Frontiers
    sign: float
    """What turns gains in the user's costs into gains."""

    @property
    def gains(self) -> np.ndarray:
        """By how much each budget is better than the observed."""
        gains: np.ndarray = self.sign * (self.found.outcomes - self.found.outcomes[:, :1])
        return gains

    @property
    def relative_gains(self) -> np.ndarray:
        """The same over the observed; NaN where that is not positive."""
        gains, observed = self.gains, self.found.outcomes[:, :1]
        undefined = np.full_like(gains, np.nan)
        relative: np.ndarray = np.divide(gains, observed, out=undefined, where=observed > 0)
        return relative

    def budgets(self, ids: np.ndarray, start: int) -> Filled:
        """The table of budgets, without what needs the policy."""
        answered, (episodes, width) = self.found.answered, self.found.outcomes.shape
        positions = start + np.flatnonzero(answered)
        known = [
            np.repeat(positions, width),
            np.repeat(ids[answered], width),
            np.tile(np.arange(width), episodes),
            self.found.outcomes.ravel(),
            self.gains.ravel(),
            self.relative_gains.ravel(),
        ]
        unknown = [
            np.full(episodes * width, np.nan)
            if column.holds is Holds.NUMBER
            else np.full(episodes * width, None)
            for column in tables.BUDGETS.columns[len(known) :]
        ]
        return Filled(tables.BUDGETS, (*known, *unknown))

    def episode_rows(self, episodes: Episodes, start: int, forms: Forms) -> list[Row]:
        """The table of episodes, to be filled in where there is no answer."""
        outcomes, gains, relative = self.found.outcomes, self.gains, self.relative_gains
        last = (outcomes[:, 0], outcomes[:, -1], gains[:, -1], relative[:, -1])
        columns = [column.tolist() for column in (*last, self.found.open_ends)]
        answers = iter(zip(*columns, strict=True))
        about = zip(
            range(start, start + len(episodes)),
            ids(episodes, forms).tolist(),
            episodes.horizons.tolist(),
            episodes.final_seen.tolist(),
            _sums(episodes),
            self.found.answered.tolist(),
            strict=True,
        )
        return [(*head, *next(answers), None, None) if ok else tuple(head) for *head, ok in about]


def _sums(episodes: Episodes) -> list[float | None]:
    """What the log has paid in each episode, in the order of its steps."""
    if episodes.rewards is None:
        return [None] * len(episodes)
    spans = zip(episodes.offsets[:-1].tolist(), episodes.offsets[1:].tolist(), strict=True)
    rewards = episodes.rewards.tolist()
    return [float(sum(rewards[first:last])) for first, last in spans]
