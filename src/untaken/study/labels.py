"""Labels in the columns of a study: numbers and texts as they are, anything else as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from untaken.episodes import Label
from untaken.episodes.labels import plain
from untaken.errors import InvalidQuestion

LARGEST_WHOLE = 2**63
WHOLE_IN_FILES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
IN_FILES = dict.fromkeys(WHOLE_IN_FILES, "BIGINT") | {
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "BOOLEAN": "BOOLEAN",
}


class Written(Enum):
    """How labels of one kind stand in a column."""

    WHOLE = "BIGINT"
    TEXT = "VARCHAR"
    JSON = "JSON"

    @classmethod
    def suiting(cls, labels: Iterable[Label]) -> Written:
        """The plainest way in which all of them can be told apart."""
        known = tuple(labels)
        kinds = {type(label) for label in known}
        if kinds <= {int} and all(map(_fits, known)):
            return cls.WHOLE
        return cls.TEXT if kinds <= {str} else cls.JSON

    @property
    def sql(self) -> str:
        """The type of the column."""
        return "BIGINT" if self is Written.WHOLE else "VARCHAR"

    def write(self, label: Label) -> Any:
        """A label as it stands in the column."""
        return json.dumps(label, ensure_ascii=False) if self is Written.JSON else label

    def read(self, value: Any) -> Label:
        """The label that stands there."""
        return plain(json.loads(value)) if self is Written.JSON else plain(value)


@dataclass(frozen=True)
class KeptColumn:
    """A column of the log that goes along, with its type."""

    name: str
    sql: str

    @classmethod
    def of(cls, name: str, values: np.ndarray) -> KeptColumn:
        """The type that suits all values; those that are missing suit any."""
        known = [value for value in _with_holes(values) if value is not None]
        kinds = {type(value) for value in known}
        if kinds == {int} and all(map(_fits, known)):
            return cls(name, "BIGINT")
        types = {frozenset([float]): "DOUBLE", frozenset([bool]): "BOOLEAN"}
        return cls(name, types.get(frozenset(kinds), "VARCHAR"))

    @classmethod
    def in_file(cls, name: str, sql: str) -> KeptColumn:
        """The same type for the values of a Parquet column of the type `sql`."""
        return cls(name, IN_FILES.get(sql, "VARCHAR"))

    def write(self, values: np.ndarray) -> np.ndarray:
        """Values as they stand in the column."""
        known = _with_holes(values)
        if self.sql == "VARCHAR":
            known = [None if value is None else str(value) for value in known]
        return np.fromiter(known, dtype=object, count=len(known))


def _fits(whole: Any) -> bool:
    """Whether a whole number has a place in a column of them."""
    return bool(-LARGEST_WHOLE <= whole < LARGEST_WHOLE)


def _with_holes(values: np.ndarray) -> list[Any]:
    """Values with None for those that are missing; NaN is one of them, as it is in a log."""
    return [
        None if isinstance(value, float) and math.isnan(value) else value
        for value in values.tolist()
    ]


@dataclass(frozen=True)
class Forms:
    """How ids, states and actions stand in the tables, and what goes along with them."""

    ids: Written
    states: Written
    actions: Written
    kept: tuple[KeptColumn, ...]

    def __post_init__(self) -> None:
        names = [column.name.casefold() for column in self.kept]
        for column, name in zip(self.kept, names, strict=True):
            if names.count(name) > 1:
                raise InvalidQuestion(
                    f"the kept column {column.name!r} has a twin: tables cannot tell names apart "
                    "that differ in upper and lower case only. Rename one of them in the log"
                )
