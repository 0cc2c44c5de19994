"""Columns of an open log as codes: what kind of values they hold, and which labels occur.

Kinds are settled for a whole column, never value by value, so that the same log gives the same
labels from every kind of file and frame:

- whole numbers stay whole numbers, also where missing values made them floats (1.0 is 1);
- in CSV, where everything is text, a column holds numbers if all of its values are written as
  numbers are, without leading zeros ("007" is a text, and so is "1e3"); true and false likewise;
- numbers of which a float would lose digits stay texts: two long ids must not become one;
- NaN, infinity, null and the empty text are missing. In CSV, NaN, inf, NA, n/a and NULL are words:
  missing among numbers, where one of them would make texts of all, and texts among texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.episodes.labels import Label
from untaken.episodes.naming import literal
from untaken.episodes.sources import Log
from untaken.errors import InvalidLog

WHOLE = "-?(0|[1-9][0-9]*)"
DECIMAL = WHOLE + r"(\.[0-9]+)?([eE][-+][0-9]+)?"
DATED = "[0-9]{4,}[^0-9].*"
"""Texts that may be dates: DuckDB takes 1/5/21 for a day in the year 1."""
CLOCK = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
"""Texts that may be times of day: DuckDB overlooks what comes after, such as pm."""
NO_NUMBERS = ("nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "na", "n/a",
              "#n/a", "null")  # fmt: skip
"""What programs write in place of a number, in small letters. "None" may well be an action."""
_EXACT = "DECIMAL(38, 18)"
_INTEGERS = {"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"}
_LARGE = {"ubigint", "hugeint", "uhugeint"}
_REALS = {"float", "double"}


@dataclass(frozen=True)
class Vocabulary:
    """The distinct labels of one column in their default order."""

    expression: str
    """The label, as SQL over the log; null where it is missing."""
    labels: list[Label]
    order: tuple[Label, ...] | None
    """The order that the column brought along."""


def label_expression(log: Log, column: int, missing: tuple[str, ...]) -> str:
    """The labels of a column as SQL: BIGINT, DOUBLE, BOOLEAN or VARCHAR, null where missing."""
    name, kind = f"c{column}", _type(log, f"c{column}")
    number = _present(name, missing)
    if kind in _INTEGERS:
        return f"({number})::BIGINT"
    if kind in _LARGE:
        return _first_that_fits(log, number, [_whole_part(number)], f"({number})::VARCHAR")
    if kind in _REALS:
        return _number(log, f"({number})::DOUBLE")
    if kind == "decimal":
        exact = [_whole_part(number), _lossless(f"({number})::VARCHAR")]
        return _first_that_fits(log, number, exact, f"({number})::VARCHAR")
    if kind == "boolean":
        return name
    if _is_json(log, name):
        return _from_json(log, name, missing)
    text = _text(name, missing)
    if not log.untyped:
        return text
    numbers = [
        _whole(text),
        f"CASE WHEN regexp_full_match({text}, '{DECIMAL}') THEN {_lossless(text)} END",
        f"CASE WHEN lower({text}) IN ('true', 'false') THEN lower({text}) = 'true' END",
    ]
    chosen = _first_that_fits(log, _but_for_words(text), numbers, text)
    return _number(log, chosen) if chosen == numbers[1] else chosen


def step_expression(log: Log, column: int, missing: tuple[str, ...]) -> tuple[str, str]:
    """What rows are ordered by, as SQL: a number, or a time in microseconds; and which of them."""
    name, kind = f"c{column}", _type(log, f"c{column}")
    number = _present(name, missing)
    if kind in _INTEGERS:
        return f"({number})::BIGINT", "number"
    if kind in _LARGE | {"decimal"}:
        whole = [_whole_part(number)]
        return _first_that_fits(log, number, whole, f"({number})::DOUBLE"), "number"
    if kind in _REALS:
        return _number(log, f"({number})::DOUBLE"), "number"
    if kind in ("timestamp_ns", "timestamptz_ns"):
        return f"epoch_ns({name})", "nanoseconds"
    if kind in ("date", "interval") or kind.startswith("time"):
        return f"epoch_us({name})", "time of day" if kind in ("time", "interval") else "time"
    return _step_in_texts(log, _text(as_text(log, column), missing))


def _step_in_texts(log: Log, text: str) -> tuple[str, str]:
    """The reading of texts that orders most of a column's rows."""
    readings = [
        (_whole(text), "whole number"),  # of equally good ones the first is taken
        (f"TRY_CAST({text} AS DOUBLE)", "number"),
        (f"epoch_us({_cast_where(text, DATED, 'TIMESTAMPTZ')})", "time"),
        (f"epoch_us({_cast_where(text, CLOCK, 'TIME')})", "time of day"),
    ]
    counts = _row(log, ", ".join(f"count({reading})" for reading, _ in readings))
    best = int(np.argmax(counts))
    (example,) = _row(log, f"max({text})")
    if counts[best] == 0 and example is not None:
        raise InvalidLog(
            "steps must be numbers, dates (2020-01-31) or times (15:30), by which rows can be "
            f"ordered; the step column holds texts such as {example!r}. Rewrite them; for "
            "31.01.2020 by SQL: SELECT * REPLACE (strptime(day, '%d.%m.%Y') AS day) "
            "FROM read_csv('...', types = {'day': 'VARCHAR'})"
        )
    reading, unit = readings[best]
    if unit == "number":
        reading = _number(log, reading)
    return reading, unit.removeprefix("whole ")


def reward_expression(log: Log, column: int, missing: tuple[str, ...]) -> str:
    """A column of numbers as SQL; null where a value is missing, or no number."""
    return _present(f"TRY_CAST({as_text(log, column)} AS DOUBLE)", missing)


def as_text(log: Log, column: int) -> str:
    """Whatever stands in a column, as it is written."""
    name = f"c{column}"
    return f"({name} ->> '$')" if _is_json(log, name) else f"{name}::VARCHAR"


def vocabulary(log: Log, column: int, missing: tuple[str, ...], texts: bool = False) -> Vocabulary:
    """The labels of a column. With `texts`, values of an untyped file stay texts."""
    as_text = texts and log.untyped
    expression = _text(f"c{column}", missing) if as_text else label_expression(log, column, missing)
    log.connection.execute(
        f"CREATE TEMP TABLE v{column} AS SELECT label, (row_number() OVER (ORDER BY label) - 1)"
        f"::INTEGER AS code FROM (SELECT DISTINCT {expression} AS label FROM log) "
        "WHERE label IS NOT NULL"
    )
    labels = log.connection.sql(f"SELECT label FROM v{column} ORDER BY code").fetchnumpy()["label"]
    order = log.orders[column]
    known = order is not None and set(labels.tolist()) <= set(order)
    return Vocabulary(expression, labels.tolist(), order if known else None)


def _type(log: Log, name: str) -> str:
    return str(log.connection.sql(f"SELECT {name} FROM log").types[0].id)


def _is_json(log: Log, name: str) -> bool:
    return str(log.connection.sql(f"SELECT {name} FROM log").types[0]) == "JSON"


def _text(name: str, missing: tuple[str, ...]) -> str:
    absent = ", ".join(literal(text) for text in {*missing, ""})
    return f"CASE WHEN {name}::VARCHAR NOT IN ({absent}) THEN {name}::VARCHAR END"


def _present(number: str, missing: tuple[str, ...]) -> str:
    """Numbers as SQL, null where one is written that stands for a missing value."""
    written = [f"{value!r}::DOUBLE" for text in missing if np.isfinite(value := _as_float(text))]
    return (
        f"CASE WHEN {number} NOT IN ({', '.join(written)}) THEN {number} END" if written else number
    )


def _as_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _whole(text: str) -> str:
    """Texts as BIGINT where they are written as whole numbers are."""
    return _cast_where(text, WHOLE, "BIGINT")


def _cast_where(text: str, pattern: str, kind: str) -> str:
    """Texts of a certain look as another type, null where they cannot be."""
    return f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN TRY_CAST({text} AS {kind}) END"


def _but_for_words(text: str) -> str:
    """Texts but for those that stand in place of a number."""
    words = ", ".join(map(literal, NO_NUMBERS))
    return f"CASE WHEN lower({text}) NOT IN ({words}) THEN {text} END"


def _whole_part(name: str) -> str:
    """Numbers of any width as BIGINT where they are whole and fit."""
    return f"CASE WHEN {name} = trunc({name}) THEN TRY_CAST({name} AS BIGINT) END"


def _lossless(text: str) -> str:
    """Texts as DOUBLE where that keeps every digit, or they are written as powers of ten."""
    number = f"TRY_CAST({text} AS DOUBLE)"
    exact, back = (f"TRY_CAST({value} AS {_EXACT})" for value in (text, f"{number}::VARCHAR"))
    return f"CASE WHEN {exact} = {back} OR {text} ILIKE '%e%' THEN {number} END"


def _number(log: Log, expression: str) -> str:
    """Finite numbers, as BIGINT where all of them are whole."""
    finite = f"CASE WHEN isfinite({expression}) THEN {expression} + 0.0 END"
    small = f"abs({expression}) < 9007199254740992 AND {expression} = trunc({expression})"
    whole = f"CASE WHEN {small} THEN {expression}::BIGINT END"
    return _first_that_fits(log, finite, [whole], finite)


def _from_json(log: Log, name: str, missing: tuple[str, ...]) -> str:
    (found,) = _row(log, f"list(DISTINCT json_type({name}))")
    kinds = set(found or ()) - {None, "NULL"}
    value = _text(f"({name} ->> '$')", missing)
    if kinds and kinds <= {"BIGINT", "UBIGINT"}:
        number = f"TRY_CAST({value} AS BIGINT)"
        return _first_that_fits(log, value, [number], value)
    if kinds and kinds <= {"BIGINT", "UBIGINT", "DOUBLE"}:
        value = _but_for_words(value)
        number = _first_that_fits(log, value, [_lossless(f"({value})")], value)
        return value if number == value else _number(log, number)
    return f"({value})::BOOLEAN" if kinds == {"BOOLEAN"} else value


def _first_that_fits(log: Log, whole: str, candidates: list[str], otherwise: str) -> str:
    """The first reading that loses none of a column's values."""
    counts = _row(log, ", ".join(f"count({reading})" for reading in [whole, *candidates]))
    for reading, count in zip(candidates, counts[1:], strict=True):
        if count == counts[0] and count > 0:
            return reading
    return otherwise


def _row(log: Log, expressions: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] = log.connection.sql(f"SELECT {expressions} FROM log").fetchall()[0]
    return row
