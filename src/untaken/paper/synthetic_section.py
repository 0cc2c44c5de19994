"""Section 4 of the paper as a page shows it: panels, published numbers, claims."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from untaken.paper import synthetic_figures as figures
from untaken.paper.findings import Finding
from untaken.paper.processes import COURSES, PROCESSES
from untaken.paper.published_values import (
    COUNT_ERROR,
    GAIN_ERROR,
    OUTCOME_ERROR,
    SYNTHETIC_COUNTS,
    SYNTHETIC_GAINS,
    SYNTHETIC_OUTCOMES,
    Published,
)
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings
from untaken.paper.spread import Mean, mean_of, own_luck, shared_luck
from untaken.paper.synthetic import MOST_CHANGES, NOISE_ALPHAS, Count, NoiseShift, Synthetic, run
from untaken.paper.synthetic_claims import NAME, claims

SAME = "the published processes"
OTHER = "ten fresh processes"
UNEXPLAINED = "not known; neither reading nor what is measured here explains it"
CHANCE = "one in twenty such ranges is missed by chance"
ESTIMATED = "the published rows are estimated, from the same 1,000 draws at every step"
REWARDS = "being in state s pays s, whatever is done (R(s, a) = s; no pair is ruled out)"
EITHER = f"{REWARDS}; ties to the observed action. The published rule gives the same values."


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    results = run(settings)
    return Section(
        name=NAME,
        title="Synthetic processes (section 4)",
        text=_text(results),
        panels=_panels(results),
        claims=claims(results),
    )


def _text(results: Synthetic) -> tuple[str, ...]:
    return (
        f"{PROCESSES} processes of 20 states and 10 actions, {COURSES} episodes of 20 steps each; "
        "being in state s pays s (the text's R(s, a) = s), every value exact. The published code "
        "names its seeds, so that its ten processes and 500 episodes are made again here, number "
        "for number; beside them stand ten fresh processes with episodes of their own. Bands are "
        "95 % intervals of the mean with the process as the unit, since episodes of one process "
        "are alike.",
        "How agreement is judged on the published processes. Nothing is random there, so that ours "
        "may differ only by what reading the figure leaves open: a hundredth of its axis, and the "
        "rounding. Where the noise of the published rows is measured on some episodes, the error "
        "of that measurement is added.",
        "How agreement is judged on ten fresh processes. They may differ by more, for two reasons. "
        "Processes differ from each other. And episode i starts from the same seed in all ten "
        "published processes: where it is lucky in one, it tends to be lucky in the others, so "
        "that ten times fifty published episodes hold hardly more luck than fifty, and the spread "
        "between processes cannot show it. Both are estimated from the two-way table of processes "
        f"and episodes, and added to the reading error.{_fresh_reach(results)} About one in twenty "
        "such ranges is missed by chance alone; those of the same processes are missed together.",
        "Tie rule: the observed action wins, as in the paper's listing. The published code takes "
        "the first action instead. Frontiers and gains are the same under both; only counts of "
        "explanations can differ, and the table shows both.",
        "Unique explanations come in exact expectation, as brackets of at most "
        "5 % width, over the first "
        f"{results.counted_courses} episodes of each process. The published figure counts 100 "
        "draws from the seeds 1 to 100, the same for every episode, so that their luck does not "
        f"average out; that count is repeated too, over {results.drawn_courses} episodes of each "
        "process.",
        _closest(results),
        _closest_gains(results),
    )


def _fresh_reach(results: Synthetic) -> str:
    """How far ten fresh processes may lie from the published ten, in numbers."""
    alphas = [alpha for alpha in (0.1, 0.5) if alpha in results.alphas]
    told = "; ".join(
        f"{_reach(results, alpha, 'frontiers', 0):.1f} in the mean outcome and "
        f"{_reach(results, alpha, 'gains', MOST_CHANGES):.2f} points in the mean gain at k = "
        f"{MOST_CHANGES} (alpha = {alpha:g}; {_apart(results, alpha):.2f} points if only processes "
        "differed)"
        for alpha in alphas
    )
    return f" In 95 of 100 cases a fresh draw of ten lies within {told}."


def _apart(results: Synthetic, alpha: float) -> float:
    """How far apart two draws of ten would be if the published episodes shared no luck."""
    theirs, others = (
        results.sweep(alpha, fresh).gains[:, :, MOST_CHANGES] for fresh in (False, True)
    )
    return (own_luck(theirs) + own_luck(others)).reach


def _reach(results: Synthetic, alpha: float, values: str, k: int) -> float:
    theirs, others = (
        getattr(results.sweep(alpha, fresh), values)[:, :, k] for fresh in (False, True)
    )
    return (shared_luck(theirs) + own_luck(others)).reach


def _closest(results: Synthetic) -> str:
    """Which way of counting comes closest to the published curve."""
    ways: dict[str, float] = {}
    few = results.counted_courses
    for name, first_action, drawn in (
        ("the published seeds, ties to the first action", True, True),
        ("the published seeds, ties to the observed action", False, True),
        (f"expected over {few} episodes of each, ties to the first action", True, False),
        (f"expected over {few} episodes of each, ties to the observed action", False, False),
    ):
        counted = [
            (point.value, count)
            for point in SYNTHETIC_COUNTS
            for count in _at(results.counts, point.at, point.k)
            if count.first_action_wins == first_action
        ]
        ways[name] = float(
            np.mean([abs(p - (c.drawn if drawn else c.middles).mean()) for p, c in counted])
        )
    told = "; ".join(f"{name}, {off:.2f}" for name, off in sorted(ways.items(), key=lambda w: w[1]))
    return (
        "Which rules the published counts follow: mean distance from the five values read off at "
        f"k = 10, the closest first: {told}. Differences of the last digits cannot be told apart "
        f"where reading alone leaves {COUNT_ERROR:g} open. These counts rest on exact rows, the "
        "published ones on rows estimated from 1,000 draws; the table shows by how much that moves "
        "them on some episodes."
    )


def _closest_gains(results: Synthetic) -> str:
    """Whether the published gains follow the exact rows or the noise of the published code."""
    ours, noisy = [], []
    for point in _in(results, SYNTHETIC_GAINS):
        gain = results.sweep(point.at).gains[:, :, point.k].mean()
        shift = _noise(results, point.at).shifts[:, point.k].mean()
        ours.append(abs(gain - point.value))
        noisy.append(abs(gain + shift - point.value))
    return (
        "Gains likewise: the published code estimates its rows from the same 1,000 draws at every "
        f"step. The mean distance from the {len(ours)} published gains is {np.mean(ours):.2f} "
        f"points for exact rows and {np.mean(noisy):.2f} with that noise, where reading leaves "
        f"{GAIN_ERROR:.2f} open: the published curve lies closer to the "
        f"{'noise' if np.mean(noisy) < np.mean(ours) else 'exact rows'}."
    )


def _panels(results: Synthetic) -> tuple[Panel, ...]:
    return (
        Panel(
            "synthetic_gain_histograms",
            "Relative gain (figure 2)",
            "How much each of the 500 published episodes would have gained with at most k changes, "
            "alpha = 0.4; outlined, the episodes of ten fresh processes. Dashed: the mean of the "
            "published ones.",
            figures.gain_histograms,
            figures.gain_table(results),
            EITHER,
        ),
        Panel(
            "synthetic_outcomes",
            "Outcome against budget (figure 3a)",
            "Mean outcome of the best policies with at most k changes on the published processes, "
            "for several alpha, with 95 % intervals over processes. Rings: read off the published "
            "figure.",
            figures.outcomes_against_budget,
            figures.outcome_table(results),
            EITHER,
            tuple(_outcomes(results)),
        ),
        Panel(
            "synthetic_gains",
            "Gain against uncertainty (figure 3b)",
            "Mean relative gain against alpha, with 95 % intervals over processes. Rings: read off "
            "the published figure, with how far ten fresh processes may lie from them in 95 of 100 "
            "cases.",
            figures.gains_against_uncertainty,
            figures.relative_gain_table(results, _allowances(results)),
            EITHER,
            tuple(_gains(results)),
        ),
        Panel(
            "synthetic_explanations",
            "Unique explanations (figure 3c)",
            "Distinct explanations among 100 draws against k: in expectation, with 95 % intervals "
            "over processes, and as the published seeds draw them. Rings: read off the published "
            "figure.",
            figures.explanations_against_budget,
            figures.count_table(results),
            f"{REWARDS}; ties to the observed action in the figure, under both rules in the table.",
            tuple(_counts(results)),
        ),
    )


def _allowances(results: Synthetic) -> dict[tuple[float, int], float]:
    """By how much the mean gain of ten fresh processes may differ, at each published point."""
    return {
        (point.at, point.k): GAIN_ERROR + _reach(results, point.at, "gains", point.k)
        for point in _in(results, SYNTHETIC_GAINS)
    }


def _outcomes(results: Synthetic) -> Iterator[Finding]:
    for point in _in(results, SYNTHETIC_OUTCOMES):
        what = f"mean outcome, k = 0, alpha = {point.at:g}"
        theirs, others = (
            results.sweep(point.at, fresh).frontiers[:, :, 0].mean() for fresh in (False, True)
        )
        yield Finding(what, point.value, theirs, OUTCOME_ERROR, SAME, reason=UNEXPLAINED)
        allowed = OUTCOME_ERROR + _reach(results, point.at, "frontiers", 0)
        yield Finding(what, point.value, others, allowed, OTHER, reason=CHANCE)


def _gains(results: Synthetic) -> Iterator[Finding]:
    fresh_allowed = _allowances(results)
    for point in _in(results, SYNTHETIC_GAINS):
        what = f"mean relative gain, k = {point.k}, alpha = {point.at:g}"
        theirs, others = (
            results.sweep(point.at, fresh).gains[:, :, point.k].mean() for fresh in (False, True)
        )
        shift = mean_of(_noise(results, point.at).shifts[:, point.k])
        yield Finding(
            what, point.value, theirs, GAIN_ERROR, SAME, "%", 2, _noise_moves(shift, "points")
        )
        how = f"{SAME}, {_with_noise(shift)}"
        moved, allowed = theirs + shift.value, _known(GAIN_ERROR, shift)
        yield Finding(what, point.value, moved, allowed, how, "%", 2, UNEXPLAINED)
        allowed = fresh_allowed[point.at, point.k]
        yield Finding(what, point.value, others, allowed, OTHER, "%", 2, CHANCE)


def _noise_moves(shift: Mean, unit: str) -> str:
    """What the noise of the published rows does, as the reason of a difference."""
    if shift.units < 2:
        return ESTIMATED
    return (
        f"{ESTIMATED}, which moves this by {shift.value:+.2f} ± {shift.half_width:.2f} {unit} on "
        f"{shift.units} episodes"
    )


def _with_noise(shift: Mean) -> str:
    return f"with the published noise as it is on {shift.units} episodes"


def _known(reading: float, shift: Mean) -> float | None:
    """What may differ where a shift is added that some episodes tell; one tells nothing."""
    return reading + shift.half_width if shift.units > 1 else None


def _noise(results: Synthetic, alpha: float) -> NoiseShift:
    return next(noise for noise in results.noise if noise.alpha == alpha)


def _counts(results: Synthetic) -> Iterator[Finding]:
    whole = results.drawn_courses == COURSES
    for point in SYNTHETIC_COUNTS:
        what = f"unique explanations, k = {point.k}, alpha = {point.at:g}"
        theirs = _at(results.counts, point.at, point.k)
        noisy = point.at in NOISE_ALPHAS
        shift = mean_of(_noise(results, point.at).counts) if noisy else None
        why = _noise_moves(shift, "explanations") if shift else ESTIMATED
        for count in theirs:
            ties = "first" if count.first_action_wins else "observed"
            how = f"{SAME} and seeds, ties to the {ties} action"
            allowed = COUNT_ERROR if whole else None
            drawn = float(count.drawn.mean())
            yield Finding(what, point.value, drawn, allowed, how, decimals=2, reason=why)
            if count.first_action_wins and shift:
                moved, known = drawn + shift.value, _known(COUNT_ERROR, shift)
                told = f"{how}, {_with_noise(shift)}"
                yield Finding(what, point.value, moved, known if whole else None, told,
                              decimals=2, reason=UNEXPLAINED)  # fmt: skip
        for count in _at(results.fresh_counts, point.at, point.k):
            apart = shared_luck(theirs[0].drawn) + own_luck(count.middles)
            allowed = COUNT_ERROR + (count.upper - count.lower) / 2 + apart.reach
            how = f"{OTHER}, in expectation, ties to the observed action"
            yield Finding(what, point.value, float(count.middles.mean()), allowed, how,
                          decimals=2, reason=CHANCE)  # fmt: skip


def _in(results: Synthetic, points: tuple[Published, ...]) -> list[Published]:
    return [point for point in points if point.at in results.alphas]


def _at(counts: tuple[Count, ...], alpha: float, k: int) -> list[Count]:
    return [count for count in counts if (count.alpha, count.k) == (alpha, k)]
