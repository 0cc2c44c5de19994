"""What an experiment hands to the page: words, panels with their data, and findings."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untaken.paper.findings import Claim, Finding

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """The data behind a figure."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def column(self, name: str) -> list[Cell]:
        """One column of it.

        >>> Table(("k", "gain"), ((1, 0.5), (2, 0.7))).column("gain")
        [0.5, 0.7]
        """
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def write(self, path: Path) -> None:
        """Save it as CSV, numbers to their last digit."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(self.columns)
            lines.writerows(self.rows)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Table:
    """A table of plain numbers and words."""
    return Table(tuple(columns), tuple(tuple(_plain(cell) for cell in row) for row in rows))


def _plain(cell: Any) -> Cell:
    plain: Cell = cell.item() if hasattr(cell, "item") else cell
    return plain


@dataclass(frozen=True)
class Panel:
    """A figure, the one function that draws it, and the data that it draws."""

    name: str
    """What its files are called."""
    title: str
    caption: str
    draw: Callable[[Table], Any]
    data: Table
    rules: str = ""
    """What is paid, and to whom ties go; empty where nothing is solved."""
    findings: tuple[Finding, ...] = ()
    """The published numbers that belong to this figure, beside ours."""


@dataclass(frozen=True)
class Section:
    """All that one experiment shows."""

    name: str
    title: str
    text: tuple[str, ...]
    """Paragraphs."""
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All published numbers of the section."""
        return tuple(finding for panel in self.panels for finding in panel.findings)
