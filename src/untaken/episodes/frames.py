"""Tables in the kind of frame that came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from untaken.episodes.labels import Label

if TYPE_CHECKING:
    from untaken.episodes.episodes import Episodes
    from untaken.episodes.rejected import Rejected


def native_frame(columns: dict[str, np.ndarray], frame: str) -> Any:
    """Named columns as a frame of the given library. Missing values in object columns are None."""
    if frame == "duckdb":
        return _relation(columns)
    import narwhals as nw  # here, because an answer about one episode needs no frame

    series = {
        name: values.tolist() if values.dtype == object else values
        for name, values in columns.items()
    }
    return nw.from_dict(series, backend=cast(Any, frame)).to_native()


def _relation(columns: dict[str, np.ndarray]) -> Any:
    import duckdb

    from untaken.episodes.sources import OBJECTS_IN_FULL

    connection = duckdb.connect(config=OBJECTS_IN_FULL)
    connection.register("columns", columns)
    connection.execute("CREATE TABLE frame AS FROM columns")
    connection.unregister("columns")
    return connection.table("frame")


def episodes_frame(episodes: Episodes) -> Any:
    """One row a decision, and one without action for each final state that was seen."""
    names = episodes.names
    rows = episodes.horizons + episodes.final_seen
    ends = np.cumsum(rows)
    starts = ends - rows
    position = np.repeat(np.arange(len(episodes)), rows)
    step = np.arange(len(position)) - np.repeat(starts, rows)
    final = step == np.repeat(episodes.horizons, rows)
    states = np.empty(len(position), dtype=np.int32)
    states[~final] = episodes.state_codes
    states[final] = episodes.final_codes[episodes.final_seen]
    actions = np.full(len(position), -1, dtype=np.int32)
    actions[~final] = episodes.action_codes

    columns = label_columns(names.episode, episodes.ids, position)
    columns[names.step] = step
    columns |= label_columns(names.state, object_array(episodes.states), states)
    columns |= label_columns(names.action, object_array(episodes.actions), actions)
    if episodes.rewards is not None:
        paid = np.full(len(position), np.nan)
        paid[~final] = episodes.rewards
        columns[names.reward] = paid
    columns |= {column.name: column.values[position] for column in episodes.kept}
    return native_frame(columns, episodes.frame)


def label_columns(names: tuple[str, ...], labels: np.ndarray, codes: np.ndarray) -> dict[str, Any]:
    """Codes as labels; parts of a label that several columns make go back into their columns.
    A code of -1 is a missing value."""
    if len(names) == 1:
        return {names[0]: _decoded(_texts(labels), codes)}
    parts = {}
    for place, name in enumerate(names):
        part = object_array([label[place] for label in labels])
        parts[name] = _decoded(_texts(part), codes)
    return parts


def _decoded(labels: np.ndarray, codes: np.ndarray) -> np.ndarray:
    if labels.dtype != object and not (codes < 0).any():
        numbers: np.ndarray = labels[codes]
        return numbers
    with_missing: np.ndarray = np.empty(len(labels) + 1, dtype=object)
    with_missing[:-1] = labels.tolist()
    return narrowed(with_missing[codes])


def narrowed(values: np.ndarray) -> np.ndarray:
    """Objects as numbers where all of them are numbers of one kind."""
    kinds = set(map(type, values.tolist()))
    alike = kinds in ({int}, {float}, {bool})
    return np.array(values.tolist()) if alike else values


def object_array(values: Sequence[Label]) -> np.ndarray:
    """Labels as an array of objects, tuples unbroken."""
    return np.fromiter(values, dtype=object, count=len(values))


def rejected_frame(rejected: Rejected) -> Any:
    """Episode, step and reason, one row each."""
    columns = {
        "episode": _texts(rejected.episodes),
        "step": _texts(rejected.steps),
        "reason": rejected.reasons,
    }
    return native_frame(columns, rejected.frame)


def _texts(values: np.ndarray) -> np.ndarray:
    """Values of several kinds, which no column can hold, as texts; of one kind, as they are."""
    number = narrowed(values)
    if number.dtype != object or all(isinstance(value, str | None) for value in values.tolist()):
        return number
    return object_array([None if value is None else str(value) for value in values.tolist()])
