"""Figures of one account. Each takes an `ax` and gives it back; `page` puts them together.

The figure of how sure an answer is and those of a cohort, which take the summary of a study, have
files of their own, and are here too.

>>> import untaken as ut
>>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
>>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
>>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
>>> account = ut.explain(episode, mdp, k=2).account()
>>> ax = ut.plots.frontier(account, words=ut.Words(outcome="days in health"))
>>> ax.get_ylabel(), ax.lines[0].get_ydata().round(2).tolist()
('expected days in health', [0.0, 0.99, 1.3])
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from untaken.analysis.account import Account
from untaken.present.certainty import certainty
from untaken.present.cohort_plots import (
    explanation_counts,
    gains_by_budget,
    mean_frontier,
    recurring_steps,
    relative_gains,
)
from untaken.present.drawn import bars, states_that_occur
from untaken.present.style import BLUE, GREY, INK, VERMILION, axes, clean, pyplot
from untaken.present.words import Words, named, number, numbers, share, signed

__all__ = [
    "certainty",
    "explanation_counts",
    "explanation_table",
    "fan",
    "frontier",
    "gains_by_budget",
    "mean_frontier",
    "outcome_law",
    "page",
    "recurring_steps",
    "relative_gains",
    "timeline",
]

STATES = "cividis_r"  # later states are darker, as in the paper
CHANGES = "Blues"
ROWS_SHOWN = 8


def outcome_law(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """How the counterfactual outcome is distributed, with what was observed and the mean."""
    words = words or Words()
    ax = ax if ax is not None else axes(5.2, 3.2)
    drawn = bars(account.outcomes, account.probabilities)
    ax.bar(
        drawn.middles, drawn.heights, width=drawn.width * 0.92, color=BLUE, alpha=0.75, linewidth=0
    )
    lines = [
        (account.observed.outcome, VERMILION, "--", "observed"),
        (account.outcome, INK, "-", "mean"),
    ]
    for value, colour, style, name in lines:
        ax.axvline(
            value, color=colour, linestyle=style, linewidth=1.5, label=f"{name} {number(value)}"
        )
    ax.set_xlabel(words.outcome)
    ax.set_ylabel("probability")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, fontsize="small")
    return clean(ax)


def frontier(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """The best expected outcome for every budget, and what each further change adds."""
    words = words or Words()
    ax = ax if ax is not None else axes(5.2, 3.2)
    values = np.array(account.frontier)
    budgets = np.arange(len(values))
    ax.plot(budgets, values, color=BLUE, marker="o", markersize=5, linewidth=1.8, clip_on=False)
    ax.axhline(values[0], color=VERMILION, linestyle="--", linewidth=1.2)
    ax.annotate(
        "observed", (budgets[-1], values[0]), (0, 4), textcoords="offset points", ha="right",
        color=VERMILION, fontsize="small",
    )  # fmt: skip
    down = account.minimise
    gains = np.diff(values, prepend=values[0])
    for budget in np.flatnonzero(np.abs(gains) > 1e-9) if len(budgets) <= 12 else []:
        ax.annotate(
            signed(gains[budget]), (budget, values[budget]),
            (0, -9 if down else 7), textcoords="offset points", ha="center",
            va="top" if down else "bottom", fontsize="small", color=INK,
        )  # fmt: skip
    ax.margins(x=0.06, y=0.22)
    if not gains.any():  # or the axis would magnify nothing
        ax.set_ylim(values[0] - 1, values[0] + 1)
    ax.set_xticks(budgets[:: max(1, len(budgets) // 10)])
    ax.set_xlabel("changed actions, at most")
    ax.set_ylabel(textwrap.fill(f"expected {words.outcome}", 28))
    return clean(ax)


def timeline(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """Three strips over time: how often the action changes, the observed states, and the states of
    the best course that can happen."""
    words = words or Words()
    ax = ax if ax is not None else axes(7.2, 2.4)
    steps = len(account.observed.actions)
    _strip(ax, 2, account.changed, CHANGES, 1.0)
    for step, chance in enumerate(account.changed):
        if chance >= 0.005 and steps <= 32:
            colour = "white" if chance > 0.55 else INK
            text = share(chance).rstrip("%")
            ax.text(step, 2, text, ha="center", va="center", fontsize="x-small", color=colour)
    order = {name: code for code, name in enumerate(account.state_names)}
    top = max(len(order) - 1, 1)
    short = max(len(named(name)) for name in order) <= 5
    for row, course in ((1, account.observed), (0, account.best)):
        codes = [order[state] for state in course.states]
        _strip(ax, row, codes, STATES, top)
        if short and steps <= 32:
            for step, code in enumerate(codes):
                text = named(account.state_names[code])
                colour = "white" if code / top > 0.45 else INK
                ax.text(step, row, text, ha="center", va="center", fontsize="x-small", color=colour)
    if not short:
        _state_key(ax, account, top)
    ax.set_yticks(
        [2, 1, 0], ["changed (%)", "observed", f"best ({share(account.best.probability)})"]
    )
    shown = np.arange(0, steps, max(1, steps // 12))
    ax.set_xticks(shown, [str(step + words.first_step) for step in shown])
    ax.set_xlim(-0.5, len(account.observed.states) - 0.5)
    ax.set_ylim(-0.5, 2.5)
    ax.set_xlabel(words.step)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def fan(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """How probable each counterfactual state is over time, with the observed course over it."""
    words = words or Words()
    ax = ax if ax is not None else axes(7.2, 3.2)
    chances = np.array(account.state_chances)
    shown = states_that_occur(account, chances)
    norm = _faint_visible()
    image = ax.imshow(
        chances[:, shown].T, aspect="auto", origin="lower", cmap=CHANGES, norm=norm,
        interpolation="nearest",
    )  # fmt: skip
    row = {account.state_names[code]: place for place, code in enumerate(shown)}
    for course, colour, style, name in (
        (account.observed, VERMILION, "--", "observed"),
        (account.best, INK, ":", "best that can happen"),
    ):
        ax.plot(
            [row[state] for state in course.states], color=colour, linestyle=style, marker="o",
            markersize=3.5, linewidth=1.4, label=name, path_effects=_on_white(),
        )  # fmt: skip
    every = -(-len(shown) // 12)
    places = np.arange(0, len(shown), every)
    ax.set_yticks(places, [_ends(named(account.state_names[shown[place]]), 20) for place in places])
    ax.set_xlabel(words.step)
    steps = np.arange(0, len(chances), max(1, len(chances) // 12))
    ax.set_xticks(steps, [str(step + words.first_step) for step in steps])
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False, fontsize="small")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.015, fraction=0.04)
    bar.set_label("probability", fontsize="small")
    bar.outline.set_visible(False)
    return ax


def explanation_table(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """The most probable explanations, one a row: a column for each step that any of them
    changes, and the alternative written where it is changed."""
    words = words or Words()
    items = account.explanations[:ROWS_SHOWN]
    steps = sorted({change.step for item in items for change in item.changes})
    width = 3.4 + 0.8 * len(steps)
    if ax is None:
        ax = axes(max(5.0, width), 0.9 + 0.34 * len(items))
    ax.set_axis_off()
    heads = ["probability", "mean", "forced"]
    columns = (
        [share(item.probability) for item in items],
        numbers(item.mean_outcome for item in items),
        numbers(item.forced_outcome for item in items),
    )
    edges = np.concatenate([[0], np.cumsum([1.35, 1.0, 1.0] + [1.0] * max(len(steps), 1))])
    centres = (edges[:-1] + edges[1:]) / 2
    ax.set_xlim(0, edges[-1])
    ax.set_ylim(len(items) - 0.5, -2.2)
    longest = max((len(named(c.alternative)) for i in items for c in i.changes), default=1)
    room = 13 if len(steps) <= 6 else 10 if len(steps) <= 8 else 8
    size, letters = (8, 8) if longest <= 8 and len(steps) <= 8 else (6, room)
    for x, name in zip(centres, heads, strict=False):
        ax.text(x, -0.95, name, ha="center", va="center", fontsize=8, color=GREY)
    for x, step in zip(centres[3:], steps, strict=False):
        ax.text(x, -1.8, words.at(step), ha="center", va="center", fontsize=7, color=GREY)
        done = _fitted(account.observed.actions[step], letters)
        ax.text(x, -0.95, done, ha="center", va="center", fontsize=size, color=VERMILION)
    for row, item in enumerate(items):
        for x, cell in zip(centres, (column[row] for column in columns), strict=False):
            ax.text(x, row, cell, ha="center", va="center", fontsize=8, color=INK)
        changed = {change.step: change.alternative for change in item.changes}
        for place, step in enumerate(steps):
            left = edges[3 + place]
            face = BLUE if step in changed else "#EEF0F3"
            ax.add_patch(
                pyplot().Rectangle((left + 0.04, row - 0.42), 0.92, 0.84, color=face, linewidth=0)
            )
            if step in changed:
                text = _fitted(changed[step], letters)
                x = centres[3 + place]
                ax.text(x, row, text, ha="center", va="center", fontsize=size, color="white")
        if not item.changes and not steps:
            ax.text(centres[3], row, "no change", ha="center", va="center", fontsize=8, color=INK)
    return ax


def page(account: Account, words: Words | None = None) -> Any:
    """All of them on one page."""
    words = words or Words()
    plt = pyplot()
    rows = min(len(account.explanations), ROWS_SHOWN)
    tall = 8.4 + 0.2 * rows + (2.5 if account.certainty else 0.0)
    figure = plt.figure(figsize=(10, tall), layout="constrained")
    heights = [1.5, 1.0, 1.7, 0.5 + 0.2 * rows, *([1.4] if account.certainty else [])]
    grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
    outcome_law(account, figure.add_subplot(grid[0, 0]), words)
    frontier(account, figure.add_subplot(grid[0, 1]), words)
    timeline(account, figure.add_subplot(grid[1, :]), words)
    fan(account, figure.add_subplot(grid[2, :]), words)
    explanation_table(account, figure.add_subplot(grid[3, :]), words)
    if account.certainty:
        certainty(account, figure.add_subplot(grid[4, :]), words)
    who = "One episode" if account.id is None else named(account.id)
    figure.suptitle(
        f"{who}: observed {number(account.observed.outcome)}, expected {number(account.outcome)} "
        f"with at most {account.k} change{'s' if account.k != 1 else ''}",
        x=0.01, ha="left", fontsize=12,
    )  # fmt: skip
    return figure


def _strip(ax: Any, row: int, values: Any, colours: str, top: float) -> None:
    extent = (-0.5, len(values) - 0.5, row - 0.42, row + 0.42)
    ax.imshow(
        np.array([values], dtype=float), aspect="auto", cmap=colours, vmin=0, vmax=top,
        extent=extent, interpolation="nearest",
    )  # fmt: skip


def _state_key(ax: Any, account: Account, top: int) -> None:
    """Which colour is which state, where there is no room to write it into the strips."""
    if len(account.state_names) > 8:
        return
    plt = pyplot()
    scale = plt.get_cmap(STATES)
    patches = [
        plt.Rectangle((0, 0), 1, 1, color=scale(code / top), label=_ends(named(name), 24))
        for code, name in enumerate(account.state_names)
    ]
    ax.legend(
        handles=patches, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=min(len(patches), 4),
        frameon=False, fontsize="x-small", handlelength=1, columnspacing=1.2,
    )  # fmt: skip


def _faint_visible() -> Any:
    """A colour scale for probabilities on which rare states do not vanish."""
    from matplotlib.colors import PowerNorm

    return PowerNorm(0.55, vmin=0, vmax=1)


def _on_white() -> list[Any]:
    """A thin white edge, so that a line is seen on dark cells too."""
    from matplotlib.patheffects import Normal, Stroke

    return [Stroke(linewidth=3, foreground="white"), Normal()]


def _fitted(label: Any, letters: int) -> str:
    """A label on at most two lines; a line that is too long keeps its two ends."""
    text = named(label)
    if len(text) <= letters:
        return text
    first, *rest = textwrap.wrap(text, letters, break_long_words=False)
    return "\n".join(_ends(line, letters) for line in (first, " ".join(rest)) if line)


def _ends(text: str, letters: int) -> str:
    """A text that is too long, with its middle left out."""
    tail = (letters - 1) // 2
    return text if len(text) <= letters else f"{text[: letters - 1 - tail]}…{text[-tail:]}"
