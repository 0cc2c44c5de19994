"""Processes read from other libraries' forms."""

from __future__ import annotations

from types import SimpleNamespace

import gymnasium
import mdptoolbox.example
import numpy as np
import pytest
from scipy import sparse

import untaken as ut
from tests.worlds import random_rows


def origin(label) -> int:
    """The state of the environment that a state, or a copy of one, stands for."""
    return int(str(label).split()[0])


def value_in_table(table, chances: np.ndarray, gamma: float) -> np.ndarray:
    """What a policy is worth, straight from the environment's table."""
    n = len(table)
    A, b = np.eye(n), np.zeros(n)
    for s in range(n):
        for a, entries in table[s].items():
            for probability, successor, reward, terminated in entries:
                b[s] += chances[s, a] * probability * reward
                if not terminated:
                    A[s, successor] -= gamma * chances[s, a] * probability
    return np.linalg.solve(A, b)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1"])
def test_a_policy_is_worth_the_same_in_the_environment_and_in_its_process(name):
    env = gymnasium.make(name)
    mdp = ut.MDP.from_gymnasium(env, discount=0.9)
    table = env.unwrapped.P
    n, m = len(table), len(table[0])
    chances = np.random.default_rng(0).dirichlet(np.ones(m), n)
    copied = chances[[origin(label) for label in mdp.states]]
    value = ut.continuation(mdp, copied)
    np.testing.assert_allclose(value[:n], value_in_table(table, chances, 0.9), atol=1e-10)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_every_entry_of_the_environment_is_in_the_process(name):
    env = gymnasium.make(name)
    mdp = ut.MDP.from_gymnasium(env)
    table = env.unwrapped.P
    for s in table:
        for a in table[s]:
            expected = {}
            for probability, successor, reward, terminated in table[s][a]:
                if probability > 0:
                    key = (int(successor), bool(terminated), float(reward))
                    expected[key] = expected.get(key, 0) + probability
            span = mdp.transitions.span(s, a)
            found = {
                (origin(mdp.states[j]), "ended" in str(mdp.states[j]), paid): probability
                for j, probability, paid in zip(
                    mdp.transitions.successors[span],
                    mdp.transitions.probabilities[span],
                    mdp.rewards.arrival[span],
                    strict=True,
                )
            }
            assert found == pytest.approx(expected)


def test_an_episode_played_in_the_environment_is_worth_what_it_was_paid():
    env = gymnasium.make("FrozenLake-v1")
    mdp = ut.MDP.from_gymnasium(env)
    rng = np.random.default_rng(1)
    for seed in range(20):
        state, _ = env.reset(seed=seed)
        states, actions, paid, terminated = [int(state)], [], 0.0, False
        while not terminated and len(actions) < 30:
            actions.append(int(rng.integers(4)))
            state, reward, terminated, _, _ = env.step(actions[-1])
            states.append(f"{state} (ended)" if terminated else int(state))
            paid += reward
        assert ut.explain(ut.Episode(states, actions), mdp, k=0).observed == paid


def two_rewards() -> SimpleNamespace:
    """From 0 to 1 with three rewards, two entries of which are one; 1 ends, by one of two ways."""
    return SimpleNamespace(
        P={
            0: {
                0: [
                    (0.2, 1, 5.0, False),
                    (0.1, 1, 5.0, False),
                    (0.3, 1, -1.0, False),
                    (0.4, 0, 0.0, False),
                ],
                1: [(1.0, 0, 1.0, False), (0.0, 1, 9.0, True)],
            },
            1: {
                0: [(0.5, 0, 2.0, True), (0.25, 0, 3.0, True), (0.25, 0, 2.0, False)],
                1: [(1.0, 1, 0.0, False)],
            },
        }
    )


def test_different_rewards_for_one_transition_lead_to_different_copies():
    mdp = ut.MDP.from_gymnasium(two_rewards())
    labels = [0, 1, "0 (ended)", "0 (ended, reward 3)", "1 (reward -1)"]
    assert list(mdp.states) == labels
    P = mdp.transitions.dense()
    R = mdp.transitions.dense(mdp.rewards.arrival)
    np.testing.assert_allclose(P[0, 0], [0.4, 0.3, 0, 0, 0.3])
    np.testing.assert_allclose(R[0, 0], [0, 5, 0, 0, -1])
    np.testing.assert_allclose(P[1, 0], [0.25, 0, 0.5, 0.25, 0])
    np.testing.assert_allclose(R[1, 0], [2, 0, 2, 3, 0])
    np.testing.assert_allclose(P[4], P[1])  # a copy goes on as the state itself
    np.testing.assert_allclose(R[4], R[1])
    assert mdp.absorbing.tolist() == [False, False, True, True, False]
    assert not mdp.transitions.dense(mdp.rewards.arrival)[2:4].any()


def test_options_are_passed_on():
    mdp = ut.MDP.from_gymnasium(
        gymnasium.make("FrozenLake-v1"), actions=["left", "down", "right", "up"], discount=0.5
    )
    assert mdp.actions.code("up") == 3
    assert mdp.discount == 0.5
    named = ut.MDP.from_gymnasium(two_rewards(), states=["a", "b", "c", "d", "e"])
    assert list(named.states) == ["a", "b", "c", "d", "e"]


def test_an_environment_without_a_table_is_refused():
    with pytest.raises(ut.errors.InvalidProcess, match=r"has no transition table at env.unwrapped"):
        ut.MDP.from_gymnasium(gymnasium.make("CartPole-v1"))


def frontier_in(mdp: ut.MDP) -> np.ndarray:
    drawn = ut.simulate(mdp, [0] * len(mdp.states), episodes=1, horizon=8, seed=3)
    return ut.explain(drawn[0], mdp, k=3).frontier


def test_mdptoolbox_is_read_in_its_own_order():
    P, R = mdptoolbox.example.forest(S=4, p=0.2)
    direct = ut.MDP(P.transpose(1, 0, 2), R)
    read = ut.MDP.from_mdptoolbox(P, R)
    np.testing.assert_array_equal(read.transitions.dense(), direct.transitions.dense())
    np.testing.assert_array_equal(read.rewards.departure, R)
    np.testing.assert_array_equal(frontier_in(read), frontier_in(direct))


def test_mdptoolbox_in_all_of_its_forms():
    rng = np.random.default_rng(2)
    P, R = random_rows(rng, 3, 6, 6), rng.normal(size=(3, 6, 6))
    arrival = R.transpose(1, 0, 2)
    direct = ut.MDP(P.transpose(1, 0, 2), arrival)
    matrices = [sparse.csr_matrix(matrix) for matrix in P]
    rewards = [sparse.csr_matrix(matrix) for matrix in R]
    as_objects = np.empty(3, dtype=object)
    as_objects[:] = matrices
    for transitions in (P, list(P), matrices, as_objects):
        for paid in (R, list(R), rewards):
            read = ut.MDP.from_mdptoolbox(transitions, paid)
            np.testing.assert_allclose(
                read.transitions.dense(), direct.transitions.dense(), atol=1e-12
            )
            np.testing.assert_allclose(read.rewards.arrival, direct.rewards.arrival, atol=1e-12)
    sparse_forest, departure = mdptoolbox.example.forest(S=4, is_sparse=True)
    read = ut.MDP.from_mdptoolbox(sparse_forest, departure, discount=0.9)
    dense_forest, _ = mdptoolbox.example.forest(S=4)
    np.testing.assert_allclose(read.transitions.dense(), dense_forest.transpose(1, 0, 2))
    assert read.discount == 0.9


@pytest.mark.parametrize(
    ("transitions", "came"), [(np.ones((2, 3, 2)), r"\(2, 3, 2\)"), (np.eye(3), r"\(3, 3\)")]
)
def test_other_layouts_are_refused(transitions, came):
    with pytest.raises(ut.errors.InvalidProcess, match=rf"shape \(A, S, S\); {came} came"):
        ut.MDP.from_mdptoolbox(transitions, [0, 0, 0])
