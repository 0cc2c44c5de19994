"""Whatever holds a log, opened as one DuckDB table with the columns c0, c1, ...

Paths, SQL and frames all end in the same table, so that everything after this file is the same for
all of them. Frames come in through the Arrow interface or, for pandas, through DuckDB's own: none
of pandas, polars and pyarrow is needed to read the others. Extensions are never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike, fspath
from os.path import isdir
from typing import Any

import duckdb
import narwhals as nw
from narwhals.exceptions import DuplicateError

from untaken.episodes.csv_files import load_csv
from untaken.episodes.labels import Label, plain
from untaken.episodes.naming import check_columns, literal, located, quoted, said
from untaken.errors import InvalidFile, InvalidLog, InvalidQuestion

TEXT_SUFFIXES = ("csv", "tsv", "txt")
PARQUET_SUFFIXES = ("parquet", "pq")
JSON_SUFFIXES = ("json", "jsonl", "ndjson")
_ASIDE = r"(\s|\(|--[^\n]*\n|/\*.*?\*/)*"
_QUERY = rf"(?s:{_ASIDE})(select|with|from|values|table|pivot|unpivot)\b[\s(]+\S"
_LOCKED: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
OBJECTS_IN_FULL: dict[str, Any] = {"pandas_analyze_sample": 2**62}
"""DuckDB settles the type of a column of Python objects by a sample of them, and bends the others
to it: 2.5 becomes 2 among whole numbers. With this it looks at all of them."""


@dataclass(frozen=True)
class Log:
    """An open log: a table `log` with a column `c0`, `c1`, ... for each column asked for."""

    connection: Any
    untyped: bool
    """Whether all values came as texts, for want of types in the file."""
    orders: tuple[tuple[Label, ...] | None, ...]
    """The order of labels that each column brings along, where it is an ordered category."""
    frame: str
    """The library of the frame that it came from; DuckDB's for files."""


@contextmanager
def open_log(source: Any, columns: Sequence[str], connection: Any | None) -> Iterator[Log]:
    """The log with the columns asked for, closed again at the end."""
    sql = isinstance(source, str) and is_query(source)
    if connection is not None and not sql:
        raise InvalidQuestion("connection= is for SQL; a file or a frame is read without one")
    own = connect()
    try:
        if sql:
            yield _from_query(own, source, columns, connection)
        elif isinstance(source, (str, PathLike)):
            yield _from_files(own, fspath(source), columns)
        else:
            yield _from_frame(own, source, columns)
    finally:
        own.close()


def connect() -> Any:
    """A database in memory that reaches for nothing: no extensions, no variables of Python."""
    connection = duckdb.connect(config=_LOCKED | OBJECTS_IN_FULL)
    connection.execute("SET TimeZone = 'UTC'")
    without_progress(connection)
    return connection


def without_progress(connection: Any) -> None:
    """Switch off the bar of slow queries. In a notebook without ipywidgets there is none, and
    DuckDB refuses the setting."""
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")


def is_query(text: str) -> bool:
    """Whether a text is SQL rather than a path.

    >>> is_query("SELECT * FROM 'a.csv'"), is_query("(FROM visits)"), is_query("from 2020.csv")
    (True, True, False)
    """
    return bool(re.match(_QUERY, text, re.IGNORECASE)) and _kind(text) == ""


def _kind(path: str) -> str:
    """What a file is by its suffix, if it has one that is known."""
    suffix = re.sub(r"\.(gz|zst)$", "", path.lower()).rpartition(".")[2]
    return suffix if suffix in TEXT_SUFFIXES + PARQUET_SUFFIXES + JSON_SUFFIXES else ""


def _from_query(own: Any, query: str, columns: Sequence[str], connection: Any | None) -> Log:
    if connection is not None and not isinstance(connection, duckdb.DuckDBPyConnection):
        raise InvalidQuestion(
            f"connection= must be an open DuckDB connection; {type(connection).__name__} came"
        )
    database = connect() if connection is None else connection
    try:
        return _from_frame(own, database.sql(query), columns)
    except duckdb.Error as error:
        raise InvalidLog(f"DuckDB cannot run the SQL {query!r}: {said(error)}") from None
    finally:
        if connection is None:
            database.close()


def _from_files(own: Any, path: str, columns: Sequence[str]) -> Log:
    _check_path(path)
    kind = _kind(path)
    loaders = (
        (TEXT_SUFFIXES, load_csv),
        (PARQUET_SUFFIXES, _load_parquet),
        (JSON_SUFFIXES, _load_json),
    )
    load = next((loader for known, loader in loaders if kind in known), None)
    if load is None:
        raise InvalidFile(
            f"{path!r} does not say what it is; expected a path or glob that ends in "
            f".{', .'.join(TEXT_SUFFIXES + PARQUET_SUFFIXES + JSON_SUFFIXES)} (CSV and JSON also "
            "with .gz or .zst), or SQL that starts with SELECT, WITH or FROM"
        )
    try:
        load(own, path, columns)
    except duckdb.Error as error:
        raise InvalidFile(f"{path} cannot be read: {said(error)}") from None
    orders = (None,) * len(columns)
    return Log(own, kind in TEXT_SUFFIXES, orders, "duckdb")


def _check_path(path: str) -> None:
    if isdir(path):
        raise InvalidFile(
            f"{path!r} is a folder; expected a file, or a glob such as "
            f"'{path.rstrip('/')}/*.parquet'"
        )
    if re.match(r"(?!file:)[a-z][a-z0-9+.-]+://", path, re.IGNORECASE):
        raise InvalidFile(
            f"{path!r} is not on this machine, and nothing is fetched. Save it here first, or give "
            "SQL and a DuckDB connection of your own (connection=) that can reach it"
        )


def _load_parquet(own: Any, path: str, columns: Sequence[str]) -> None:
    reader = f"read_parquet({located(path)}, union_by_name = true)"
    check_columns(columns, own.sql(f"FROM {reader}").columns)
    _load(own, reader, columns)


def _load_json(own: Any, path: str, columns: Sequence[str]) -> None:
    """As JSON, or texts that look like dates would become dates."""
    found = own.sql(f"FROM read_json({located(path)}, union_by_name = true)").columns
    if not set(columns) <= set(found):  # a column may begin late
        every = f"read_json({located(path)}, union_by_name = true, sample_size = -1)"
        found = own.sql(f"FROM {every}").columns
    if found == ["json"] and "json" not in columns:
        raise InvalidLog(f"{path} holds no objects; expected one a line, such as {{...}}")
    check_columns(columns, found)
    types = ", ".join(f"{literal(name)}: 'JSON'" for name in dict.fromkeys(columns))
    _load(own, f"read_json({located(path)}, columns = {{{types}}})", columns)


def _load(own: Any, reader: str, columns: Sequence[str]) -> None:
    chosen = ", ".join(f"{quoted(name)} AS c{i}" for i, name in enumerate(columns))
    own.execute(f"CREATE TEMP TABLE log AS SELECT {chosen} FROM {reader}")


def _from_frame(own: Any, source: Any, columns: Sequence[str]) -> Log:
    try:
        frame = nw.from_native(source)
        schema = frame.collect_schema()
    except DuplicateError as error:
        raise InvalidLog(f"the columns of a frame need names of their own: {error}") from None
    except TypeError:
        raise InvalidLog(
            "expected a path, a glob, SQL, or a frame of pandas, polars, pyarrow or DuckDB; "
            f"{type(source).__name__} came{_way_out(source)}"
        ) from None
    _check_index(columns, schema.names(), source)
    check_columns(columns, schema.names())
    orders = tuple(_order(frame, schema[name], name) for name in columns)
    kind = frame.implementation
    for name in columns:
        if kind is nw.Implementation.POLARS and schema[name] == nw.Object:
            raise InvalidLog(
                f"column {name!r} of the frame holds Python objects, of which polars does not tell "
                "what they are; make numbers or texts of them first"
            )
    if isinstance(frame, nw.LazyFrame) and kind is not nw.Implementation.DUCKDB:
        frame = frame.collect()
    empty = [
        name for name in columns if kind is nw.Implementation.POLARS and schema[name] == nw.Unknown
    ]
    texts = [nw.col(name).cast(nw.String) if name in empty else nw.col(name) for name in columns]
    chosen = frame.select(*(column.alias(f"c{i}") for i, column in enumerate(texts)))
    try:
        _take_in(own, "log", chosen)
    except duckdb.Error as error:
        raise _unreadable(own, chosen, columns, type(source).__name__, error) from None
    return Log(own, False, orders, kind.value)


def _way_out(source: Any) -> str:
    """What can be done with what is nearly a frame."""
    if isinstance(source, duckdb.DuckDBPyConnection):
        return "; give SQL and connection=, or connection.sql(...)"
    return "; make a table of it first" if hasattr(source, "__arrow_c_stream__") else ""


def _check_index(columns: Sequence[str], found: Sequence[str], source: Any) -> None:
    index = getattr(getattr(source, "index", None), "names", ())
    for name in columns:
        if name in index and name not in found:
            raise InvalidLog(
                f"{name!r} is an index of the frame, and no column; call .reset_index() first"
            )


def _take_in(own: Any, table: str, frame: Any) -> None:
    """A frame as a table of the database."""
    native = frame.to_native()
    pandas = frame.implementation is nw.Implementation.PANDAS
    own.register("incoming", native if pandas else _Stream(native))
    own.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS FROM incoming")
    own.unregister("incoming")


def _unreadable(
    own: Any, frame: Any, columns: Sequence[str], kind: str, error: duckdb.Error
) -> InvalidLog:
    """Which column DuckDB cannot read, found by giving it one after the other."""
    relation = frame.implementation is nw.Implementation.DUCKDB
    for place, name in enumerate(() if relation else columns):
        try:
            _take_in(own, "probe", frame.select(f"c{place}"))
        except duckdb.Error as alone:
            return InvalidLog(
                f"DuckDB cannot read column {name!r} of the {kind}: {said(alone)}. Make numbers or "
                "texts of it first, such as with astype('string')"
            )
    return InvalidLog(f"DuckDB cannot read the {kind}: {said(error)}")


@dataclass(frozen=True)
class _Stream:
    """A frame as a bare Arrow stream, which DuckDB reads without the frame's library."""

    frame: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.frame.__arrow_c_stream__(requested_schema)


def _order(frame: Any, dtype: Any, name: str) -> tuple[Label, ...] | None:
    """The labels of an ordered category, in their order."""
    if isinstance(dtype, nw.Enum):
        return tuple(plain(label) for label in dtype.categories)
    if frame.implementation is nw.Implementation.PYARROW:  # where order is a flag of the type
        table = frame.to_native()
        if getattr(table.schema.field(name).type, "ordered", False):
            return tuple(table.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist())
    return None
