"""Statements in words are judged by numbers, and turn when the numbers turn."""

from __future__ import annotations

import numpy as np
import pytest

from untaken.paper.patient_claims import _outer_share
from untaken.paper.synthetic import Sweep, Synthetic
from untaken.paper.synthetic_claims import _positive, _with_alpha, _with_budget

RNG = np.random.default_rng(0)


def sweep(alpha: float, outcome: float, gains: np.ndarray) -> Sweep:
    """Ten processes of five courses: per cent gained with ten changes, evenly from none."""
    rise = np.asarray(gains)[:, None, None] * np.linspace(0, 1, 11) / 100
    return Sweep(alpha, outcome * (1 + np.broadcast_to(rise, (10, 5, 11))))


def results(*sweeps: Sweep) -> Synthetic:
    return Synthetic(sweeps, sweeps, (), (), (), 1, 1)


def test_gains_that_rise_with_uncertainty_hold():
    spread = RNG.normal(scale=0.1, size=10)
    claim = _with_alpha(results(sweep(0.1, 300, 5 + spread), sweep(0.4, 250, 7 + spread)))
    assert claim.holds
    assert "rises at every step" in claim.found


@pytest.mark.parametrize(("scale", "holds"), [(3.0, True), (0.1, False)])
def test_a_fall_counts_where_the_spread_between_processes_does_not_explain_it(scale, holds):
    base = 5 + RNG.normal(size=10)
    step = RNG.normal(size=10)
    step = -0.4 + scale * (step - step.mean())
    middle = base + 2
    claim = _with_alpha(
        results(sweep(0.1, 300, base), sweep(0.3, 260, middle), sweep(0.4, 250, middle + step))
    )
    assert claim.holds is holds
    assert "from alpha = 0.3 to 0.4 by 0.40 " in claim.found


def test_a_course_that_cannot_be_bettered_is_told():
    gains = np.full(10, 5.0)
    assert _positive(results(sweep(0.4, 250, gains))).holds
    gains[3] = 0.0
    claim = _positive(results(sweep(0.4, 250, gains)))
    assert not claim.holds
    assert "10.0% (k = 2)" in claim.found


def test_a_gain_that_stands_still_is_no_growth():
    assert _with_budget(results(sweep(0.4, 250, np.full(10, 5.0)))).holds
    assert not _with_budget(results(sweep(0.4, 250, np.zeros(10)))).holds


def test_changes_spread_evenly_have_two_thirds_at_the_ends():
    assert _outer_share(np.ones(18)) == pytest.approx(2 / 3)
    assert _outer_share(np.eye(18)[9]) == 0.0
    assert _outer_share(np.eye(18)[17]) == 1.0
