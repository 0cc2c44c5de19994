"""Rewards in every form, and complaints about what is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse

import untaken as ut
from tests.model.test_rows import each_action, stacked
from tests.oracles import World
from tests.worlds import worlds

P = np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.25, 0.75]]])


def paid(mdp: ut.MDP, states, actions) -> float:
    return ut.explain(ut.Episode(states, actions), mdp, k=0).observed


def test_rewards_of_states_are_paid_whatever_is_done():
    mdp = ut.MDP(P, [3, 5])
    np.testing.assert_array_equal(mdp.rewards.departure, [[3, 3], [5, 5]])
    assert paid(mdp, [0, 1, 1], [0, 1]) == 8


def test_rewards_of_contexts_are_paid_for_acting():
    mdp = ut.MDP(P, [[1, 2], [3, 4]])
    assert paid(mdp, [0, 1], [0, 1]) == 5
    assert not mdp.pays_on_arrival


def test_rewards_of_transitions_are_paid_for_where_they_led():
    R = np.arange(8.0).reshape(2, 2, 2)
    mdp = ut.MDP(P, R)
    assert paid(mdp, [0, 1, 0], [0, 1]) == R[0, 0, 1] + R[1, 1, 0]
    assert mdp.pays_on_arrival
    assert paid(mdp, [0, 1], [0, 1]) == R[0, 0, 1]  # where the last step led was not seen


@settings(max_examples=50)
@given(world=worlds(states=4, actions=3, steps=4))
def test_dense_and_sparse_arrival_rewards_are_one(world: World):
    forms = [world.arrival, each_action(world.arrival), stacked(world.arrival)]
    frontiers = [ut.explain(world.episode(), ut.MDP(world.P, R), 3).frontier for R in forms]
    for frontier in frontiers[1:]:
        np.testing.assert_allclose(frontier, frontiers[0], rtol=0, atol=1e-12)


def test_both_kinds_may_be_paid():
    rewards = ut.Rewards(np.ones((2, 2)), np.arange(6.0))
    mdp = ut.MDP(P, rewards)
    assert paid(mdp, [0, 1, 1], [0, 0]) == 1 + 1 + 1 + 3
    assert rewards.scale == 5


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        (
            [1, 2, 3],
            r"the shape \(2,\), \(2, 2\) or \(2, 2, 2\) for 2 states and 2 actions; \(3,\) c",
        ),
        (np.ones((2, 3)), r"\(2, 3\) came"),
        ([["a", "b"], ["c", "d"]], "rewards must be numbers"),
        ([[1, np.nan], [0, 0]], "the reward of state 0, action 1 is nan; rewards are finite"),
        ([[1, 0], [np.inf, 0]], "the reward of state 1, action 0 is inf; rewards are finite"),
        (
            [[1, 0], [0, -np.inf]],
            r"state 1, action 1 is minus infinity. .*available=.*minus_infinity",
        ),
        (np.full((2, 2, 2), np.nan), "the reward of state 0, action 0, next state 0 is nan"),
        (ut.Rewards(np.ones((2, 2)), np.ones(3)), "6 entries of the rows go with .* 3 came"),
        (
            [sparse.eye(2).tocsr()],
            "expected 2 sparse .* matrices of rewards, one for each action; 1 of",
        ),
        ([sparse.eye(2).tocsr(), sparse.eye(3).tocsr()], r"of shapes \[\(2, 2\), \(3, 3\)\] came"),
        (
            sparse.eye(2).tocsr(),
            r"rewards over contexts must have the shape \(4, 2\); \(2, 2\) came",
        ),
    ],
)
def test_messages(rewards, message):
    with pytest.raises(ut.errors.InvalidProcess, match=message):
        ut.MDP(P, rewards)


@pytest.mark.parametrize(
    ("departure", "message"),
    [
        (np.ones(2), "departure rewards must have the shape"),
        (np.ones((3, 2)), "departure rewards must have the shape"),
    ],
)
def test_ready_made_rewards_must_fit_the_process(departure, message):
    with pytest.raises(ut.errors.InvalidProcess, match=message):
        ut.MDP(P, ut.Rewards(departure, np.empty(0)))
