"""What all figures have in common.

Colours are safe for the colour-blind: blue for what the counterfactual does, vermilion for what
was observed, and one ordered scale for states.
"""

from __future__ import annotations

from typing import Any

from untaken.errors import MissingExtra

BLUE, VERMILION, GREY, INK = "#0072B2", "#D55E00", "#8A8F98", "#22252A"


def pyplot() -> Any:
    """Matplotlib, which is an extra."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise MissingExtra(
            "figures need matplotlib, which is not installed: pip install 'untaken[plot]'"
        ) from None
    return plt


def axes(width: float, height: float) -> Any:
    """Axes of a figure of their own, so many inches large, with room for all that is written."""
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def clean(ax: Any) -> Any:
    """Axes without the frame that says nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax
