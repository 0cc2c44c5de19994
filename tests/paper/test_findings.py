"""Verdicts follow from numbers; spreads are those of textbooks."""

from __future__ import annotations

import numpy as np
import pytest

from untaken.paper import Claim, Finding, Verdict
from untaken.paper.published_values import reading_error
from untaken.paper.spread import mean_of, own_luck, shared_luck, student_quantile


@pytest.mark.parametrize(
    ("ours", "allowance", "verdict"),
    [
        (5.0, 0.2, Verdict.AGREES),
        (4.9, 0.2, Verdict.AGREES),
        (5.3, 0.2, Verdict.DIFFERS),
        (4.7, 0.2, Verdict.DIFFERS),
        (5.0, None, Verdict.NOT_JUDGED),
        (float("nan"), 0.2, Verdict.DIFFERS),
    ],
)
def test_a_verdict_is_whether_the_difference_is_allowed_for(ours, allowance, verdict):
    finding = Finding("gain", 5.0, ours, allowance, "by reading")
    assert finding.verdict is verdict


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [(True, Verdict.AGREES), (False, Verdict.DIFFERS), (None, Verdict.NOT_JUDGED)],
)
def test_a_claim_holds_or_not_or_cannot_be_tested(holds, verdict):
    assert Claim("said", "found", holds, "graph").verdict is verdict


@pytest.mark.parametrize("freedom", [1, 2, 5, 9, 30, 200])
def test_students_quantile_is_that_of_scipy(freedom):
    stats = pytest.importorskip("scipy.stats")
    assert student_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-5)
    assert student_quantile(freedom, 0.99) == pytest.approx(stats.t.ppf(0.995, freedom), rel=1e-4)


def test_the_unit_of_a_mean_is_the_process():
    values = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [6.0, 6.0, 6.0]])
    mean = mean_of(values)
    assert (mean.value, mean.units) == (3.0, 3)
    assert mean.deviation == pytest.approx(np.std([1, 2, 6], ddof=1))
    assert mean.upper - mean.value == pytest.approx(4.30265 * mean.deviation / np.sqrt(3), rel=1e-5)


@pytest.mark.parametrize(("luck", "slack"), [(0.0, 0.02), (3.0, 0.03)])
def test_another_draw_of_as_many_falls_into_the_stated_range_in_95_of_100_cases(luck, slack):
    """Ten processes of fifty courses, twice: once all processes share the luck of their courses,
    once each process has its own. Without that luck the range errs to the wide side."""
    rng = np.random.default_rng(0)
    tries, shape = 1500, (10, 50)
    inside = []
    for _ in range(tries):
        one, other = rng.normal(size=(2, *shape)) + rng.normal(size=(2, shape[0], 1))
        one += luck * rng.normal(size=(1, shape[1]))
        other += luck * rng.normal(size=shape)
        apart = shared_luck(one) + own_luck(other)
        inside.append(abs(one.mean() - other.mean()) <= apart.reach)
    assert abs(np.mean(inside) - 0.95) < slack


def test_shared_luck_counts():
    """Where all that differs is the luck of the courses, processes alone would see no doubt."""
    rows = np.tile(np.random.default_rng(0).normal(size=50), (10, 1))
    assert own_luck(rows).reach == pytest.approx(0.0, abs=1e-12)
    deviation = rows[0].std(ddof=1) / np.sqrt(50)
    assert shared_luck(rows).reach == pytest.approx(student_quantile(49) * deviation, rel=1e-6)


def test_doubt_about_processes_alone_is_that_of_their_means():
    values = np.random.default_rng(0).normal(size=(10, 1)) + np.zeros((10, 50))
    half = mean_of(values).half_width
    assert own_luck(values).reach == pytest.approx(half)
    assert shared_luck(values).reach == pytest.approx(half)


def test_a_reading_error_does_not_depend_on_what_is_found():
    assert reading_error(axis=160, rounded_to=1) == pytest.approx(2.1)
