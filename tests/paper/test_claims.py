"""Statements in words are judged by numbers, and turn when the numbers turn."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from untaken.paper.patient_claims import _at_the_ends, _concentrated, _outer_share
from untaken.paper.spread import mean_of, student_quantile
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


def test_one_fall_among_many_steps_is_judged_by_all_of_them():
    """Of eight steps without any trend one would too often fall beyond an interval of its own."""
    step = np.linspace(-1, 1, 10)
    fall = -1.2 * student_quantile(9) * step.std(ddof=1) / np.sqrt(10)
    assert mean_of(fall + step).upper < 0
    rising = [sweep(0.1 * place, 300 - 10 * place, np.full(10, 5.0 + place)) for place in range(8)]
    last, far = (sweep(0.9, 200, 12 + much * fall + step) for much in (1, 3))
    assert _with_alpha(results(*rising, last)).holds
    assert not _with_alpha(results(*rising, far)).holds
    assert not _with_alpha(results(rising[0], rising[7], far)).holds


def test_patients_whom_no_change_helps_are_left_out():
    kept = SimpleNamespace(timeline=lambda: SimpleNamespace(changed=np.zeros(6)))
    moved = SimpleNamespace(timeline=lambda: SimpleNamespace(changed=np.eye(6)[0]))
    assert _concentrated([kept, moved]).found.startswith("among 1 patients")
    assert _at_the_ends([kept, moved]).found.startswith("for 1 of 1 patients")
    assert (_concentrated([kept]).holds, _at_the_ends([kept]).holds) == (None, None)


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
