"""Abduction and prediction: the noise behind an observation, and what it does elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import untaken as ut
from tests import oracles
from tests.rows import Pair, pairs

P, Q = [0.5, 0.3, 0.0, 0.2], [0.2, 0.2, 0.1, 0.5]


@given(pair=pairs())
def test_noise_explains_what_was_observed(pair: Pair):
    p, y, _ = pair
    noise = ut.GumbelMax().abduct(p, y, draws=50, seed=1)
    assert noise.shape == (50, len(p))
    assert set(ut.GumbelMax().predict(noise, p)) == {y}


@pytest.mark.parametrize("y", [0, 1, 3])
def test_predictions_have_the_law_of_the_row(y):
    noise = ut.GumbelMax().abduct(P, y, draws=100_000, seed=2)
    shares = np.bincount(ut.GumbelMax().predict(noise, Q), minlength=4) / 100_000
    w = ut.GumbelMax().row(P, y, Q)
    assert np.all(np.abs(shares - w) <= 5 * np.sqrt(w * (1 - w) / 100_000))


def test_noise_of_all_outcomes_together_is_gumbel_and_independent():
    rng = np.random.default_rng(3)
    draws = rng.multinomial(40_000, P)
    noise = np.concatenate(
        [ut.GumbelMax().abduct(P, y, int(draws[y]), rng) for y in np.flatnonzero(P)]
    )
    for state in range(4):
        assert stats.kstest(noise[:, state], stats.gumbel_r.cdf).pvalue > 1e-4
    correlations = np.corrcoef(noise.T) - np.eye(4)
    assert np.abs(correlations).max() < 5 / np.sqrt(40_000)


@pytest.mark.parametrize("y", [0, 3])
def test_noise_has_the_law_of_the_top_down_construction(y):
    rng = np.random.default_rng(4)
    found = ut.GumbelMax().abduct(P, y, 20_000, rng)
    plain = np.array([oracles.posterior_gumbels(np.array(P), y, rng) for _ in range(20_000)])
    for state in range(4):
        assert stats.ks_2samp(found[:, state], plain[:, state]).pvalue > 1e-4


@pytest.mark.parametrize("d", [100, 10_000])
def test_the_sampled_row_converges_to_the_exact_one(d):
    w = ut.GumbelMax().row(P, 0, Q)
    errors = [ut.GumbelMaxSampled(d=d, seed=seed).row(P, 0, Q) - w for seed in range(30)]
    spread = np.sqrt(w * (1 - w) / d)
    assert np.all(np.abs(np.mean(errors, axis=0)) <= 5 * spread / np.sqrt(30))
    assert np.all(np.std(errors, axis=0) <= 1.7 * spread)  # five s.e. of a deviation of 30


def test_sampled_worlds_converge_to_the_exact_ones():
    data = ut.datasets.synthetic(states=6, actions=3, horizon=3, episodes=1, seed=5)
    first, action = data.episodes[0].states, data.episodes[0].actions[0]
    exact = ut.GumbelMax().transitions(data.mdp, first[0], action, first[1])
    sampled = ut.GumbelMaxSampled(d=50_000, seed=6)
    found = sampled.transitions(data.mdp, first[0], action, first[1])
    np.testing.assert_allclose(found.sum(axis=2), 1, atol=1e-12)
    assert np.all(np.abs(found - exact) <= 5 * np.sqrt(exact * (1 - exact) / 50_000) + 1e-12)
    assert found[int(first[0]), int(action), int(first[1])] == 1


def test_the_same_seed_draws_the_same_worlds_and_fresh_ones_each_step():
    P3 = np.tile([[0.6, 0.4], [0.3, 0.7]], (2, 1, 1))
    mdp = ut.MDP(P3, [0, 1])
    codes = np.zeros(4, np.int32), np.zeros(4, np.int32)
    one, other = (ut.GumbelMaxSampled(d=100, seed=8).worlds(mdp, *codes).table for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one[0], one[1])


def test_sampled_noise_is_shared_by_all_contexts_of_a_step():
    P3 = np.tile([[0.6, 0.4], [0.3, 0.7]], (2, 1, 1))  # both states have the same rows
    table = ut.GumbelMaxSampled(d=100, seed=9).transitions(ut.MDP(P3, [0, 1]), 0, 0, 0)
    np.testing.assert_array_equal(table[0], table[1])


@pytest.mark.parametrize("d", [0, -5, 2.5])
def test_the_number_of_draws_is_checked(d):
    with pytest.raises(ut.errors.InvalidQuestion, match=f"at least 1; {d} came"):
        ut.GumbelMaxSampled(d=d)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([1.0], r"a column for each of 1 states; \(3, 4\) came"),
        ([-1.0, 2.0, 0.0, 0.0], "q has -1.0 at state 0"),
        ([0.5, 0.2, 0.1, 0.1], "sums to 0.9"),
    ],
)
def test_noise_is_of_one_row_only(q, message):
    noise = ut.GumbelMax().abduct(P, 0, draws=3, seed=1)
    with pytest.raises(ut.errors.InvalidRow, match=message):
        ut.GumbelMax().predict(noise, q)
