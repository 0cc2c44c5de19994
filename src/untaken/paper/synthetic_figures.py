"""Figures 2 and 3 of the paper, drawn from their data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from untaken.paper.processes import ALPHAS
from untaken.paper.published_values import (
    SYNTHETIC_COUNTS,
    SYNTHETIC_GAINS,
    SYNTHETIC_OUTCOMES,
    Published,
)
from untaken.paper.sections import Table, table
from untaken.paper.spread import mean_of
from untaken.paper.style import (
    BLUE,
    GREY,
    INK,
    SERIES,
    VERMILION,
    apart,
    band,
    letter,
    ordered,
    sheet,
)
from untaken.paper.synthetic import MOST_CHANGES, Sweep, Synthetic

THEIRS, OTHERS = "published", "fresh"
SHOWN_BUDGETS = (2, 5, 10)
HISTOGRAM_ALPHA = 0.4


def gain_table(results: Synthetic) -> Table:
    """Relative gains of all episodes at alpha = 0.4."""
    rows = [
        (source, process, course, k, gains[process, course, k])
        for source, gains in (
            (THEIRS, results.sweep(HISTOGRAM_ALPHA).gains),
            (OTHERS, results.sweep(HISTOGRAM_ALPHA, fresh=True).gains),
        )
        for k in SHOWN_BUDGETS
        for process, course in np.ndindex(gains.shape[:2])
    ]
    return table(("processes", "process", "episode", "k", "gain_percent"), rows)


def gain_histograms(data: Table) -> Any:
    """How much each episode would have gained, for three budgets."""
    figure, axes = sheet(2.4, columns=3, sharey=True)
    widest = 5 * math.ceil(max(float(gain or 0) for gain in data.column("gain_percent")) / 5)
    edges = np.arange(0, widest + 1, 1.0)
    for ax, k, name in zip(axes[0], SHOWN_BUDGETS, "abc", strict=True):
        theirs, others = _gains(data, THEIRS, k), _gains(data, OTHERS, k)
        ax.hist(theirs, edges, color=BLUE, alpha=0.75, linewidth=0, label="ten published processes")
        ax.hist(
            others, edges, histtype="step", color=INK, linewidth=0.8, label="ten fresh processes"
        )
        ax.axvline(theirs.mean(), color=VERMILION, linestyle="--", linewidth=1.1)
        ax.annotate(
            f"mean {theirs.mean():.1f} %", (theirs.mean(), 1), (4, -3),
            xycoords=("data", "axes fraction"), textcoords="offset points", va="top",
            color=VERMILION, fontsize=7,
        )  # fmt: skip
        letter(ax, name)
        ax.set_title(f"k = {k}")
        ax.set_xlim(0, widest)
    axes[0, 0].set_ylabel("episodes")
    axes[0, 1].set_xlabel("relative gain (%)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


def _gains(data: Table, source: str, k: int) -> np.ndarray:
    places = [data.columns.index(name) for name in ("processes", "k", "gain_percent")]
    return np.array(
        [row[places[2]] for row in data.rows if (row[places[0]], row[places[1]]) == (source, k)],
        dtype=np.float64,
    )


LINE = ("processes", "alpha", "k", "mean", "lower95", "upper95", "published")
ALLOWANCE = "fresh_may_differ_by"


def outcome_table(results: Synthetic) -> Table:
    """Mean outcomes against k."""
    return _lines(results, "frontiers", range(MOST_CHANGES + 1), SYNTHETIC_OUTCOMES)


def relative_gain_table(results: Synthetic, allowances: Mapping[tuple[float, int], float]) -> Table:
    """Mean relative gains against alpha, with how far ten fresh processes may lie from what was
    published for an alpha and a k."""
    lines = _lines(results, "gains", SHOWN_BUDGETS, SYNTHETIC_GAINS)
    rows = ((*row, allowances.get((row[1], row[2])) if row[-1] else None) for row in lines.rows)  # type: ignore[arg-type]
    return table((*lines.columns, ALLOWANCE), rows)


def _lines(
    results: Synthetic, values: str, budgets: Any, published: tuple[Published, ...]
) -> Table:
    read_off = {(point.at, point.k): point.value for point in published}
    return table(
        LINE,
        [
            _line(source, sweep, values, k, read_off.get((sweep.alpha, k)))
            for source, sweeps in ((THEIRS, results.published), (OTHERS, results.fresh))
            for sweep in sweeps
            for k in budgets
        ],
    )


def _line(
    source: str, sweep: Sweep, values: str, k: int, published: float | None
) -> tuple[Any, ...]:
    mean = mean_of(getattr(sweep, values)[:, :, k])
    return source, sweep.alpha, k, mean.value, mean.lower, mean.upper, published


def outcomes_against_budget(data: Table) -> Any:
    """The mean outcome of the best policies against k, a line for each uncertainty."""
    figure, axes = sheet(3.3, width=4.6)
    ax = axes[0, 0]
    alphas = sorted(set(data.column("alpha")), key=lambda alpha: float(alpha or 0))
    ends = [_selected(data, THEIRS, alpha=alpha, k=MOST_CHANGES)[0, 3] for alpha in alphas]
    heights = apart(ends, 6.5)
    for alpha, height in zip(alphas, heights, strict=True):
        colour = _colour(alpha)
        lines = _selected(data, THEIRS, alpha=alpha)
        k, mean, lower, upper, read_off = (lines[:, place] for place in (2, 3, 4, 5, 6))
        ax.plot(k, mean, color=colour)
        band(ax, k, lower, upper, colour)
        ax.plot(k, read_off, "o", mfc="white", mec=colour, clip_on=False, zorder=5)
        ax.annotate(f"{alpha:g}", (k[-1], height), (4, 0), textcoords="offset points",
                    va="center", fontsize=7, color=INK)  # fmt: skip
    ax.plot([], [], "o", mfc="white", mec=GREY, label="published")
    ax.annotate("α", (1.0, 1.0), (8, 2), xycoords="axes fraction", textcoords="offset points",
                fontsize=8)  # fmt: skip
    ax.set_xlim(0, MOST_CHANGES)
    ax.set_xlabel("changed actions at most, k")
    ax.set_ylabel("mean counterfactual outcome")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0))
    return figure


def gains_against_uncertainty(data: Table) -> Any:
    """The mean relative gain against alpha, a line for each of three budgets."""
    figure, axes = sheet(2.9, width=4.6)
    ax = axes[0, 0]
    for k, colour in zip(SHOWN_BUDGETS, SERIES, strict=False):
        for source, style in ((THEIRS, "-"), (OTHERS, ":")):
            lines = _selected(data, source, k=k)
            alpha, mean, lower, upper, read_off, allowed = (lines[:, p] for p in (1, 3, 4, 5, 6, 7))
            ax.plot(alpha, mean, style, color=colour, label=f"k = {k}" if style == "-" else None)
            if source == THEIRS:
                band(ax, alpha, lower, upper, colour)
                ax.errorbar(alpha, read_off, allowed, fmt="o", mfc="white", mec=colour,
                            ecolor=colour, elinewidth=0.8, capsize=2, zorder=5)  # fmt: skip
    others = ax.plot([], [], ":", color=GREY)[0]
    rings = ax.errorbar([], [], [], fmt="o", mfc="white", mec=GREY, ecolor=GREY, elinewidth=0.8)
    ax.set_xlim(0, 1)
    ax.set_ylim(0)
    ax.set_xlabel("uncertainty of the process, α")
    ax.set_ylabel("mean relative gain (%)")
    ax.legend(loc="lower right", ncols=3)
    told = ["ten fresh processes", "published, and where fresh ones may lie"]
    figure.legend([others, rings], told, loc="outside upper left", ncols=2)
    return figure


def _colour(alpha: Any) -> Any:
    """The same in every figure."""
    return ordered(len(ALPHAS))[ALPHAS.index(alpha)]


def _selected(data: Table, source: str, **fixed: Any) -> np.ndarray:
    """The numbers of the lines of a figure, without their source."""
    places = {data.columns.index(name): value for name, value in fixed.items()}
    rows = [
        [0.0, *(np.nan if cell is None else cell for cell in row[1:])]
        for row in data.rows
        if row[0] == source and all(row[place] == value for place, value in places.items())
    ]
    return np.array(rows, dtype=np.float64)


def count_table(results: Synthetic) -> Table:
    """Distinct explanations among 100 draws: in expectation, and as the published code draws."""
    read_off = {(point.at, point.k): point.value for point in SYNTHETIC_COUNTS}
    rows = []
    for source, counts in ((THEIRS, results.counts), (OTHERS, results.fresh_counts)):
        for count in counts:
            mean = mean_of(count.middles)
            ties = "first action" if count.first_action_wins else "observed action"
            published = read_off.get((count.alpha, count.k))
            rows.append(
                (source, count.alpha, count.k, ties, count.lower, count.upper, mean.lower,
                 mean.upper, float(count.drawn.mean()), published)
            )  # fmt: skip
    columns = ("processes", "alpha", "k", "ties_go_to", "expected_at_least", "expected_at_most",
               "lower95", "upper95", "drawn_with_published_seeds", "published")  # fmt: skip
    return table(columns, rows)


def explanations_against_budget(data: Table) -> Any:
    """How many distinct explanations 100 draws hold, against k."""
    figure, axes = sheet(2.9, width=4.6)
    ax = axes[0, 0]
    alphas = sorted(set(data.column("alpha")), key=lambda alpha: float(alpha or 0))
    for alpha in alphas:
        colour = _colour(alpha)
        chosen = [r for r in data.rows if r[:2] == (THEIRS, alpha) and r[3] == "observed action"]
        numbers = np.array([[np.nan if c is None else c for c in (r[2], *r[4:])] for r in chosen])
        k, least, most, lower, upper, drawn, read_off = numbers.T
        ax.plot(k, (least + most) / 2, color=colour)
        band(ax, k, lower, upper, colour)
        ax.plot(k, drawn, "x", color=colour, markersize=3.5, clip_on=False, zorder=4)
        ax.plot(k, read_off, "o", mfc="none", mec=colour, markersize=5, clip_on=False, zorder=5)
        ax.annotate(f"{alpha:g}", (k[-1], (least + most)[-1] / 2), (7, 0),
                    textcoords="offset points", va="center", fontsize=7, color=INK)  # fmt: skip
    for mark, name in (("-", "expected"), ("x", "with the published seeds")):
        ax.plot([], [], mark, color=GREY, label=name)
    ax.plot([], [], "o", mfc="none", mec=GREY, markersize=5, label="published")
    ax.annotate("α", (1.0, 1.0), (8, 2), xycoords="axes fraction", textcoords="offset points")
    ax.set_xlim(0, MOST_CHANGES)
    ax.set_ylim(0, 100)
    ax.set_xlabel("changed actions at most, k")
    ax.set_ylabel("distinct explanations among 100 draws")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3)
    return figure
