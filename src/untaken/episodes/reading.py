"""Reading a log as episodes: DuckDB types, codes and sorts the rows, NumPy checks them.

What knows DuckDB is imported when a log is read: questions about a single episode need none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from untaken.episodes.checks import REASONS, USED, Duplicates, Gaps, Sorting, sort_out
from untaken.episodes.episodes import UNSEEN, Column, ColumnNames, Episodes, id_array
from untaken.episodes.frames import narrowed, object_array
from untaken.episodes.labels import Label, listed
from untaken.episodes.naming import said
from untaken.episodes.rejected import Rejected
from untaken.errors import InvalidLog, InvalidQuestion

if TYPE_CHECKING:
    from untaken.episodes.coded import CodedLog, Roles

OnError = Literal["raise", "drop"]


def read_episodes(
    source: str | PathLike[str] | Any,
    *,
    episode: str | Sequence[str],
    step: str,
    state: str | Sequence[str],
    action: str | Sequence[str],
    reward: str | None = None,
    keep: str | Sequence[str] = (),
    states: Iterable[Any] | None = None,
    actions: Iterable[Any] | None = None,
    gaps: Gaps = "error",
    duplicates: Duplicates = "error",
    min_length: int = 1,
    on_error: OnError = "raise",
    missing: str | float | Sequence[str | float] = (),
    connection: Any | None = None,
) -> Episodes:
    """Read episodes from a log with one row for each decision.

    `source` is a path or glob (CSV, Parquet, JSON), SQL (run on `connection`, a DuckDB
    connection, if given), or a pandas, polars, pyarrow or DuckDB frame. `episode`, `state` and
    `action` name a column, or several that make one label. Rows may come in any order; `step` is a
    number, a date or a time. A last row with a state but no action is the final state that was
    seen. `keep` names columns that say something about whole episodes.

    Labels come in the order of an ordered category; numbers ascend and texts are sorted otherwise;
    `states` and `actions` fix the order, and may hold labels that never occur. In CSV a column
    holds numbers if all its values are written as such ("007" is not), where NaN, inf, NA, n/a and
    NULL among them are missing; give texts in `states` to keep texts. The empty text, null, NaN,
    infinity and what `missing` lists ("NA" among texts, -99) are missing values.

    `gaps`: whole steps that are skipped are an "error", "split" the episode into (id, 1), (id, 2),
    ..., or are put up with ("ignore"). `duplicates`: rows of one episode and step are an "error",
    "merge" if they say the same, or the "first" or "last" in the log counts. Episodes with fewer
    than `min_length` decisions are left out. Rows that fit nowhere raise one error that lists
    them, or with `on_error="drop"` are left out; the hole they leave counts as a gap. Either way
    every row that is not used stands in `episodes.rejected` with its reason.

    >>> import untaken as ut
    >>> log = '''SELECT * FROM (VALUES ('A', 1, 'ill', 'treat'), ('A', 2, 'well', NULL),
    ...          ('B', 2, 'ill', 'wait'), ('B', 1, 'ill', 'treat')) AS t(who, day, state, action)'''
    >>> episodes = ut.read_episodes(log, episode="who", step="day", state="state", action="action")
    >>> episodes
    Episodes(2 episodes, 3 decisions, 2 states, 2 actions)
    >>> episodes.by_id("A").final_state, episodes.by_id("B").actions
    ('well', ('treat', 'wait'))
    """
    import duckdb

    from untaken.episodes.coded import code_log
    from untaken.episodes.sources import open_log

    _check_options(gaps, duplicates, on_error, min_length)
    vocabularies = (
        None if states is None else listed(states, "state"),
        None if actions is None else listed(actions, "action"),
    )
    (step,), (paid,) = _names(step), _names(reward or "reward")
    names = ColumnNames(_names(episode), step, _names(state), _names(action), paid)
    columns, roles = _roles(names, _names(keep), reward)
    with open_log(source, columns, connection) as log:
        try:
            coded = code_log(log, roles, *vocabularies, _absent(missing))
        except duckdb.Error as error:
            raise InvalidLog(f"the values of the log cannot be coded: {said(error)}") from None
        frame = log.frame
    if not len(coded.rows):
        raise InvalidLog("the log has no rows")
    verdict = sort_out(coded.rows, gaps, duplicates, min_length)
    rejected = _rejected(coded, verdict, frame)
    _raise_if_rejected(coded, verdict, rejected, on_error)
    return _assembled(coded, verdict, names, _names(keep), rejected)


def _check_options(gaps: str, duplicates: str, on_error: str, min_length: int) -> None:
    for name, value, choices in (
        ("gaps", gaps, get_args(Gaps)),
        ("duplicates", duplicates, get_args(Duplicates)),
        ("on_error", on_error, get_args(OnError)),
    ):
        if value not in choices:
            raise InvalidQuestion(f"{name} must be one of {', '.join(choices)}; {value!r} came")
    if not isinstance(min_length, int | np.integer) or min_length < 1:
        raise InvalidQuestion(
            f"min_length must be a whole number of at least 1; {min_length!r} came"
        )


def _names(columns: str | Sequence[str]) -> tuple[str, ...]:
    names = tuple(columns) if isinstance(columns, list | tuple) else (columns,)
    for name in names:
        if not isinstance(name, str):
            raise InvalidQuestion(f"columns are named by texts; {name!r} came")
    return names


def _absent(missing: str | float | Sequence[str | float]) -> tuple[str, ...]:
    return tuple(map(str, missing if isinstance(missing, list | tuple) else (missing,)))


def _roles(
    names: ColumnNames, kept: tuple[str, ...], reward: str | None
) -> tuple[list[str], Roles]:
    """The columns to read, and which of them plays which part."""
    from untaken.episodes.coded import Roles

    columns: list[str] = []

    def places(wanted: Sequence[str]) -> range:
        columns.extend(wanted)
        return range(len(columns) - len(wanted), len(columns))

    groups = [names.episode, names.state, names.action]
    for role, group in zip(("episode", "state", "action"), groups, strict=True):
        if not group:
            raise InvalidQuestion(f"{role} must name at least one column of the log")
    episode, state, action = (places(group) for group in groups)
    rest = places(kept), places([names.step])[0], places([reward])[0] if reward else None
    return columns, Roles(episode, state, action, *rest)


def _rejected(coded: CodedLog, verdict: Sorting, frame: Any) -> Rejected:
    rows = np.flatnonzero(verdict.reason != USED)
    episodes = np.append(coded.ids, np.array([None], dtype=object))[coded.rows.episode[rows]]
    words = object_array([reason.text for reason in REASONS])
    return Rejected(
        episodes,
        _steps(coded, rows),
        words[verdict.reason[rows]],
        frame,
    )


def _steps(coded: CodedLog, rows: np.ndarray) -> np.ndarray:
    """Steps as a person would write them; those that are none as they stand in the log."""
    values = coded.rows.step[rows]
    if coded.unit == "number":
        shown = values.tolist()
    elif coded.unit == "time of day":
        shown = [str(moment) for moment in values.astype("m8[us]").tolist()]
    else:
        unit = "ns" if coded.unit == "nanoseconds" else "us"
        shown = [
            text.removesuffix("T00:00:00.000000")
            for text in np.datetime_as_string(values.astype(f"M8[{unit}]")).tolist()
        ]
    written = object_array(shown)
    written[~coded.rows.has_step[rows]] = coded.odd_steps
    return written


def _raise_if_rejected(
    coded: CodedLog, verdict: Sorting, rejected: Rejected, on_error: OnError
) -> None:
    at_fault = np.array([reason.is_error for reason in REASONS])
    faults = at_fault[verdict.reason[verdict.reason != USED]]
    total = len(coded.rows)
    if faults.any() and on_error == "raise":
        bad = rejected.subset(faults)
        raise InvalidLog(
            f"{len(bad):,} of {total:,} rows cannot be read as episodes:\n{bad}\n"
            f"{_shown('labels of the log that were not given', coded.strangers)}"
            f"{_shown('what stands in place of rewards', coded.odd_rewards)}"
            'Repair them, or say what is to be done: gaps="split" or "ignore"; duplicates='
            '"merge", "first" or "last"; on_error="drop" leaves such rows out and '
            "keeps them in episodes.rejected",
            bad,
        )
    if not len(verdict.starts):
        raise InvalidLog(
            f"none of {total:,} rows is left to make an episode:\n{rejected}", rejected
        )


def _shown(what: str, values: Sequence[Label]) -> str:
    """A line that names some of the values at fault, if there are any."""
    return f"{what}: {', '.join(map(repr, values[:5]))}\n" if values else ""


def _assembled(
    coded: CodedLog,
    verdict: Sorting,
    names: ColumnNames,
    kept: tuple[str, ...],
    rejected: Rejected,
) -> Episodes:
    rows, used, starts = coded.rows, verdict.rows, verdict.starts
    lengths = np.diff(np.append(starts, len(used)))
    ends = starts + lengths - 1
    final = rows.action[used[ends]] < 0
    decision = np.ones(len(used), dtype=np.bool_)
    decision[ends[final]] = False
    taken = used[decision]
    columns = zip(kept, coded.kept, rows.kept, strict=True)
    return Episodes(
        coded.states,
        coded.actions,
        np.concatenate([[0], np.cumsum(lengths - final)]).astype(np.int64),
        rows.state[taken],
        rows.action[taken],
        np.where(final, rows.state[used[ends]], np.int32(UNSEEN)),
        _ids(coded, verdict),
        None if rows.reward is None else rows.reward[taken],
        tuple(
            Column(name, narrowed(np.append(labels, [None])[codes[used[starts]]]))
            for name, labels, codes in columns
        ),
        rejected,
        names,
        rejected.frame,
    )


def _ids(coded: CodedLog, verdict: Sorting) -> np.ndarray:
    """The ids of the pieces; those of an episode that was split are numbered from 1."""
    ids: list[Label] = coded.ids[coded.rows.episode[verdict.rows[verdict.starts]]].tolist()
    if verdict.pieces.any():
        numbered = zip(ids, verdict.pieces.tolist(), strict=True)
        ids = [(id, piece) if piece else id for id, piece in numbered]
    return id_array(ids)
