"""Rows on their way into DuckDB: as Parquet parts that are whole or not there, or in memory."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from untaken.episodes.sources import literal, quoted
from untaken.errors import CannotWrite
from untaken.study.labels import Forms
from untaken.study.tables import Filled, Holds, Table, TableColumn

_THREAD = threading.local()


def connect() -> Any:
    """A database of this thread's own; one thread, so that the same rows make the same bytes."""
    if not hasattr(_THREAD, "connection"):
        _THREAD.connection = duckdb.connect(config={"threads": 1})
        _THREAD.connection.execute("SET enable_progress_bar = false")
    return _THREAD.connection


def selection(table: Table, forms: Forms) -> str:
    """The columns c0, c1, ... as those of a table, in their types."""
    chosen = []
    for place, column in enumerate(table.columns):
        if column.holds is not Holds.KEPT:
            chosen.append(f"{_typed(f'c{place}', column, forms)} AS {quoted(column.name)}")
        elif forms.kept:
            fields = ", ".join(
                f"{literal(kept.name)}: c{place + position}::{kept.sql}"
                for position, kept in enumerate(forms.kept)
            )
            chosen.append(f"{{{fields}}} AS {quoted(column.name)}")
    return ", ".join(chosen)


def _typed(name: str, column: TableColumn, forms: Forms) -> str:
    if column.holds is Holds.NUMBER:
        return f"nullif({name}, 'NaN'::DOUBLE)"
    labels = {Holds.ID: forms.ids, Holds.STATE: forms.states, Holds.ACTION: forms.actions}
    written = labels.get(column.holds)
    return f"{name}::{written.sql if written else column.holds.value}"


def write_part(path: Path, filled: Filled, forms: Forms) -> None:
    """Write one Parquet file, under its name only once it is whole."""
    connection = connect()

    def copy(to: Path) -> None:
        connection.register("incoming", _named(filled.values))
        try:
            connection.execute(
                f"COPY (SELECT {selection(filled.table, forms)} FROM incoming) "
                f"TO {literal(str(to))} (FORMAT parquet, COMPRESSION zstd)"
            )
        finally:
            connection.unregister("incoming")

    whole(path, copy)


def whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let a file appear under its name only when it is whole, and on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        _to_disk(temporary)
        temporary.replace(path)
        _to_disk(path.parent)
    except (OSError, duckdb.Error) as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise CannotWrite(f"{path} cannot be written: {reason}") from None


def _to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows does not open folders
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def relation_of(connection: Any, parts: Sequence[Filled], table: Table, forms: Forms) -> Any:
    """Rows in memory as a table of a database."""
    columns = [np.concatenate(values) for values in zip(*(p.values for p in parts), strict=True)]
    connection.register("incoming", _named(columns))
    connection.execute(
        f"CREATE OR REPLACE TABLE {quoted(table.name)} AS "
        f"SELECT {selection(table, forms)} FROM incoming"
    )
    connection.unregister("incoming")
    return connection.table(table.name)


def _named(values: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    return {f"c{place}": column for place, column in enumerate(values)}
