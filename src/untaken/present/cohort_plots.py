"""Figures of a cohort: those of the paper's figures 4 and 7. Each takes an `ax` and gives it back;
`page` puts the first three together and `gains_by_budget` the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untaken.episodes import Label
from untaken.errors import InvalidQuestion
from untaken.present.style import INK, VERMILION, clean, pyplot
from untaken.present.words import Words, named
from untaken.study.summary import CohortSummary, CountAt, MeanAt

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", INK)
"""Safe for the colour-blind (Okabe and Ito); groups beyond them begin anew, dashed."""
BARS = 20
FEW = 30
"""Up to so many explanations are counted on a plain axis: one of powers has no ticks for them."""


def mean_frontier(summary: CohortSummary, ax: Any = None, words: Words | None = None) -> Any:
    """The mean best outcome for every budget, with its interval (figure 4b)."""
    words = words or Words()
    ax = _lines(summary.frontier, ax)
    ax.set_ylabel(f"mean expected {words.outcome}")
    return ax


def explanation_counts(summary: CohortSummary, ax: Any = None) -> Any:
    """The mean number of explanations for every budget (figure 4c): distinct ones in so many
    samples, as the paper counts them, where that was asked for; else how many cover 99 %."""
    if not (summary.unique or summary.explanations):
        raise InvalidQuestion(
            "explanations were not counted in this study; run it with a larger depth="
        )
    ax = _lines(summary.unique or summary.explanations, ax)
    if summary.unique:
        ax.set_ylabel(f"unique explanations in {summary.draws:,} samples")
        return ax
    ax.set_ylabel(f"explanations that cover {summary.coverage:.0%}")
    if max(point.upper for point in summary.explanations) > FEW:
        ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    stopped = [point for point in summary.explanations if point.censored]
    if stopped:
        ax.plot(
            [point.k for point in stopped], [point.mean for point in stopped], linestyle="",
            marker="^", markersize=7, color=VERMILION, label="at least: counting stopped", zorder=3,
        )  # fmt: skip
        _legend(ax)
    return ax


def relative_gains(
    summary: CohortSummary, k: int, ax: Any = None, words: Words | None = None, top: float = 0.0
) -> Any:
    """How the relative gain is distributed over episodes at one budget (figures 4a and 7). `top`
    is where the axis ends, if beyond the largest gain."""
    words = words or Words()
    ax = ax if ax is not None else pyplot().subplots(figsize=(4.2, 3.0), layout="constrained")[1]
    chosen = [gains for gains in summary.relative if gains.k == k]
    if not chosen:
        raise InvalidQuestion(f"the summary has no budget {k}")
    edges = np.linspace(0, max(top, *(_largest(g.values) for g in chosen), 0.01), BARS + 1)
    for place, gains in enumerate(chosen):
        share = np.full(gains.values.size, 1 / max(gains.values.size, 1))
        filled = len(chosen) == 1
        ax.hist(
            np.clip(gains.values, 0, None), bins=edges, weights=share, color=_colour(place),
            histtype="bar" if filled else "step", alpha=0.75 if filled else 1.0,
            rwidth=0.92 if filled else None, linewidth=0 if filled else 1.6,
            label=_called(gains.group),
        )  # fmt: skip
    ax.set_title(f"k = {k}", fontsize="medium", color=INK, loc="right")
    ax.set_xlabel(f"gain relative to the observed {words.outcome}")
    ax.set_ylabel("share of episodes")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    if len(chosen) > 1:
        _legend(ax)
    return clean(ax)


def recurring_steps(
    summary: CohortSummary, k: int, ax: Any = None, words: Words | None = None
) -> Any:
    """How often each step is changed, on average over the episodes that have it."""
    words = words or Words()
    if not summary.steps:
        raise InvalidQuestion(
            "policies were not looked at in this study; run it with a larger depth="
        )
    ax = ax if ax is not None else pyplot().subplots(figsize=(5.2, 3.0), layout="constrained")[1]
    groups = dict.fromkeys(point.group for point in summary.steps)
    width = 0.84 / len(groups)
    for place, group in enumerate(groups):
        points = [p for p in summary.steps if p.group == group and p.k == k]
        left = [p.step + words.first_step + (place - (len(groups) - 1) / 2) * width for p in points]
        ax.bar(
            left, [p.changed for p in points], width=width, color=_colour(place), linewidth=0,
            label=_called(group),
        )  # fmt: skip
    ax.set_xlabel(words.step)
    ax.set_ylabel("mean probability of a change")
    ax.xaxis.get_major_locator().set_params(integer=True)
    if len(groups) > 1:
        _legend(ax)
    return clean(ax)


def page(summary: CohortSummary, k: int | None = None, words: Words | None = None) -> Any:
    """The paper's figure 4: gains at one budget (3 if there is one), the frontier, and counts."""
    largest = max(point.k for point in summary.frontier)
    k = min(3, largest) if k is None else k
    counted = bool(summary.unique or summary.explanations)
    panels = 3 if counted else 2
    figure, axes = pyplot().subplots(1, panels, figsize=(4.3 * panels, 3.4), layout="constrained")
    relative_gains(summary, k, axes[0], words)
    mean_frontier(summary, axes[1], words)
    if counted:
        explanation_counts(summary, axes[2])
    return figure


def gains_by_budget(
    summary: CohortSummary, budgets: Sequence[int] = (1, 2, 5), words: Words | None = None
) -> Any:
    """The paper's figure 7: gains at several budgets, on one scale."""
    held = {gains.k for gains in summary.relative}
    shown = [k for k in budgets if k in held]
    if not shown:
        raise InvalidQuestion(f"the summary has the budgets {sorted(held)}; {list(budgets)} came")
    figure, axes = pyplot().subplots(
        1, len(shown), figsize=(3.8 * len(shown), 3.0), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    top = max(_largest(gains.values) for gains in summary.relative if gains.k in shown)
    for ax, k in zip(axes[0], shown, strict=True):
        relative_gains(summary, k, ax, words, top)
    for ax in axes[0][1:]:
        ax.set_ylabel("")
    return figure


def _lines(points: Sequence[MeanAt] | Sequence[CountAt], ax: Any) -> Any:
    """A line for each group, with its interval."""
    ax = ax if ax is not None else pyplot().subplots(figsize=(4.6, 3.2), layout="constrained")[1]
    groups = dict.fromkeys(point.group for point in points)
    for place, group in enumerate(groups):
        mine = [point for point in points if point.group == group]
        budgets = [point.k for point in mine]
        ax.fill_between(
            budgets, [p.lower for p in mine], [p.upper for p in mine], color=_colour(place),
            alpha=0.2, linewidth=0,
        )  # fmt: skip
        ax.plot(
            budgets, [p.mean for p in mine], color=_colour(place), marker="o", markersize=4,
            linewidth=1.8, linestyle="--" if place >= len(COLOURS) else "-",
            label=_called(group),
        )  # fmt: skip
    largest = max(point.k for point in points)
    ax.set_xticks(range(0, largest + 1, max(1, -(-largest // 10))))
    ax.set_xlabel("changed actions, at most")
    if len(groups) > 1:
        _legend(ax)
    return clean(ax)


def _legend(ax: Any) -> None:
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, fontsize="small")


def _called(group: Label) -> str | None:
    return None if group is None else named(group)


def _largest(values: np.ndarray) -> float:
    return float(values.max()) if values.size else 0.0


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]
