"""The dynamic program against exhaustive enumeration and plain recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.worlds import worlds


def explain(world: oracles.World, k: int, **options) -> ut.Counterfactual:
    return ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


def follow(policy: ut.Policy):
    return lambda t, states, left: policy[t, states[-1], left]


@settings(max_examples=60)
@given(world=worlds(states=2, actions=2, steps=3), k=st.integers(0, 4))
def test_frontier_is_the_best_of_all_decision_trees(world, k):
    frontier = explain(world, k).frontier
    for budget in range(k + 1):
        assert frontier[budget] == pytest.approx(
            oracles.best_by_enumeration(world, budget), abs=1e-12
        )


@settings(max_examples=150)
@given(world=worlds(states=4, actions=3, steps=4), k=st.integers(0, 6))
def test_frontier_agrees_with_recursion(world, k):
    frontier = explain(world, k).frontier
    expected = [oracles.best_by_recursion(world, budget) for budget in range(k + 1)]
    np.testing.assert_allclose(frontier, expected, rtol=0, atol=1e-12)


@given(world=worlds(steps=5), k=st.integers(0, 7))
def test_policy_attains_the_frontier(world, k):
    cf = explain(world, k)
    for budget in range(k + 1):
        view = cf.at(budget)
        attained = oracles.expected_outcome(world, follow(view.policy), budget)
        assert view.outcome == pytest.approx(attained, abs=1e-12)
        assert view.courses.outcome == pytest.approx(attained, abs=1e-12)


@given(world=worlds(steps=6), k=st.integers(0, 8))
def test_frontier_starts_at_the_observed_outcome_and_never_gets_worse(world, k):
    cf = explain(world, k)
    observed = sum(
        world.discount**t * world.R[s, a]
        for t, (s, a) in enumerate(zip(world.states, world.actions, strict=False))
    )
    observed += sum(
        world.discount**t * world.arrival[world.states[t], world.actions[t], world.states[t + 1]]
        for t in range(len(world.states) - 1)
    )
    observed += world.discount**world.T * world.final[world.states[-1]] if world.seen else 0.0
    assert cf.observed == cf.frontier[0]
    assert cf.observed == pytest.approx(observed, abs=1e-12)
    assert np.all(np.diff(world.sign * cf.frontier) >= 0)
    assert np.all(cf.frontier[world.T :] == cf.frontier[min(k, world.T)])


@given(world=worlds(steps=5), k=st.integers(0, 6))
def test_reachable_cells_are_those_that_some_course_comes_to(world, k):
    policy = explain(world, k).policy
    reached = np.zeros(policy.reachable.shape, dtype=bool)

    def go(t, s, left):
        if t == world.T or reached[t, s, left]:
            return
        reached[t, s, left] = True
        for a in world.allowed(t, s):
            after = left - (a != world.actions[t])
            if after >= 0 and world.moves(t):
                for j in np.flatnonzero(world.w(t, s, a)):
                    go(t + 1, int(j), after)

    for budget in range(k + 1):
        go(0, world.states[0], budget)
    np.testing.assert_array_equal(policy.reachable, reached)
    kept = np.broadcast_to(np.array(world.actions)[:, None, None], reached.shape)
    np.testing.assert_array_equal(policy.actions[~reached], kept[~reached])


@given(world=worlds(steps=5), k=st.integers(1, 4))
def test_every_action_chosen_in_place_of_another_is_allowed(world, k):
    policy = explain(world, k).policy
    for t, s, c in np.argwhere(policy.reachable):
        assert policy[t, s, c] in world.allowed(t, s)
        if c == 0:
            assert policy[t, s, c] == world.actions[t]


def test_ties_go_to_the_observed_action_then_to_the_lowest_code():
    P = np.full((2, 3, 2), 0.5)
    mdp = ut.MDP(P, [[1.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    cf = ut.explain(ut.Episode([0, 1], [2, 0]), mdp, k=2)
    assert np.all(cf.policy[0] == 2)  # all equal: nothing is changed
    assert cf.policy[1, 1, 1] == 1  # two equal improvements: the lower code
    authors = ut.explain(
        ut.Episode([0, 1], [2, 0]), mdp, k=2, rules=ut.Rules(first_action_wins=True)
    )
    assert authors.policy[0, 0, 2] == 0  # theirs changes without a gain
    np.testing.assert_allclose(authors.frontier, cf.frontier)


def test_a_tie_is_judged_by_the_scale_of_the_rewards():
    P = np.full((2, 2, 2), 0.5)
    rewards = np.array([[1.0, 1.0 + 1e-9], [1e6, 1e6]])
    episode = ut.Episode([0], [0])
    assert ut.explain(episode, ut.MDP(P, rewards), 1).policy[0, 0, 1] == 0
    rewards[1] = 1.0
    assert ut.explain(episode, ut.MDP(P, rewards), 1).policy[0, 0, 1] == 1


@given(world=worlds(steps=5), k=st.integers(0, 4))
def test_closed_form_and_table_are_one_search(world, k):
    """A mechanism that tabulates the exact rows must give what the fused search gives."""

    class Tabulated(ut.Mechanism):
        def row(self, p, y, q):
            return ut.GumbelMax().row(p, y, q)

        def worlds(self, mdp, states, actions):
            exact = ut.GumbelMax().worlds(mdp, states, actions)
            m = len(mdp.actions)
            from untaken.kernels.layout import Worlds
            from untaken.kernels.worlds import step_weights

            table = [
                step_weights(mdp.arrays, exact, t, states[t] * m + actions[t], states[t + 1])
                for t in range(len(states) - 1)
            ]
            entries = mdp.transitions.successors.size
            return Worlds(0, np.array(table).reshape(len(table), entries))

    fused, tabulated = explain(world, k), explain(world, k, mechanism=Tabulated())
    np.testing.assert_allclose(fused.frontier, tabulated.frontier, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(fused.policy.reachable, tabulated.policy.reachable)
