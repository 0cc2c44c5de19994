"""Backward induction against the enumeration of all policies."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.oracles import World
from tests.worlds import worlds


def value_of(world: World, actions: np.ndarray, first: int) -> float:
    """What a policy [t, s] is worth from a state on, course by course."""

    def go(t: int, s: int) -> float:
        if t == len(actions):
            return world.final[s]
        a = actions[t, s]
        total = world.R[s, a]
        for j in np.flatnonzero(world.P[s, a]):
            after = world.arrival[s, a, j] + world.discount * go(t + 1, int(j))
            total += world.P[s, a, j] * after
        return total

    return go(0, first)


def solvable(world: World) -> World:
    world.available[:, 0] |= ~world.available.any(axis=1)
    return world


@settings(max_examples=60)
@given(world=worlds(states=2, actions=2, steps=1), horizon=st.integers(1, 3))
def test_the_plan_is_the_best_of_all_policies(world, horizon):
    world = solvable(world)
    n = len(world.P)
    found = ut.plan(world.mdp(), horizon)
    choices = [np.flatnonzero(world.available[s]) for _ in range(horizon) for s in range(n)]
    policies = [np.reshape(chosen, (horizon, n)) for chosen in product(*choices)]
    for first in range(n):
        best = max(world.sign * value_of(world, policy, first) for policy in policies)
        assert world.sign * found.value[0, first] == pytest.approx(best, abs=1e-12)


@given(world=worlds(states=4, actions=3, steps=1), horizon=st.integers(1, 4))
def test_the_plan_attains_its_value_with_available_actions(world, horizon):
    world = solvable(world)
    found = ut.plan(world.mdp(), horizon)
    for first in range(len(world.P)):
        attained = value_of(world, found.actions, first)
        assert found.value[0, first] == pytest.approx(attained, abs=1e-12)
    assert world.available[np.arange(len(world.P)), found.actions].all()
    np.testing.assert_array_equal(found.value[horizon], world.final)


def test_no_plan_beats_what_hindsight_can_do():
    data = ut.datasets.synthetic(seed=4)
    value = ut.plan(data.mdp, 20).value[0]
    hindsight = [ut.explain(episode, data.mdp, k=20).outcome for episode in data.episodes]
    promised = [value[int(episode.states[0])] for episode in data.episodes]
    assert np.mean(hindsight) > np.mean(promised)


@pytest.mark.parametrize("horizon", [0, -1, 2.5, "3"])
def test_a_horizon_that_is_none_is_refused(horizon):
    with pytest.raises(ut.errors.InvalidQuestion, match="the horizon must be a whole number above"):
        ut.plan(ut.MDP([[[1.0]]], [0]), horizon)


def test_a_state_without_any_action_is_named():
    mdp = ut.MDP(np.full((2, 1, 2), 0.5), [0, 1], available=[[True], [False]], states=["a", "b"])
    with pytest.raises(ut.errors.InvalidProcess, match="no action is available in state 'b'"):
        ut.plan(mdp, 3)
