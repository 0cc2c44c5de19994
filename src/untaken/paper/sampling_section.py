"""Monte Carlo against exact, as a page shows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from untaken.kernels.layout import Floats
from untaken.paper.findings import Claim
from untaken.paper.processes import ALPHAS, COURSES, PROCESSES
from untaken.paper.published_noise import PublishedNoise
from untaken.paper.published_values import SECONDS_A_SWEEP, SECONDS_AN_EPISODE
from untaken.paper.sampling import (
    ALPHA,
    CHANGES,
    Error,
    Timing,
    Trial,
    errors,
    timings,
    trials,
)
from untaken.paper.sections import Panel, Section, Table, table
from untaken.paper.settings import Settings
from untaken.paper.style import BLUE, GREY, INK, VERMILION, letter, sheet
from untaken.paper.synthetic_section import EITHER

NAME = "sampling"
CITED = (
    Timing("sampled, the authors' procedure, one core", SECONDS_A_SWEEP, False),
    Timing("sampled, as the paper reports it (noise only)", SECONDS_AN_EPISODE, False),
)
SWEEPS = PROCESSES * COURSES * len(ALPHAS)


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    tried = trials(settings)
    found = errors(tried)
    times = timings(settings, CITED)
    return Section(
        name=NAME,
        title="Monte Carlo against exact (beyond the paper)",
        text=(
            f"The optimum with k = {CHANGES} on {_several(tried)} episodes of a published process "
            f"with alpha = {ALPHA}, from rows that are estimated from d draws, and exactly. An "
            "optimum that is chosen on noisy estimates takes what happens to look good: it "
            "promises more than there is, and its policy attains less than could be had.",
            "How the bias is measured. On the same estimated rows the policy of the exact optimum "
            "is worth the exact optimum on average, because every step has draws of its own. What "
            "the estimated optimum promises beyond that policy therefore has the bias as its mean, "
            "and little of the luck of single estimates; it can never be negative.",
            _published(tried, found),
            _arithmetic(times),
        ),
        panels=(_error_panel(found), _time_panel(times)),
        claims=(_optimism(found),),
    )


def _several(tried: tuple[Trial, ...]) -> int:
    return len({trial.course for trial in tried})


def _published(tried: tuple[Trial, ...], found: tuple[Error, ...]) -> str:
    shifts = [trial.claimed - trial.exact for trial in tried if trial.published_noise]
    told = ", ".join(f"{shift:+.2f}" for shift in shifts)
    paper = next(error for error in found if error.draws == PublishedNoise().d)
    return (
        f"With the paper's d = {paper.draws:,}, drawn afresh at each step, one answer is off by "
        f"{paper.spread:.2f} (standard deviation; {paper.answers} answers), and too much is "
        f"promised by {paper.bias:.3f} ± {paper.bias_error:.3f} on average: there, luck outweighs "
        "bias. The published code draws the same 1,000 numbers at every step and for every "
        f"episode, so that its error averages out neither over steps nor over episodes: {told} on "
        "these."
    )


def _arithmetic(times: tuple[Timing, ...]) -> str:
    exact = times[0].seconds
    return (
        f"The synthetic part of the paper is {PROCESSES} processes x {COURSES} episodes x "
        f"{len(ALPHAS)} levels of uncertainty = {SWEEPS:,} sweeps over all budgets. At "
        f"{SECONDS_A_SWEEP:g} s a sweep (the authors' procedure, measured on one core of the "
        f"machine on which this project is developed) that is {_hours(SECONDS_A_SWEEP)} hours; at "
        f"the {SECONDS_AN_EPISODE:g} s that the paper reports, {_hours(SECONDS_AN_EPISODE)} hours. "
        f"At {1000 * exact:.2f} ms, measured in this run, it is {SWEEPS * exact:.0f} s: "
        f"{SECONDS_A_SWEEP / exact:,.0f} times less than the former."
    )


def _hours(seconds: float) -> str:
    return f"{SWEEPS * seconds / 3600:.1f}"


def _optimism(found: tuple[Error, ...]) -> Claim:
    first, last = found[0], found[-1]
    return Claim(
        "(Ours) The optimum on noisy estimates is optimistic, the more so the fewer draws.",
        f"With d = {first.draws:,} it promises {first.bias:.2f} ± {first.bias_error:.2f} too much "
        f"and attains {-first.shortfall:.2f} too little; with d = {last.draws:,}, {last.bias:.3f} "
        f"± {last.bias_error:.3f} too much and {-last.shortfall:.3f} too little.",
        first.bias > first.bias_error and last.bias < first.bias,
        NAME,
    )


def _error_panel(found: tuple[Error, ...]) -> Panel:
    columns = ("draws", "bias", "bias_error95", "shortfall", "shortfall_error95", "spread",
               "spread_error95", "answers")  # fmt: skip
    rows = [
        (e.draws, e.bias, e.bias_error, e.shortfall, e.shortfall_error, e.spread, e.spread_error,
         e.answers)
        for e in found
    ]  # fmt: skip
    return Panel(
        "sampling_errors",
        "What d draws get wrong",
        "(a) By how much the optimum on estimated rows promises too much, and by how much its "
        "policy attains less than the exact optimum, on average, with 95 % intervals. (b) The "
        "spread of what it promises from estimate to estimate, with 95 % intervals. The bias "
        "falls about as 1/d, the spread as 1/√d: many draws leave luck rather than bias.",
        draw_errors,
        table(columns, rows),
        EITHER,
    )


def draw_errors(data: Table) -> Any:
    """Bias and spread against the number of draws."""
    figure, axes = sheet(2.5, columns=2)
    draws, bias, error, shortfall, loss_error, spread, spread_error = np.array(
        [row[:7] for row in data.rows], dtype=np.float64
    ).T
    ax = axes[0, 0]
    for mean, half, colour, name, mark, aside in (
        (bias, error, VERMILION, "promised too much", "o-", 0.96),
        (-shortfall, loss_error, BLUE, "attained too little", "s--", 1.04),
    ):
        _with_errors(ax, aside * draws, mean, half, mark, colour, name)
    ax.set_ylabel("mean error of the outcome")
    ax.legend(loc="upper right")
    ax = axes[0, 1]
    _with_errors(ax, draws, spread, spread_error, "o-", INK, "promised")
    ax.plot(draws, spread[0] * np.sqrt(draws[0] / draws), ":", color=GREY, label="as 1/√d")
    ax.set_ylabel("standard deviation of the outcome")
    ax.legend(loc="upper right")
    for ax, name in zip(axes[0], "ab", strict=True):
        ax.set_xscale("log")
        ax.set_yscale("log", nonpositive="mask")
        ax.set_xlabel("draws, d")
        letter(ax, name)
    return figure


def _with_errors(
    ax: Any, x: Floats, mean: Floats, half: Floats, mark: str, colour: Any, name: str
) -> None:
    """A line with intervals, as a logarithmic axis can show them: those that reach zero go down
    to a tenth of the mean."""
    below = np.minimum(half, 0.9 * mean)
    ax.errorbar(
        x, mean, (np.maximum(below, 0), half), fmt=mark, color=colour, elinewidth=0.8, capsize=2,
        label=name,
    )  # fmt: skip


def _time_panel(times: tuple[Timing, ...]) -> Panel:
    return Panel(
        "sampling_times",
        "Time per episode, all budgets",
        "Processor seconds on a logarithmic scale. Filled: measured in this run. Rings: the "
        "authors' procedure as it was measured on one core of the machine on which this project "
        "is developed, and as the paper reports it.",
        draw_times,
        table(
            ("route", "seconds", "measured_here"), [(t.route, t.seconds, t.measured) for t in times]
        ),
        EITHER,
    )


def draw_times(data: Table) -> Any:
    """A point for each route."""
    figure, axes = sheet(1.7)
    ax = axes[0, 0]
    for place, (_, seconds, measured) in enumerate(data.rows):
        number = float(seconds or 0)
        colour = BLUE if place == 0 else INK
        ax.axhline(place, color=GREY, linewidth=0.4, zorder=0)
        ax.plot(number, place, "o", color=colour, mfc=colour if measured else "white",
                markersize=6)  # fmt: skip
        told = f"{1000 * number:.3g} ms" if number < 1 else f"{number:.3g} s"
        ax.annotate(told, (number, place), (7, 3), textcoords="offset points", va="bottom",
                    fontsize=7, color=colour)  # fmt: skip
    ax.set_yticks(range(len(data.rows)), [str(row[0]) for row in data.rows])
    ax.set_ylim(len(data.rows) - 0.5, -0.8)
    ax.set_xscale("log")
    ax.set_xlim(1e-4, 400)
    ax.set_xlabel("seconds")
    ax.tick_params(axis="y", length=0)
    return figure
