"""How figures look: sized for a page of 7 inches, one typeface, colours of `untaken.plots`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

from untaken.errors import MissingExtra
from untaken.present.style import BLUE, GREY, INK, VERMILION

GREEN, PURPLE, ORANGE = "#009E73", "#CC79A7", "#E69F00"
SERIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE)
STYLES = ("-", "--", "-.", ":")
"""For lines that must be told apart without colour."""
__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "INK",
    "ORANGE",
    "PURPLE",
    "SERIES",
    "STYLES",
    "VERMILION",
    "apart",
    "band",
    "bare",
    "journal",
    "letter",
    "ordered",
    "sheet",
    "simulated",
]
PAGE = 7.0
"""Inches of a figure that is as wide as the page."""
_LOOKS: dict[Any, Any] = {
    "font.size": 8,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,
    "svg.hashsalt": "untaken",
}


def journal() -> AbstractContextManager[None]:
    """Within it, whatever is drawn looks alike."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra(
            "figures need matplotlib, which is not installed: pip install 'untaken[plot]'"
        ) from None
    looks: AbstractContextManager[None] = mpl.rc_context(_LOOKS)
    return looks


def sheet(
    height: float, rows: int = 1, columns: int = 1, width: float = PAGE, **options: Any
) -> tuple[Any, Any]:
    """An empty figure and its axes, as an array of rows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def ordered(count: int) -> list[Any]:
    """Colours for a series that has an order, from dark to what is still legible on white."""
    import matplotlib as mpl

    scale = mpl.colormaps["cividis"]
    return [scale(0.74 * place / max(count - 1, 1)) for place in range(count)]


def band(ax: Any, x: Any, lower: Any, upper: Any, colour: Any, alpha: float = 0.14) -> None:
    """A 95 % interval around a line."""
    ax.fill_between(x, lower, upper, color=colour, alpha=alpha, linewidth=0)


def apart(heights: list[float], gap: float) -> list[float]:
    """Heights for labels, moved up where they would cover each other.

    >>> apart([3.0, 1.0, 1.2], gap=1.0)
    [3.0, 1.0, 2.0]
    """
    placed = list(heights)
    order = sorted(range(len(heights)), key=heights.__getitem__)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    return placed


def letter(ax: Any, text: str) -> None:
    """The letter by which a caption calls a panel."""
    ax.set_title(text, loc="left", fontweight="bold")


def bare(ax: Any) -> None:
    """Axes without frame and ticks."""
    ax.set_axis_off()


NOT_PUBLIC = "SIMULATED patients: the trial of the paper is not public"


def simulated(figure: Any, is_simulated: bool, notice: str = NOT_PUBLIC) -> None:
    """Say it on the figure itself, so that it cannot be cut off from its caption."""
    if is_simulated:
        figure.suptitle(notice, fontsize=7, color=GREY, x=0.995, ha="right")
