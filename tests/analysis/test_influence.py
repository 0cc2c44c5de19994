"""How much an answer leans on what was observed, against sums over courses and plain recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles, oracles_robust
from tests.worlds import worlds
from untaken.search.influence import surprise


def explain(world, k: int, **options) -> ut.Counterfactual:
    return ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


@given(world=worlds(), k=st.integers(0, 4))
def test_expected_influence_is_that_of_all_courses(world, k):
    cf = explain(world, k)
    influence = cf.influence()
    expected = np.zeros(len(world.states) - 1)
    for path in oracles.paths(world, lambda t, states, left: cf.policy[t, states[-1], left], k):
        for t in range(len(expected)):
            expected[t] += path.probability * oracles_robust.influence_at(
                world, t, path.states[t], path.actions[t]
            )
    np.testing.assert_allclose(influence.expected, expected, rtol=0, atol=1e-10)
    assert np.all(influence.expected <= influence.most + 1e-12)
    assert np.all((influence.relative >= 0) & (influence.relative <= 1 + 1e-9))


@given(world=worlds())
def test_what_was_observed_leans_on_itself_as_much_as_can_be(world):
    influence = explain(world, 0).influence()
    for t, most in enumerate(influence.most):
        p = world.P[world.states[t], world.actions[t]]
        assert most == pytest.approx(1 - p[world.states[t + 1]], abs=1e-12)
    np.testing.assert_allclose(influence.expected, influence.most, rtol=0, atol=1e-12)


@given(world=worlds(), k=st.integers(0, 4))
def test_with_independent_noise_only_the_observed_contexts_lean_on_it(world, k):
    cf = explain(world, k, mechanism=ut.Independent())
    timeline = np.zeros(len(world.states) - 1)
    world.row = oracles_robust.independent_row
    for path in oracles.paths(world, lambda t, states, left: cf.policy[t, states[-1], left], k):
        for t in range(len(timeline)):
            same = (path.states[t], path.actions[t]) == (world.states[t], world.actions[t])
            timeline[t] += path.probability * same
    influence = cf.influence()
    np.testing.assert_allclose(influence.expected, timeline * influence.most, rtol=0, atol=1e-10)


@given(
    world=worlds(steps=4),
    k=st.integers(0, 3),
    epsilon=st.sampled_from([0.0, 0.05, 0.2, 0.5]),
    relative=st.booleans(),
)
def test_the_constrained_search_agrees_with_recursion(world, k, epsilon, relative):
    constraint = ut.InfluenceAtLeast(epsilon, relative=relative)
    cf = explain(world, k, influence=constraint)
    demanded = constraint.least(cf.problem)
    for budget in range(k + 1):
        _, plain = oracles_robust.influenced_search(world, budget, demanded, 0.0)
        assert world.sign * cf.frontier[budget] == pytest.approx(plain, abs=1e-9)
    assert cf.outcome == pytest.approx(cf.courses.outcome, abs=1e-9)


@given(world=worlds(steps=4), k=st.integers(0, 3), epsilon=st.sampled_from([0.05, 0.2, 0.5]))
def test_every_step_of_a_constrained_answer_is_influenced(world, k, epsilon):
    cf = explain(world, k, influence=ut.InfluenceAtLeast(epsilon))
    for path in oracles.paths(world, lambda t, states, left: cf.policy[t, states[-1], left], k):
        for t in range(len(world.states) - 1):
            s, a = path.states[t], path.actions[t]
            if path.probability > 1e-9 and (s, a) != (world.states[t], world.actions[t]):
                assert oracles_robust.influence_at(world, t, s, a) >= epsilon - 1e-9


@given(world=worlds(steps=4, plain=True), k=st.integers(0, 3), weight=st.sampled_from([0.5, 10.0]))
def test_a_bonus_steers_the_search_and_does_not_leak_into_the_outcome(world, k, weight):
    cf = explain(world, k, influence=ut.InfluenceBonus(weight))
    _, plain = oracles_robust.influenced_search(world, k, np.zeros(world.T), weight)
    assert world.sign * cf.outcome == pytest.approx(plain, abs=1e-9)
    assert cf.outcome == pytest.approx(cf.courses.outcome, abs=1e-9)
    assert cf.frontier[0] == pytest.approx(cf.problem.observed, abs=1e-10)


@given(world=worlds(), k=st.integers(0, 3))
def test_without_demand_or_bonus_nothing_changes(world, k):
    plain = explain(world, k)
    for influence in (ut.InfluenceAtLeast(0.0), ut.InfluenceBonus(0.0)):
        other = explain(world, k, influence=influence)
        np.testing.assert_allclose(other.frontier, plain.frontier, rtol=0, atol=1e-9)


@given(world=worlds(), k=st.integers(0, 3))
def test_the_observed_course_is_always_allowed(world, k):
    cf = explain(world, k, influence=ut.InfluenceAtLeast(1.0))
    assert np.all(world.sign * (cf.frontier - cf.frontier[0]) >= 0)
    assert np.all(np.isfinite(cf.frontier))
    assert surprise(cf.problem).max(initial=0.0) <= 1


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, np.nan, "much", None, True])
def test_a_demand_is_a_number_from_0_to_1(epsilon):
    with pytest.raises(ut.errors.InvalidQuestion, match="epsilon must be a number from 0 to 1"):
        ut.InfluenceAtLeast(epsilon)


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan, "much", None, True])
def test_a_bonus_is_a_finite_weight(weight):
    with pytest.raises(ut.errors.InvalidQuestion, match="weight must be a finite number"):
        ut.InfluenceBonus(weight)


@pytest.mark.parametrize("influence", [0.3, ut.InfluenceAtLeast])
def test_other_demands_are_refused(influence):
    mdp = ut.MDP([[[1.0]]], [0.0])
    with pytest.raises(ut.errors.InvalidQuestion, match=r"InfluenceAtLeast\(epsilon\) or"):
        ut.explain(ut.Episode([0], [0]), mdp, 1, influence=influence)
