"""CSV files, read as they stand: nothing in them is guessed to be a comment or a preamble.

DuckDB's own detection of dialects takes rows that start with "#" for comments and skips lines above
the rows that agree with one another. A log must not lose rows in that way, and so only one thing is
found out here: which delimiter makes the first line name columns. Everything is read as text.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

import duckdb

from untaken.episodes.naming import check_columns, located, said
from untaken.errors import InvalidFile, InvalidLog

DELIMITERS = (",", ";", "\t", "|")
_NOWHERE = "\x01"
"""A delimiter that stands in no text."""
_WAYS_OUT = {
    "not utf-8": " Save it as UTF-8, or read it with SQL: "
    "FROM read_csv('...', encoding = 'latin-1'), or 'utf-16'",
    "invalid state": ". Either some of its lines end in another way than the others, or text "
    "stands behind a closing quote; save it anew from the program that wrote it",
}
"""What to do, by what DuckDB says."""


def load_csv(own: Any, pattern: str, columns: Sequence[str]) -> None:
    """The table `log` with the columns c0, c1, ... of all files that a path or glob matches. The
    files may order their columns, and separate them, each in its own way."""
    files = [file for (file,) in own.sql(f"FROM glob({located(pattern)}) ORDER BY file").fetchall()]
    if not files:
        raise InvalidFile(f"{pattern} cannot be read: no file is there")
    texts = ", ".join(f"c{place} VARCHAR" for place in range(len(columns)))
    own.execute(f"CREATE TEMP TABLE log ({texts})")
    empty = [file for file in files if not _append(own, file, columns)]
    if len(empty) == len(files):
        raise InvalidLog(f"{files[0]} is empty; expected a line of column names, and rows")


def _append(own: Any, file: str, columns: Sequence[str]) -> bool:
    """Add the rows of one file to the table, unless there is not even a first line."""
    try:
        header = _first_line(own, file)
        if header is not None:
            own.execute(f"INSERT INTO log {_selection(file, header, columns)}")
    except duckdb.Error as error:
        told = said(error)
        hint = "".join(way for sign, way in _WAYS_OUT.items() if sign in told)
        raise InvalidFile(f"{file} cannot be read: {told}{hint}") from None
    return header is not None


def _first_line(own: Any, file: str) -> str | None:
    reader = (
        f"read_csv({located(file)}, delim = '{_NOWHERE}', quote = '', escape = '', comment = '', "
        "header = false, auto_detect = false, strict_mode = false, "
        "columns = {'line': 'VARCHAR'})"
    )
    found = own.sql(f"FROM {reader} LIMIT 1").fetchall()
    return (found[0][0] or "") if found else None


def _selection(file: str, header: str, columns: Sequence[str]) -> str:
    """The columns asked for as SQL over a file whose first line is known."""
    delimiter, names = _split(header, columns)
    check_columns(columns, names, f"the first line of {file}")
    fields = ", ".join(f"'f{place}': 'VARCHAR'" for place in range(len(names)))
    chosen = ", ".join(f"f{names.index(name)}" for name in columns)
    return (
        f"SELECT {chosen} FROM read_csv({located(file)}, delim = '{delimiter}', quote = '\"', "
        "escape = '\"', comment = '', header = true, skip = 0, auto_detect = false, "
        f"columns = {{{fields}}})"
    )


def _split(header: str, columns: Sequence[str]) -> tuple[str, list[str]]:
    """The names in a header by the delimiter that makes most of them ones that are asked for."""
    splits = {}
    for delimiter in DELIMITERS:
        names = next(csv.reader([header.removeprefix("\ufeff")], delimiter=delimiter), [])
        splits[delimiter] = [name.strip() for name in names]

    def fitness(delimiter: str) -> tuple[int, int]:
        names = splits[delimiter]
        return len(set(columns).intersection(names)), len(names)

    best = max(DELIMITERS, key=fitness)
    return best, splits[best]
