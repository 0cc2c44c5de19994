"""Labels in the columns of a study: numbers and texts as they are, anything else as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from untaken.episodes import Label
from untaken.episodes.labels import plain


class Written(Enum):
    """How labels of one kind stand in a column."""

    WHOLE = "BIGINT"
    TEXT = "VARCHAR"
    JSON = "JSON"

    @classmethod
    def suiting(cls, labels: Iterable[Label]) -> Written:
        """The plainest way in which all of them can be told apart."""
        kinds = {type(label) for label in labels}
        if kinds <= {int}:
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
        """The type that suits all values."""
        types = {"i": "BIGINT", "u": "BIGINT", "f": "DOUBLE", "b": "BOOLEAN"}
        return cls(name, types.get(values.dtype.kind, "VARCHAR"))

    def write(self, values: np.ndarray) -> np.ndarray:
        """Values as they stand in the column."""
        if self.sql != "VARCHAR":
            return values
        texts = [None if value is None else str(value) for value in values.tolist()]
        return np.array(texts, dtype=object)


@dataclass(frozen=True)
class Forms:
    """How ids, states and actions stand in the tables, and what goes along with them."""

    ids: Written
    states: Written
    actions: Written
    kept: tuple[KeptColumn, ...]
