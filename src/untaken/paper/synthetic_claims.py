"""What section 4 of the paper says in words, put to the test."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from untaken.paper.findings import Claim
from untaken.paper.spread import Mean, mean_of
from untaken.paper.synthetic import MOST_CHANGES, Sweep, Synthetic
from untaken.paper.synthetic_figures import HISTOGRAM_ALPHA, SHOWN_BUDGETS

NAME = "synthetic"
UNCERTAIN = 0.5
NOTHING = 1e-9
"""Per cent; gains below it are rounding."""


def claims(results: Synthetic) -> tuple[Claim, ...]:
    """The section's statements, each with what is found."""
    return (_positive(results), _with_budget(results), _with_alpha(results), _many(results))


def _positive(results: Synthetic) -> Claim:
    gains = results.sweep(HISTOGRAM_ALPHA).gains[:, :, SHOWN_BUDGETS]
    never = (gains <= NOTHING).mean(axis=(0, 1))
    told = ", ".join(
        f"{share:.1%} (k = {k})" for k, share in zip(SHOWN_BUDGETS, never, strict=True)
    )
    return Claim(
        "The relative difference is always positive.",
        f"At alpha = {HISTOGRAM_ALPHA:g} it is never negative; where the observed actions cannot "
        f"be bettered it is zero: for {told} of the episodes.",
        bool((gains > NOTHING).all()),
        NAME,
    )


def _with_budget(results: Synthetic) -> Claim:
    means = results.sweep(HISTOGRAM_ALPHA).gains.mean(axis=(0, 1))
    told = ", ".join(f"{means[k]:.2f} % (k = {k})" for k in SHOWN_BUDGETS)
    return Claim(
        "The improvement grows with k.",
        f"Mean gains at alpha = {HISTOGRAM_ALPHA:g}: {told}.",
        bool((np.diff(means) > 0).all()),
        NAME,
    )


def _with_alpha(results: Synthetic) -> Claim:
    sweeps = results.published
    first, last = sweeps[0], sweeps[-1]
    steps = [_step(*pair) for pair in pairwise(sweeps)]
    falls = [(where, change) for where, change in steps if change.value < 0]
    outcomes = [sweep.frontiers[:, :, MOST_CHANGES].mean() for sweep in sweeps]
    return Claim(
        "With more uncertainty the outcome falls and the relative gain rises.",
        f"With k = {MOST_CHANGES}, from alpha = {first.alpha:g} to {last.alpha:g}: mean outcome "
        f"from {outcomes[0]:.0f} to {outcomes[-1]:.0f}, mean gain from {_gain(first):.1f} % to "
        f"{_gain(last):.1f} %. {_told(falls, len(steps))}",
        bool((np.diff(outcomes) < 0).all())
        and _gain(last) > _gain(first)
        and all(-change.value <= change.one_of(len(steps)) for _, change in falls),
        NAME,
    )


def _gain(sweep: Sweep) -> float:
    return float(sweep.gains[:, :, MOST_CHANGES].mean())


def _step(before: Sweep, after: Sweep) -> tuple[str, Mean]:
    """By how much the gain changes from one alpha to the next, process by process."""
    change = mean_of((after.gains - before.gains)[:, :, MOST_CHANGES])
    return f"{before.alpha:g} to {after.alpha:g}", change


def _told(falls: list[tuple[str, Mean]], steps: int) -> str:
    if not falls:
        return "The gain rises at every step."
    told = ", ".join(
        f"from alpha = {where} by {-change.value:.2f} ± {change.one_of(steps):.2f} points"
        for where, change in falls
    )
    return (
        f"The gain falls {told} (intervals over processes that all {steps} steps keep to in 95 of "
        "100 cases, since the largest of several falls is looked at); a fall counts against the "
        "claim only where its interval excludes none."
    )


def _many(results: Synthetic) -> Claim:
    few, many = (
        float(count.middles.mean())
        for k in (2, MOST_CHANGES)
        for count in results.counts
        if (count.alpha, count.k, count.first_action_wins) == (UNCERTAIN, k, False)
    )
    return Claim(
        "Under high uncertainty the number of explanations grows rapidly with k.",
        f"At alpha = {UNCERTAIN:g} about {few:.0f} of 100 draws are distinct explanations at k = 2 "
        f"and {many:.0f} at k = {MOST_CHANGES}.",
        many > 2 * few,
        NAME,
    )
