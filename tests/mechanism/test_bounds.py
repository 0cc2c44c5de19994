"""Sets of counterfactual rows against linear programs over couplings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests import oracles_robust
from tests.worlds import random_rows
from untaken import CausalClass

CLASSES = list(CausalClass)
every_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.value)


def case(seed: int, size: int, exact: bool):
    """Two rows with zeros, an outcome and values. `exact`: in sixteenths, so that ratios which are
    equal are equal as floats too, and there are many of them."""
    rng = np.random.default_rng(seed)
    if exact:
        shape = rng.dirichlet(np.ones(size))
        p, q = rng.multinomial(16, shape) / 16, rng.multinomial(16, shape) / 16
    else:
        p, q = random_rows(rng, 2, size, plain=bool(rng.integers(2)))
    if exact and rng.random() < 0.2:
        q = p.copy()
    values = (
        rng.integers(-3, 4, size).astype(float) if rng.random() < 0.5 else rng.normal(size=size)
    )
    return p, int(rng.choice(size, p=p)), q, values


cases = st.builds(case, st.integers(0, 2**32 - 1), st.integers(1, 7), st.booleans())
exact_cases = st.builds(case, st.integers(0, 2**32 - 1), st.integers(1, 7), st.just(True))


@every_class
@settings(max_examples=300)
@given(case=exact_cases)
def test_expectations_are_those_of_the_linear_program(kind, case):
    p, y, q, values = case
    expected = oracles_robust.extreme_expectations(kind.value, p, y, q, values)
    np.testing.assert_allclose(kind.expectation(p, y, q, values), expected, rtol=0, atol=1e-9)


@every_class
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 8))
def test_the_same_for_rows_without_ties(kind, seed, size):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(size), 2)
    y, values = int(rng.integers(size)), rng.normal(size=size)
    expected = oracles_robust.extreme_expectations(kind.value, p, y, q, values)
    np.testing.assert_allclose(kind.expectation(p, y, q, values), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [CLASSES[0], CLASSES[1], CLASSES[3]], ids=lambda k: k.value)
@given(case=exact_cases)
def test_bounds_of_a_box_follow_the_formula(kind, case):
    p, y, q, _ = case
    bounds, expected = kind.bounds(p, y, q), oracles_robust.formula_bounds(kind.value, p, y, q)
    np.testing.assert_allclose(bounds.lower, expected[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(bounds.upper, expected[1], rtol=0, atol=1e-12)


def inside(low_high, value) -> bool:
    return low_high[0] - 1e-9 <= value <= low_high[1] + 1e-9


@given(case=cases)
def test_members_of_a_class_lie_inside_its_bounds(case):
    p, y, q, values = case
    members = {
        CausalClass.NONE: [ut.InverseCDF(), ut.Independent(), ut.GumbelMax(), ut.MaximalCoupling()],
        CausalClass.STABLE: [ut.GumbelMax(), ut.MaximalCoupling()],
        CausalClass.STABLE_EVERYWHERE: [ut.GumbelMax(), ut.MaximalCoupling()],
    }
    for kind, mechanisms in members.items():
        bounds = kind.bounds(p, y, q)
        for mechanism in mechanisms:
            w = mechanism.row(p, y, q)
            assert inside(kind.expectation(p, y, q, values), w @ values)
            assert np.all(w >= bounds.lower - 1e-9)
            assert np.all(w <= bounds.upper + 1e-9)


@given(case=cases)
def test_classes_are_nested_where_they_should_be(case):
    p, y, q, values = case
    none, stable, everywhere, monotone = (
        kind.expectation(p, y, q, values)
        for kind in (
            CausalClass.NONE,
            CausalClass.STABLE,
            CausalClass.STABLE_EVERYWHERE,
            CausalClass.STABLE_MONOTONE,
        )
    )
    for wide, narrow in [(none, stable), (stable, everywhere), (stable, monotone)]:
        assert wide[0] <= narrow[0] + 1e-9
        assert narrow[1] <= wide[1] + 1e-9


def test_stable_everywhere_and_monotone_are_not_nested():
    p, q = [0.5, 0.02, 0.48], [0.0, 0.5, 0.5]
    everywhere = CausalClass.STABLE_EVERYWHERE.bounds(p, 0, q)
    monotone = CausalClass.STABLE_MONOTONE.bounds(p, 0, q)
    assert everywhere.upper[1] > monotone.upper[1]
    p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    everywhere = CausalClass.STABLE_EVERYWHERE.bounds(p, 0, q)
    monotone = CausalClass.STABLE_MONOTONE.bounds(p, 0, q)
    assert everywhere.lower[0] > monotone.lower[0]


def test_gumbel_max_need_not_be_monotone():
    p, q = [0.5, 0.02, 0.48], [0.0, 0.5, 0.5]
    w, bounds = ut.GumbelMax().row(p, 0, q), CausalClass.STABLE_MONOTONE.bounds(p, 0, q)
    assert w[1] > bounds.upper[1] + 0.1


@pytest.mark.parametrize("kind", CLASSES[1:], ids=lambda kind: kind.value)
@given(case=cases)
def test_under_stability_the_same_row_gives_the_same_outcome(kind, case):
    p, y, _, _ = case
    bounds = kind.bounds(p, y, p)
    np.testing.assert_array_equal(bounds.lower, np.eye(len(p))[y])
    np.testing.assert_array_equal(bounds.upper, np.eye(len(p))[y])


@pytest.mark.parametrize("kind", CLASSES[1:3], ids=lambda kind: kind.value)
@given(case=exact_cases, seed=st.integers(0, 2**32 - 1))
def test_rounding_cannot_make_bounds_too_tight(kind, case, seed):
    """Near-ties are left open, so bounds hold those of the rows before they were rounded."""
    p, y, q, values = case
    rng = np.random.default_rng(seed)
    shaken = q * (1 + rng.uniform(-1e-14, 1e-14, q.size))
    exact, rounded = (kind.expectation(p, y, row, values) for row in (q, shaken / shaken.sum()))
    assert rounded[0] <= exact[0] + 1e-9
    assert exact[1] <= rounded[1] + 1e-9


def test_classes_go_by_name_or_by_object():
    assert CausalClass.of("stable") is CausalClass.of(CausalClass.STABLE) is CausalClass.STABLE
    with pytest.raises(ut.errors.InvalidQuestion, match=r"unknown class .* 'stabel'; the known"):
        CausalClass.of("stabel")
