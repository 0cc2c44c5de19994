"""Tables as text, for pipes and pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

Columns = dict[str, list[Any]]


def to_csv(columns: Columns) -> str:
    """Comma-separated values, with a header.

    >>> print(to_csv({"a": [1, 2], "b": ["x, y", None]}), end="")
    a,b
    1,"x, y"
    2,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_rows(columns))
    return text.getvalue()


def to_json(columns: Columns) -> str:
    """A list of records.

    >>> print(to_json({"a": [1, 2], "b": ["ü", None]}), end="")
    [
      {"a": 1, "b": "ü"},
      {"a": 2, "b": null}
    ]
    """
    records = (dict(zip(columns, row, strict=True)) for row in _rows(columns))
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def to_markdown(columns: Columns) -> str:
    """A Markdown table.

    >>> print(to_markdown({"a": [1], "b": ["x|y"]}), end="")
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    """
    lines = [list(columns), ["---"] * len(columns), *_rows(columns)]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _rows(columns: Columns) -> Sequence[tuple[Any, ...]]:
    return list(zip(*columns.values(), strict=True))


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
