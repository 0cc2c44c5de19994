"""Bounds on outcomes against plain recursion, and against causal models of the class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests import oracles_robust
from tests.worlds import worlds
from untaken import CausalClass

every_class = pytest.mark.parametrize("kind", list(CausalClass), ids=lambda kind: kind.value)
MEMBERS = {
    CausalClass.NONE: (ut.GumbelMax(), ut.InverseCDF(), ut.MaximalCoupling(), ut.Independent()),
    CausalClass.STABLE: (ut.GumbelMax(), ut.MaximalCoupling()),
    CausalClass.STABLE_EVERYWHERE: (ut.GumbelMax(), ut.MaximalCoupling()),
}


def explain(world, k: int, **options) -> ut.Counterfactual:
    return ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


@every_class
@settings(max_examples=60)
@given(world=worlds(steps=3), k=st.integers(0, 4))
def test_bounds_agree_with_recursion(kind, world, k):
    bounds = explain(world, k).bounds(kind)
    for budget in range(k + 1):
        low, high = oracles_robust.extreme_outcomes(world, kind, budget)
        assert bounds.pessimistic[budget] == pytest.approx(low, abs=1e-9)
        assert bounds.optimistic[budget] == pytest.approx(high, abs=1e-9)


@every_class
@settings(max_examples=60)
@given(world=worlds(steps=3), k=st.integers(0, 4))
def test_the_certified_policy_is_worth_what_is_certified(kind, world, k):
    bounds = explain(world, k).bounds(kind)
    low, _ = oracles_robust.extreme_outcomes(
        world, kind, k, lambda t, s, left: bounds.policy[t, s, left]
    )
    assert low == pytest.approx(bounds.pessimistic[k], abs=1e-9)
    for t, s, c in np.argwhere(bounds.policy.reachable):
        assert bounds.policy[t, s, c] in world.allowed(t, s)


@every_class
@settings(max_examples=60)
@given(world=worlds(steps=3), k=st.integers(0, 3))
def test_bounds_of_the_policy_agree_with_recursion(kind, world, k):
    cf = explain(world, k)
    bounds = cf.policy_bounds(kind)
    for budget in range(k + 1):
        low, high = oracles_robust.extreme_outcomes(
            world, kind, budget, lambda t, s, left: cf.policy[t, s, left]
        )
        assert bounds.pessimistic[budget] == pytest.approx(low, abs=1e-9)
        assert bounds.optimistic[budget] == pytest.approx(high, abs=1e-9)


@every_class
@settings(max_examples=60)
@given(world=worlds(steps=3), seed=st.integers(0, 2**32 - 1))
def test_bounds_of_a_sequence_agree_with_recursion(kind, world, seed):
    actions = np.random.default_rng(seed).integers(len(world.P[0]), size=world.T)
    bounds = explain(world, 1).what_if(actions).bounds(kind)
    expected = oracles_robust.extreme_outcomes(world, kind, 0, lambda t, s, left: actions[t])  # noqa: ARG005
    np.testing.assert_allclose((bounds.pessimistic[0], bounds.optimistic[0]), expected, atol=1e-9)


@pytest.mark.parametrize("kind", list(MEMBERS), ids=lambda kind: kind.value)
@given(world=worlds(steps=5), k=st.integers(0, 5))
def test_every_model_of_the_class_lies_inside(kind, world, k):
    plain = explain(world, k)
    optimum, policy = plain.bounds(kind), plain.policy_bounds(kind)
    slack = 1e-8
    for mechanism in MEMBERS[kind]:
        under = explain(world, k, mechanism=mechanism)
        assert np.all(under.frontier >= optimum.lower - slack)
        assert np.all(under.frontier <= optimum.upper + slack)
        for mine, bounds in [(plain.policy, policy), (optimum.policy, optimum)]:
            worth = under.what_if(mine).outcome
            assert world.sign * (worth - bounds.pessimistic[k]) >= -slack
        assert policy.lower[k] - slack <= under.what_if(plain.policy).outcome
        assert under.what_if(plain.policy).outcome <= policy.upper[k] + slack


@every_class
@settings(max_examples=40)
@given(
    world=worlds(states=3, actions=2, steps=3), k=st.integers(0, 3), seed=st.integers(0, 2**32 - 1)
)
def test_every_corner_of_the_class_lies_inside(kind, world, k, seed):
    """Models that nobody has named: another coupling drawn for each step and context."""
    rng = np.random.default_rng(seed)
    model = ut.Custom(lambda p, y, q: oracles_robust.member_row(kind.value, p, y, q, rng))
    plain, under = explain(world, k), explain(world, k, mechanism=model)
    bounds, of_policy, slack = plain.bounds(kind), plain.policy_bounds(kind), 1e-7
    assert np.all(under.frontier >= bounds.lower - slack)
    assert np.all(under.frontier <= bounds.upper + slack)
    assert under.what_if(bounds.policy).gain >= bounds.certified[k] - slack
    assert of_policy.lower[k] - slack <= under.what_if(plain.policy).outcome
    assert under.what_if(plain.policy).outcome <= of_policy.upper[k] + slack


@every_class
@given(world=worlds(steps=6), k=st.integers(0, 7))
def test_nothing_changed_gives_what_was_observed_and_certified_gains_only_grow(kind, world, k):
    cf = explain(world, k)
    bounds = cf.bounds(kind)
    assert bounds.lower[0] == bounds.upper[0] == cf.observed
    assert bounds.certified[0] == 0
    assert np.all(np.diff(bounds.certified) >= 0)
    assert np.all(bounds.lower <= bounds.upper)


@given(world=worlds(steps=5), k=st.integers(0, 4))
def test_classes_are_nested_where_they_should_be(world, k):
    cf = explain(world, k)
    for wide, narrow in [
        ("none", "stable"),
        ("stable", "stable_everywhere"),
        ("stable", "stable_monotone"),
    ]:
        assert np.all(cf.bounds(wide).lower <= cf.bounds(narrow).lower + 1e-9)
        assert np.all(cf.bounds(narrow).upper <= cf.bounds(wide).upper + 1e-9)


@every_class
@given(world=worlds(steps=5), k=st.integers(1, 4))
def test_bounds_seen_at_a_smaller_budget_are_those_of_a_smaller_question(kind, world, k):
    seen, asked = explain(world, k).at(k - 1).bounds(kind), explain(world, k - 1).bounds(kind)
    np.testing.assert_allclose(seen.lower, asked.lower, rtol=0, atol=1e-10)
    np.testing.assert_allclose(seen.upper, asked.upper, rtol=0, atol=1e-10)
    assert seen.policy.budget == k - 1


@every_class
@pytest.mark.parametrize("pays_on_arrival", [False, True])
def test_sparse_and_dense_rows_are_poured_alike(kind, pays_on_arrival):
    """The same process among many states that nothing leads to, whose rows then count as sparse."""
    rng = np.random.default_rng(3)
    n, m, T, idle = 6, 3, 6, 90
    P, R = rng.dirichlet(np.ones(n), (n, m)), rng.normal(size=(n, m))
    arrival = rng.normal(size=(n, m, n)) * pays_on_arrival
    big = np.zeros((n + idle, m, n + idle))
    big[:n, :, :n] = P
    big[np.arange(n, n + idle), :, np.arange(n, n + idle)] = 1
    big_arrival = np.zeros(big.shape)
    big_arrival[:n, :, :n] = arrival + R[:, :, None]
    states, actions = rng.integers(n, size=T + 1), rng.integers(m, size=T)
    episode = ut.Episode(states, actions)
    small = ut.MDP(P, arrival + R[:, :, None] if pays_on_arrival else R)
    large = ut.MDP(big, big_arrival if pays_on_arrival else np.pad(R, ((0, idle), (0, 0))))
    a, b = (ut.explain(episode, mdp, 3).bounds(kind) for mdp in (small, large))
    np.testing.assert_allclose(a.lower, b.lower, rtol=0, atol=1e-10)
    np.testing.assert_allclose(a.upper, b.upper, rtol=0, atol=1e-10)


@every_class
def test_bounds_are_worked_out_once_for_all_budgets_and_nobody_can_change_them(kind):
    data = ut.datasets.synthetic(0.5, 3, 2, 4, episodes=1, seed=0)
    cf = ut.explain(data.episodes[0], data.mdp, k=2)
    bounds = cf.bounds(kind)
    assert np.shares_memory(bounds.pessimistic, cf.at(1).bounds(kind).pessimistic)
    for shared in (bounds.pessimistic, bounds.optimistic, bounds.policy.actions):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 0
