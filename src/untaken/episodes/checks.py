"""Which rows of a sorted log make episodes, and why the others do not.

Every row ends up with one reason; the reason of rows that are used is `USED`. Rows come sorted by
episode and step, equal steps in the order of the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np

from untaken.kernels.layout import Codes, Flags, Floats, Ints

Gaps = Literal["error", "split", "ignore"]
Duplicates = Literal["error", "merge", "first", "last"]

MISSING = -1
UNKNOWN = -2


class Reason(Enum):
    """Why a row is left out, and whether that is an error or was asked for."""

    USED = ("it is used", False)
    NO_EPISODE = ("the episode is missing", True)
    NO_STEP = ("the step is missing, or cannot be ordered", True)
    NO_STATE = ("the state is missing", True)
    UNKNOWN_STATE = ("the state is not among the states given", True)
    UNKNOWN_ACTION = ("the action is not among the actions given", True)
    NO_ACTION = ("the action is missing before the last step", True)
    NO_REWARD = ("the reward is missing, or not a finite number", True)
    CHANGES = ("a kept column changes within the episode", True)
    SAME_STEP = ("the step occurs more than once", True)
    GAP = ("there is a gap before this step", True)
    NO_DECISION = ("the episode has a state but no action", True)
    REPEATED = ("it repeats a step, as duplicates= allows", False)
    SHORT = ("the episode is shorter than min_length", False)
    CUT_OFF = ("the piece after a gap has a state but no action", False)
    COMPANY = ("another row of the episode was rejected", False)

    @property
    def text(self) -> str:
        """The reason in words."""
        return self.value[0]

    @property
    def is_error(self) -> bool:
        """Whether the log is at fault, rather than an option at work."""
        return self.value[1]


REASONS = tuple(Reason)
_CODE = {reason: np.uint8(code) for code, reason in enumerate(REASONS)}
USED = _CODE[Reason.USED]


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The rows of a log in codes, sorted by episode and step."""

    episode: Ints
    """The position of the episode; -1 where it is missing."""
    step: np.ndarray
    """What rows are ordered by: whole numbers, or floats where steps are not whole."""
    has_step: Flags
    state: Codes
    """The code of the state; -1 where it is missing, -2 where it is not known."""
    action: Codes
    reward: Floats | None
    kept: tuple[Codes, ...]
    counted: bool
    """Whether steps are whole numbers, of which one follows the other."""

    def __len__(self) -> int:
        return len(self.episode)


@dataclass(frozen=True, eq=False)
class Sorting:
    """The verdict: a reason for each row, and where the pieces that are used begin."""

    reason: np.ndarray
    """The position in `REASONS` of each row's reason."""
    rows: Ints
    """The rows that are used."""
    starts: Ints
    """Where in `rows` each piece begins."""
    pieces: Ints
    """The number of each piece within its episode, from 1; 0 for an episode in one piece."""


def sort_out(rows: SortedRows, gaps: Gaps, duplicates: Duplicates, min_length: int) -> Sorting:
    """Find the rows that make episodes, and a reason for every other."""
    reason = np.zeros(len(rows), dtype=np.uint8)
    _judge_values(rows, reason)
    _judge_duplicates(rows, duplicates, reason)
    _judge_actions(rows, reason)
    used = np.flatnonzero(reason == USED)
    begins = _first_of_each(rows.episode[used])
    torn = _torn(reason, used) & ~begins
    holes = (torn | _jumps(rows, used)) & ~begins
    if gaps == "error":
        reason[used[holes & ~torn]] = _CODE[Reason.GAP]
        _leave_out(rows, reason, used, used[holes])
    elif gaps == "split":
        begins |= holes
    if gaps != "ignore":  # nobody can tell where in its episode a row without a step belongs
        lost = (rows.episode >= 0) & (reason == _CODE[Reason.NO_STEP])
        _leave_out(rows, reason, used, np.flatnonzero(lost))
    left = reason[used] == USED
    used, begins = used[left], begins[left]
    return _judge_lengths(rows, reason, used, np.flatnonzero(begins), min_length)


def _judge_values(rows: SortedRows, reason: np.ndarray) -> None:
    def mark(bad: Flags, why: Reason) -> None:
        reason[bad & (reason == USED)] = _CODE[why]

    mark(rows.episode < 0, Reason.NO_EPISODE)
    mark(~rows.has_step, Reason.NO_STEP)
    mark(rows.state == MISSING, Reason.NO_STATE)
    mark(rows.state == UNKNOWN, Reason.UNKNOWN_STATE)
    mark(rows.action == UNKNOWN, Reason.UNKNOWN_ACTION)
    if rows.reward is not None:
        mark((rows.action >= 0) & ~np.isfinite(rows.reward), Reason.NO_REWARD)
    first = _first_of_each(rows.episode)
    for codes in rows.kept:
        same = codes[np.flatnonzero(first)][np.cumsum(first) - 1] == codes
        mark(~same, Reason.CHANGES)


def _judge_duplicates(rows: SortedRows, duplicates: Duplicates, reason: np.ndarray) -> None:
    """Rows of one episode at the same step: one of them may be kept."""
    alive = np.flatnonzero((rows.episode >= 0) & rows.has_step)
    new = _first_of_each(rows.episode[alive])
    new[1:] |= rows.step[alive][1:] != rows.step[alive][:-1]
    if new.all():
        return
    group = np.cumsum(new) - 1
    size = np.bincount(group)[group]
    chosen = new if duplicates != "last" else np.append(new[1:], True)
    repeated = (size > 1) & ~chosen
    if duplicates in ("error", "merge"):
        alike = _alike(rows, alive, np.flatnonzero(new)[group])
        agreed = np.bincount(group, weights=alike)[group] == size
        merged = agreed & (duplicates == "merge")
        reason[alive[(size > 1) & ~merged]] = _CODE[Reason.SAME_STEP]
        repeated &= merged
    reason[alive[repeated]] = _CODE[Reason.REPEATED]


def _alike(rows: SortedRows, alive: Ints, model: Ints) -> Flags:
    """Whether each row says the same as the model row of its group."""
    here, there = alive, alive[model]
    alike = (rows.state[here] == rows.state[there]) & (rows.action[here] == rows.action[there])
    if rows.reward is not None:
        ours, theirs = rows.reward[here], rows.reward[there]
        alike &= (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    return np.asarray(alike)


def _judge_actions(rows: SortedRows, reason: np.ndarray) -> None:
    """Only the last row that is left of an episode may lack its action."""
    used = np.flatnonzero(reason == USED)
    last = np.append(_first_of_each(rows.episode[used])[1:], True) if len(used) else used
    bad = (rows.action[used] == MISSING) & ~last
    reason[used[bad]] = _CODE[Reason.NO_ACTION]


def _torn(reason: np.ndarray, used: Ints) -> Flags:
    """Whether rows were rejected between each used row and the one before. Rows that merely repeat
    another leave no hole."""
    rejected = np.cumsum((reason != USED) & (reason != _CODE[Reason.REPEATED]))
    torn = np.zeros(len(used), dtype=np.bool_)
    torn[1:] = np.diff(rejected[used]) > 0
    return torn


def _jumps(rows: SortedRows, used: Ints) -> Flags:
    """Whether the log skips steps between each used row and the one before."""
    jumps = np.zeros(len(used), dtype=np.bool_)
    if rows.counted:
        jumps[1:] = np.diff(rows.step[used]) != 1
    return jumps


def _leave_out(rows: SortedRows, reason: np.ndarray, used: Ints, culprits: Ints) -> None:
    """Leave out what is left of the episodes to which the culprits belong."""
    if len(culprits):
        spoiled = np.zeros(int(rows.episode.max()) + 1, dtype=np.bool_)
        spoiled[rows.episode[culprits]] = True
        company = used[spoiled[rows.episode[used]] & (reason[used] == USED)]
        reason[company] = _CODE[Reason.COMPANY]


def _judge_lengths(
    rows: SortedRows, reason: np.ndarray, used: Ints, starts: Ints, min_length: int
) -> Sorting:
    lengths = np.diff(np.append(starts, len(used)))
    ends = starts + lengths - 1
    decisions = lengths - (rows.action[used[ends]] == MISSING)
    why = np.full(len(starts), USED)
    why[decisions < min_length] = _CODE[Reason.SHORT]
    pieces = _piece_numbers(rows.episode[used[starts]])
    alone = decisions == 0
    why[alone] = np.where(pieces > 0, _CODE[Reason.CUT_OFF], _CODE[Reason.NO_DECISION])[alone]
    reason[used] = np.repeat(why, lengths)
    good = why == USED
    used = used[np.repeat(good, lengths)]
    begins = np.concatenate([[0], np.cumsum(lengths[good])[:-1]]) if good.any() else starts[:0]
    return Sorting(reason, used, begins.astype(np.int64), pieces[good])


def _piece_numbers(episode: Ints) -> Ints:
    """Count the pieces of each episode from 1; those of an episode in one piece are 0."""
    first = _first_of_each(episode)
    group = np.cumsum(first) - 1
    number = np.arange(len(episode)) - np.flatnonzero(first)[group] + 1
    return np.where(np.bincount(group)[group] > 1, number, 0) if len(episode) else number


def _first_of_each(sorted_values: np.ndarray) -> Flags:
    first = np.ones(len(sorted_values), dtype=np.bool_)
    first[1:] = sorted_values[1:] != sorted_values[:-1]
    return first
