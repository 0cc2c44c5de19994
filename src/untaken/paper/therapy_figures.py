"""Figures 4, 6 and 7 of the paper, drawn from their data."""

from __future__ import annotations

from typing import Any

import numpy as np

from untaken.paper.published_values import (
    BASELINES,
    NOTABLE,
    SHARE_BUDGET,
    SHARE_GAINING,
    THERAPY_COUNTS,
    THERAPY_OUTCOMES,
)
from untaken.paper.sections import Table, table
from untaken.paper.style import (
    BLUE,
    GREY,
    INK,
    SERIES,
    STYLES,
    VERMILION,
    band,
    letter,
    sheet,
    simulated,
)
from untaken.paper.therapy import MODES, MOST_CHANGES, Answers, Compared

SHOWN_BUDGETS = (1, 2, 3, 5)


def gain_table(answers: tuple[Answers, ...], made_up: bool) -> Table:
    """Relative gains of all patients, for each mode."""
    rows = [
        (one.mode.name, p, k, one.gains[p, k], made_up)
        for one in answers
        for k in SHOWN_BUDGETS
        for p in range(len(one.gains))
    ]
    return table(("mode", "patient", "k", "gain_percent", "simulated"), rows)


def gain_histograms(data: Table) -> Any:
    """How much each patient would have gained, for four budgets: the first mode filled, that of
    the published code outlined."""
    figure, axes = sheet(2.5, columns=len(SHOWN_BUDGETS), sharey=True, sharex=True)
    ours, code = MODES[0].name, MODES[-1].name
    widest = max(float(gain or 0) for gain in data.column("gain_percent"))
    edges = np.arange(0, widest + NOTABLE, NOTABLE)
    for ax, k, name in zip(axes[0], SHOWN_BUDGETS, "abcd", strict=True):
        shown, theirs = _gains(data, ours, k), _gains(data, code, k)
        ax.hist(shown, edges, color=BLUE, alpha=0.8, linewidth=0, label=ours)
        ax.hist(theirs, edges, histtype="step", color=INK, linewidth=0.8, label=code)
        ax.axvline(NOTABLE, color=VERMILION, linestyle="--", linewidth=1.0)
        ax.annotate(
            _notable(shown, k), (0.97, 0.97), xycoords="axes fraction", ha="right", va="top",
            fontsize=7, color=VERMILION,
        )  # fmt: skip
        letter(ax, name)
        ax.set_title(f"k = {k}")
    axes[0, 0].set_ylabel("patients")
    figure.supxlabel("relative gain (%)", fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2)
    simulated(figure, bool(data.column("simulated")[0]))
    return figure


def _gains(data: Table, mode: str, k: int) -> np.ndarray:
    gains = [row[3] for row in data.rows if (row[0], row[2]) == (mode, k)]
    return np.array(gains, dtype=np.float64)


def _notable(gains: np.ndarray, k: int) -> str:
    """How many gain much, beside the published share where there is one."""
    share = 100 * (gains >= NOTABLE).mean()
    told = f"{share:.0f} % gain\n{NOTABLE} % or more"
    return f"{told}\n(published: {SHARE_GAINING:.0f} %)" if k == SHARE_BUDGET else told


def outcome_table(answers: tuple[Answers, ...], made_up: bool) -> Table:
    """Mean outcomes against k, for each mode."""
    rows = []
    for one in answers:
        for k in range(MOST_CHANGES + 1):
            mean = one.mean(k)
            rows.append((one.mode.name, k, mean.value, mean.lower, mean.upper, made_up))
    return table(("mode", "k", "mean", "lower95", "upper95", "simulated"), rows)


def count_table(answers: tuple[Answers, ...], made_up: bool) -> Table:
    """Mean numbers of distinct explanations against k, for each mode."""
    rows = []
    for one in answers:
        for place, k in enumerate(one.counted):
            mean, ends = one.count(k), one.counts[:, place].mean(axis=0)
            rows.append((one.mode.name, k, mean.value, mean.lower, mean.upper, made_up, *ends))
    columns = ("mode", "k", "mean", "lower95", "upper95", "simulated", "at_least", "at_most")
    return table(columns, rows)


def outcomes_against_budget(data: Table) -> Any:
    """The mean outcome of the patients against k."""
    figure, ax = _against_budget(data, "mean counterfactual outcome")
    ax.plot([point.at for point in THERAPY_OUTCOMES], [point.value for point in THERAPY_OUTCOMES],
            "o", mfc="white", mec=INK, clip_on=False, zorder=5, label="published")  # fmt: skip
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)
    return figure


def explanations_against_budget(data: Table) -> Any:
    """How many distinct explanations 1,000 draws hold, against k."""
    figure, ax = _against_budget(data, "explanations among 1,000 draws")
    ax.plot([point.at for point in THERAPY_COUNTS], [point.value for point in THERAPY_COUNTS],
            "o", mfc="white", mec=INK, clip_on=False, zorder=5, label="published")  # fmt: skip
    ax.set_ylim(0)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)
    return figure


def _against_budget(data: Table, label: str) -> tuple[Any, Any]:
    """A line for each mode, with its interval. Modes that lie on each other stay visible."""
    figure, axes = sheet(3.1, width=4.8)
    ax = axes[0, 0]
    modes = list(dict.fromkeys(data.column("mode")))
    for mode, colour, style, width in zip(
        modes, SERIES, ("-", "--", "-"), (2.4, 1.1, 1.3), strict=False
    ):
        k, mean, lower, upper = _lines(data, mode)
        ax.plot(k, mean, style, color=colour, linewidth=width, label=mode)
        if style == "-":
            band(ax, k, lower, upper, colour)
    ax.set_xlim(0, MOST_CHANGES)
    ax.set_xlabel("changed themes at most, k")
    ax.set_ylabel(label)
    simulated(figure, bool(data.column("simulated")[0]))
    return figure, ax


def _lines(data: Table, name: Any) -> np.ndarray:
    rows = [row[1:5] for row in data.rows if row[0] == name]
    return np.array(rows, dtype=np.float64).T


def baseline_table(compared: tuple[Compared, ...], made_up: bool) -> Table:
    """Mean outcomes of all policies against k."""
    rows = []
    for policy in compared:
        for k in range(MOST_CHANGES + 1):
            mean = policy.mean(k)
            rows.append((policy.policy, k, mean.value, mean.lower, mean.upper, made_up))
    return table(("policy", "k", "mean", "lower95", "upper95", "simulated"), rows)


def baselines_against_budget(data: Table) -> Any:
    """The optimum and the baselines against k."""
    figure, axes = sheet(3.1, width=4.8)
    ax = axes[0, 0]
    read_off = {baseline.policy: baseline.value for baseline in BASELINES}
    shown = [name for name in dict.fromkeys(data.column("policy")) if name in read_off]
    for name, colour, style in zip(shown, SERIES, STYLES, strict=False):
        k, mean, lower, upper = _lines(data, name)
        ax.plot(k, mean, style, color=colour, label=str(name))
        band(ax, k, lower, upper, colour, 0.09)
        ax.plot(MOST_CHANGES, read_off[str(name)], "o", mfc="white", mec=colour, clip_on=False,
                zorder=5)  # fmt: skip
    ax.plot([], [], "o", mfc="white", mec=GREY, label="published")
    ax.set_xlim(0, MOST_CHANGES)
    ax.set_xlabel("changed themes at most, k")
    ax.set_ylabel("mean counterfactual outcome")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5, columnspacing=1.0,
              handlelength=2.2)  # fmt: skip
    simulated(figure, bool(data.column("simulated")[0]))
    return figure
