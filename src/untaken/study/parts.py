"""Rows on their way into DuckDB: as Parquet parts that are whole or not there, or in memory."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import queue
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from untaken.episodes.naming import literal, quoted
from untaken.episodes.sources import OBJECTS_IN_FULL, without_progress
from untaken.errors import CannotWrite
from untaken.study.labels import Forms
from untaken.study.tables import Filled, Holds, Table, TableColumn

UNFINISHED = ".untaken"
"""How the names of files end that are not whole yet; those of other people's files do not."""
_IDLE: queue.SimpleQueue[Any] = queue.SimpleQueue()


@contextlib.contextmanager
def database() -> Iterator[Any]:
    """A database that nobody else uses meanwhile; one thread, so that the same rows make the same
    bytes. It outlives the thread that used it: one that is closed while Python leaves takes the
    process down."""
    try:
        connection = _IDLE.get_nowait()
    except queue.Empty:
        connection = duckdb.connect(config={"threads": 1} | OBJECTS_IN_FULL)
        without_progress(connection)
    try:
        yield connection
    finally:
        _IDLE.put(connection)


@atexit.register
def close_databases() -> None:
    """Close those that nobody uses."""
    with contextlib.suppress(queue.Empty):
        while True:
            _IDLE.get_nowait().close()


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

    def copy(to: Path) -> None:
        with database() as connection:
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
    if not path.name:
        raise CannotWrite(f"expected the name of a file to write; '{path}' came")
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}{UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        _to_disk(temporary)
        temporary.replace(path)
        _to_disk(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, (OSError, duckdb.Error)) and not interrupted(error):
            raise CannotWrite(f"{path} cannot be written: {_reason(error)}") from None
        raise


def interrupted(error: BaseException) -> bool:
    """Whether somebody pressed Ctrl-C, of which DuckDB tells in its own way."""
    return isinstance(error, duckdb.InterruptException) or str(error) == "Query interrupted"


def unfinished(folder: Path) -> Iterator[Path]:
    """The files that `whole` has begun in a folder, and not ended."""
    return folder.glob(f".*{UNFINISHED}")


def whole_text(path: Path, text: str) -> None:
    """The same for a text."""

    def write(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    whole(path, write)


def _reason(error: Exception) -> str:
    """What the system says, without what DuckDB puts around it."""
    known = (errno.ENOSPC, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EIO)
    said = [os.strerror(number) for number in known if os.strerror(number) in str(error)]
    return said[0] if said else str(getattr(error, "strerror", None) or error)


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
