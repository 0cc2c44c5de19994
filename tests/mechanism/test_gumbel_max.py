"""The closed form against the integral that it solves, against noise, and against what theory says
of every Gumbel-max row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.rows import Pair, decades, pairs


def row(p, y, q) -> np.ndarray:
    return ut.GumbelMax().row(p, y, q)


def all_rows(p, q) -> dict[int, np.ndarray]:
    """The counterfactual row for each outcome that p allows."""
    return {int(y): row(p, int(y), q) for y in np.flatnonzero(p)}


# --- against the oracles ---------------------------------------------------------------------


@given(pair=pairs())
def test_the_row_is_the_integral(pair: Pair):
    p, y, q = pair
    expected = oracles.gumbel_max_row(p.tolist(), y, q.tolist())
    np.testing.assert_allclose(row(p, y, q), expected, rtol=0, atol=1e-13)


def rounding(p, y, q) -> float:
    """The relative error that rounding each ratio p / q once must cause: a row depends on the gaps
    between neighbouring ratios, and a narrow gap magnifies it."""
    limit = p[y] / q[y] if q[y] else np.inf
    sigma = np.unique([p[j] / q[j] for j in np.flatnonzero(q) if p[j] / q[j] <= limit])
    magnified = max(sigma[1:] / np.diff(sigma), default=1.0)
    return 4 * len(p) * np.finfo(float).eps * max(1.0, magnified)


def assert_as_exact_as_floats_allow(p, y, q) -> None:
    expected = oracles.gumbel_max_row(oracles.exact(p), y, oracles.exact(q))
    for found, truth in zip(row(p, y, q).tolist(), expected, strict=True):
        assert abs(Fraction(found) - truth) <= Fraction(rounding(p, y, q)) * truth


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_span_14_decades_keep_their_relative_accuracy(seed):
    rng = np.random.default_rng(seed)
    p, q = decades(rng, 12), decades(rng, 12)
    for y in range(12):
        assert rounding(p, y, q) < 1e-11
        assert_as_exact_as_floats_allow(p, y, q)


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_14_decades_with_zeros_and_ties_keep_it_too(seed):
    rng = np.random.default_rng(seed)
    p, q = decades(rng, 12), decades(rng, 12)
    p[:2] = 0.0
    p /= p.sum()
    tied = np.isin(np.arange(12), [4, 5, 6])
    q[2:4] = 0.0
    q[tied] = p[tied] / 2  # exact, because halving is
    q[~tied] *= (1 - q[tied].sum()) / q[~tied].sum()
    for y in range(2, 12):
        assert_as_exact_as_floats_allow(p, y, q)


@pytest.mark.parametrize("states", [49, 80, 300])
@pytest.mark.parametrize("seed", range(3))
def test_long_rows_are_no_different(states, seed):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(states), 2)
    ties = rng.choice(states, states // 4, replace=False)
    q[ties] = p[ties] / 2
    q /= q.sum()
    late = np.argsort(p / q)[-1]  # all others compete with this outcome
    for y in (int(late), 0):
        expected = oracles.gumbel_max_row(p.tolist(), y, q.tolist())
        np.testing.assert_allclose(row(p, y, q), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(
    ("p", "y", "q"),
    [
        ([0.5, 0.3, 0.2], 0, [0.2, 0.3, 0.5]),
        ([0.5, 0.02, 0.48], 0, [0.0, 0.5, 0.5]),
        ([0.1, 0.4, 0.0, 0.5], 1, [0.2, 0.1, 0.3, 0.4]),
        ([0.25, 0.25, 0.25, 0.25], 2, [0.7, 0.1, 0.1, 0.1]),
        ([0.4, 0.6, 0.0], 1, [0.2, 0.3, 0.5]),
    ],
)
def test_noise_that_explains_the_observation_does_the_same(p, y, q):
    rng = np.random.default_rng(7)
    shares, draws = oracles.rejection_sampled_row(p, y, q, 200_000, rng)
    w = row(p, y, q)
    assert np.all(np.abs(shares - w) <= 5 * np.sqrt(w * (1 - w) / draws))


# --- what theory says of every row -----------------------------------------------------------


@given(pair=pairs())
def test_a_row_is_a_distribution_within_the_support_of_q(pair: Pair):
    p, y, q = pair
    w = row(p, y, q)
    assert w.sum() == pytest.approx(1, abs=1e-13)
    assert np.all(w >= 0)
    assert not w[q == 0].any()


@given(pair=pairs())
def test_nothing_wins_whose_odds_did_not_rise_above_those_of_the_outcome(pair: Pair):
    """Counterfactual stability, its inequality multiplied out and free of rounding."""
    p, y, q = pair
    w = row(p, y, q)
    P, Q = oracles.exact(p), oracles.exact(q)
    for j in range(len(p)):
        if j != y and P[j] > 0 and Q[y] * P[j] >= Q[j] * P[y]:
            assert w[j] == 0
        elif j != y and Q[y] * P[j] < Q[j] * P[y] * Fraction(1 - 1e-12):
            assert w[j] > 0


@given(pair=pairs())
def test_averaged_over_outcomes_rows_give_back_q(pair: Pair):
    p, _, q = pair
    average = sum(p[y] * w for y, w in all_rows(p, q).items())
    np.testing.assert_allclose(average, q, rtol=0, atol=1e-13)


@given(pair=pairs())
def test_in_an_equal_context_what_happened_happens_exactly(pair: Pair):
    p, y, _ = pair
    np.testing.assert_array_equal(row(p, y, p), np.eye(len(p))[y])


@given(pair=pairs(), seed=st.integers(0, 1000))
def test_the_order_of_states_does_not_matter(pair: Pair, seed):
    p, y, q = pair
    order = np.random.default_rng(seed).permutation(len(p))
    moved = row(p[order], int(np.flatnonzero(order == y)[0]), q[order])
    np.testing.assert_allclose(moved, row(p, y, q)[order], rtol=0, atol=1e-13)


@given(pair=pairs())
def test_seen_from_the_other_context_it_is_the_same_coupling(pair: Pair):
    p, y, q = pair
    w = row(p, y, q)
    for j in np.flatnonzero(q):
        assert p[y] * w[j] == pytest.approx(q[j] * row(q, int(j), p)[y], abs=1e-13)


@given(pair=pairs(), share=st.floats(0.01, 0.99), which=st.integers(0, 6))
def test_states_of_equal_ratio_can_be_merged(pair: Pair, share, which):
    p, y, q = pair
    i = which % len(p)

    def split(row):
        return np.append(np.where(np.arange(len(row)) == i, share * row, row), row[i] * (1 - share))

    assume(split(p)[y] > 0)
    apart = row(split(p), y, split(q))
    together = row(p, y, q)
    merged = apart[:-1] + np.where(np.arange(len(p)) == i, apart[-1], 0)
    np.testing.assert_allclose(merged, together, rtol=0, atol=1e-12)


@given(pair=pairs())
def test_the_outcome_is_at_least_as_likely_as_q_says_and_no_more_than_its_odds_allow(pair: Pair):
    p, _, q = pair
    kept = 0.0
    for y, w in all_rows(p, q).items():
        assert q[y] - 1e-13 <= w[y] <= min(1.0, q[y] / p[y]) + 1e-13
        kept += p[y] * w[y]
    distance = np.abs(p - q).sum() / 2
    assert (1 - distance) / (1 + distance) - 1e-12 <= kept <= 1 - distance + 1e-12


@given(pair=pairs())
def test_nothing_is_learnt_from_a_disjoint_context_or_a_certain_outcome(pair: Pair):
    p, y, q = pair
    if not np.any((p > 0) & (q > 0)):
        np.testing.assert_array_equal(row(p, y, q), q)
    np.testing.assert_allclose(row(np.eye(len(p))[y], y, q), q, rtol=0, atol=1e-14)


def test_an_outcome_that_cannot_come_leaves_its_place_to_the_others():
    p, q = [0.5, 0.25, 0.25], [0.0, 0.5, 0.5]
    w = row(p, 0, q)
    assert w[0] == 0
    np.testing.assert_allclose(w, [0, 0.5, 0.5])


def test_states_tied_with_the_outcome_cannot_win():
    w = row([0.25, 0.25, 0.5], 0, [0.125, 0.125, 0.75])
    assert w[1] == 0
    assert w[0] > 0


def test_one_state_is_certain():
    np.testing.assert_array_equal(row([1.0], 0, [1.0]), [1.0])


def test_a_denormal_probability_is_a_zero():
    np.testing.assert_array_equal(row([0.5, 0.5], 0, [1.0, 5e-324]), row([0.5, 0.5], 0, [1, 0]))
