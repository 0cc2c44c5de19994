"""Verdicts follow from numbers; spreads are those of textbooks."""

from __future__ import annotations

import numpy as np
import pytest

from untaken.paper import Claim, Finding, Verdict
from untaken.paper.published_values import reading_error
from untaken.paper.spread import mean_of, student_quantile


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


def test_the_unit_of_a_mean_is_the_process():
    values = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [6.0, 6.0, 6.0]])
    mean = mean_of(values)
    assert (mean.value, mean.units) == (3.0, 3)
    assert mean.deviation == pytest.approx(np.std([1, 2, 6], ddof=1))
    assert mean.upper - mean.value == pytest.approx(4.30265 * mean.deviation / np.sqrt(3), rel=1e-5)


def test_another_draw_of_as_many_falls_into_the_stated_range_in_95_of_100_cases():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 4000, 10))
    inside = [
        abs(other.mean() - one.value) <= one.another(10)
        for one, other in zip(map(mean_of, first), second, strict=True)
    ]
    assert abs(np.mean(inside) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4000)


def test_a_reading_error_does_not_depend_on_what_is_found():
    assert reading_error(axis=160, rounded_to=1) == pytest.approx(2.1)
