"""Every causal model: its rows against slow twins, and the whole search with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles, oracles_robust
from tests.worlds import random_rows, worlds

ROWS = {
    ut.GumbelMax(): oracles.gumbel_max_row,
    ut.InverseCDF(): oracles_robust.inverse_cdf_row,
    ut.MaximalCoupling(): oracles_robust.maximal_coupling_row,
    ut.Independent(): oracles_robust.independent_row,
}
MECHANISMS = list(ROWS)
named = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)


def pair(seed: int, size: int) -> tuple[np.ndarray, int, np.ndarray]:
    rng = np.random.default_rng(seed)
    p, q = random_rows(rng, size), random_rows(rng, size)
    return p, int(rng.choice(size, p=p)), q


pairs = st.builds(pair, st.integers(0, 2**32 - 1), st.integers(1, 9))


@named
@given(case=pairs)
def test_row_is_that_of_the_slow_twin(mechanism, case):
    p, y, q = case
    np.testing.assert_allclose(
        mechanism.row(p, y, q), ROWS[mechanism](list(p), y, list(q)), rtol=0, atol=1e-12
    )


@named
@given(case=pairs)
def test_rows_average_back_to_q(mechanism, case):
    p, _, q = case
    np.testing.assert_allclose(mechanism.average(p, q), q, rtol=0, atol=1e-12)


@named
@given(case=pairs)
def test_a_row_is_a_distribution_on_the_support_of_q(mechanism, case):
    p, y, q = case
    w = mechanism.row(p, y, q)
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert np.all(w >= 0)
    assert np.all(w[q == 0] == 0)


@pytest.mark.parametrize("mechanism", MECHANISMS[:3], ids=lambda m: type(m).__name__)
@given(case=pairs)
def test_in_the_same_row_what_happened_happens_again(mechanism, case):
    p, y, _ = case
    np.testing.assert_allclose(mechanism.row(p, y, p), np.eye(len(p))[y], rtol=0, atol=1e-12)


@given(case=pairs)
def test_inverse_cdf_is_monotone(case):
    p, y, q = case
    if np.all(np.cumsum(q) <= np.cumsum(p) + 1e-15):
        assert ut.InverseCDF().row(p, y, q)[:y].sum() <= 1e-12


def test_inverse_cdf_survives_an_outcome_that_is_all_but_impossible():
    p = np.array([0.5, 1e-18, 0.5])
    np.testing.assert_array_equal(ut.InverseCDF().row(p, 1, [0.2, 0.2, 0.6]), [0, 0, 1])


def test_maximal_coupling_survives_an_outcome_that_is_all_but_impossible():
    w = ut.MaximalCoupling().row([1.0, 1e-20], 1, [1.0, 0.0])
    np.testing.assert_array_equal(w, [1, 0])


@named
@given(world=worlds(steps=4), k=st.integers(0, 4))
def test_the_search_agrees_with_recursion(mechanism, world, k):
    world.row = ROWS[mechanism]
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, mechanism=mechanism)
    expected = [oracles.best_by_recursion(world, budget) for budget in range(k + 1)]
    np.testing.assert_allclose(cf.frontier, expected, rtol=0, atol=1e-10)
    assert cf.courses.outcome == pytest.approx(cf.outcome, abs=1e-10)


@named
@given(world=worlds(steps=5), k=st.integers(0, 5))
def test_reachable_cells_are_those_with_rows_that_lead_there(mechanism, world, k):
    world.row = mechanism.row
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, mechanism=mechanism)
    fewest = np.full((world.T, len(world.P)), k + 1)
    fewest[0, world.states[0]] = 0
    for t in range(world.T - 1):
        for s in np.flatnonzero(fewest[t] <= k):
            for a in world.allowed(t, s):
                cost = fewest[t, s] + (a != world.actions[t])
                if cost <= k:
                    led = np.flatnonzero(world.w(t, s, a))
                    fewest[t + 1, led] = np.minimum(fewest[t + 1, led], cost)
    np.testing.assert_array_equal(cf.policy.fewest_changes[: world.T], fewest)


@named
@given(world=worlds(steps=4), k=st.integers(0, 3))
def test_a_function_of_rows_gives_what_the_built_in_model_gives(mechanism, world, k):
    built_in, custom = (
        ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, mechanism=model)
        for model in (mechanism, ut.Custom(mechanism.row))
    )
    np.testing.assert_allclose(custom.frontier, built_in.frontier, rtol=0, atol=1e-10)


def faulty(w) -> ut.Counterfactual:
    mdp = ut.MDP(
        [[[0.5, 0.5, 0], [0.5, 0.5, 0]], [[1, 0, 0], [0.2, 0.8, 0]], [[0, 0, 1], [0, 0, 1]]],
        [0, 1, 2],
        states=["ill", "well", "dead"],
        actions=["wait", "treat"],
        final_reward=[1, 1, 1],
    )
    episode = ut.Episode(["ill", "well", "ill"], ["wait", "wait", "wait"])
    return ut.explain(episode, mdp, 1, mechanism=ut.Custom(lambda p, y, q: w))  # noqa: ARG005


@pytest.mark.parametrize(
    ("w", "message"),
    [
        ([0.5, 0.4, 0.0], r"step 0, state 'ill', action 'treat' sums to 0.9; expected 1"),
        ([1.5, -0.5, 0.0], r"step 0, state 'ill', action 'treat' has -0.5 for next state 'well'"),
        ([0.5, 0.0, 0.5], r"step 0, .* has 0.5 for next state 'dead', which is impossible"),
        ([np.nan, 0.5, 0.5], r"step 0, .* has nan for next state 'ill'"),
        ([0.5, np.inf, 0.0], r"step 0, .* has inf for next state 'well'"),
        ([0.0, 0.0, 0.0], r"step 0, .* sums to 0; expected 1"),
        ([0.5, 0.5], r"one number for each of 3 states; shape \(2,\) came"),
        (1.0, r"one number for each of 3 states; shape \(\) came"),
        (np.eye(3), r"one number for each of 3 states; shape \(3, 3\) came"),
        ("well", r"step 0, .* must be a vector of probabilities; 'well' came"),
        ([[1], [0, 0]], r"step 0, .* must be a vector of probabilities; \[\[1\], \[0, 0\]\] came"),
        ([1j, 1.0, 0.0], r"step 0, .* must be a vector of probabilities; \[1j"),
    ],
)
def test_a_wrong_row_of_a_custom_model_is_named(w, message):
    with pytest.raises(ut.errors.InvalidRow, match=message):
        faulty(w)


def test_a_custom_model_is_a_function():
    with pytest.raises(ut.errors.InvalidQuestion, match=r"Custom wants a function .* 3 came"):
        ut.Custom(3)


def test_a_custom_model_cannot_spoil_the_process():
    def greedy(p, y, q):  # noqa: ARG001
        w = np.eye(len(q))[int(np.argmax(q))]
        q[:] = 0.0
        return w

    rows = [ut.Custom(greedy).row([0.5, 0.5], 0, [0.2, 0.8]) for _ in range(2)]
    np.testing.assert_array_equal(rows, [[0, 1], [0, 1]])
