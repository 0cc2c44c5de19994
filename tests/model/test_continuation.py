"""What going on is worth, against sums over a long time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests.worlds import random_rows


@st.composite
def ending(draw: st.DrawFn) -> tuple[ut.MDP, np.ndarray]:
    """A process that always may end in its last state, and a policy."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    P = 0.8 * random_rows(rng, n, m, n)
    P[..., -1] += 0.2
    P[-1] = np.eye(n)[-1]
    R = rng.normal(size=(n, m))
    arrival = rng.normal(size=(n, m, n))
    R[-1], arrival[-1] = 0, 0
    final = np.append(np.zeros(n - 1), 3.0)
    mdp = ut.MDP(
        P,
        ut.Rewards(R, arrival[P > 0]),
        final_reward=final,
        discount=draw(st.sampled_from([1.0, 0.9])),
        minimise=draw(st.booleans()),
    )
    return mdp, random_rows(rng, n, m)


@given(given=ending())
def test_it_is_the_sum_over_all_that_comes(given):
    mdp, policy = given
    P, R = mdp.transitions.dense(), mdp.rewards.departure
    arrival = mdp.transitions.dense(mdp.rewards.arrival)
    step = (P * (R[:, :, None] + arrival)).sum(axis=2)
    value, ahead = np.zeros(len(P)), mdp.final_reward.copy()
    for _ in range(400):  # (0.8)^400 is nothing
        following = np.einsum("saj,j->sa", P, ahead)
        ahead = (policy * (step + mdp.discount * following)).sum(axis=1)
        ahead[-1] = mdp.final_reward[-1]
    value = ahead
    np.testing.assert_allclose(ut.continuation(mdp, policy), value, rtol=0, atol=1e-9)


def test_it_is_what_simulated_courses_go_on_to_earn():
    P = [[[0.5, 0.3, 0.2], [0.7, 0.3, 0.0]], [[0.3, 0.6, 0.1]] * 2, [[0, 0, 1]] * 2]
    mdp = ut.MDP(P, [1, 2, 0], states=["ill", "better", "gone"], actions=["wait", "treat"])
    policy = np.array([[0.5, 0.5], [1, 0], [1, 0]])
    value = ut.continuation(mdp, policy)
    drawn = ut.simulate(mdp, policy, episodes=20_000, horizon=500, start="ill", seed=4)
    assert not drawn.final_seen.sum() < 20_000
    sums = np.add.reduceat(drawn.rewards, drawn.offsets[:-1])
    assert abs(sums.mean() - value[0]) < 5 * sums.std() / np.sqrt(20_000)


def test_a_policy_may_name_actions_by_label():
    P = [[[0.5, 0.5], [0.9, 0.1]], [[0, 1], [0, 1]]]
    mdp = ut.MDP(P, [1, 0], actions=["wait", "treat"])
    np.testing.assert_allclose(ut.continuation(mdp, ["wait", "wait"]), [2, 0])
    np.testing.assert_allclose(ut.continuation(mdp, ["treat", "wait"]), [10, 0])


def test_an_absorbing_state_is_worth_its_final_reward_or_its_pay_for_ever():
    P = [[[0, 1]], [[0, 1]]]
    np.testing.assert_allclose(
        ut.continuation(ut.MDP(P, [1, 0], final_reward=[9, 5]), [0, 0]), [6, 5]
    )
    discounted = ut.MDP(P, [1, 2], discount=0.5)
    np.testing.assert_allclose(ut.continuation(discounted, [0, 0]), [1 + 0.5 * 4, 4])
    arriving = ut.MDP(P, [[[0, 3]], [[0, 0]]])
    np.testing.assert_allclose(ut.continuation(arriving, [0, 0]), [3, 0])


def test_wandering_for_ever_without_pay_is_worth_nothing():
    P = [[[0, 1, 0]], [[1, 0, 0]], [[0, 0, 1]]]
    mdp = ut.MDP(P, [0, 0, 0], final_reward=[0, 0, 7])
    np.testing.assert_array_equal(ut.continuation(mdp, [0, 0, 0]), [0, 0, 7])


CIRCLE = [[[0, 1]], [[1, 0]]]


@pytest.mark.parametrize(
    ("mdp", "policy", "error", "message"),
    [
        (
            ut.MDP(CIRCLE, [0, 2], states=["a", "b"]),
            [0, 0],
            "InvalidProcess",
            "state 'b' never leads",
        ),
        (
            ut.MDP(CIRCLE, [0, 2]),
            [0, 0],
            "InvalidProcess",
            "pays 2 a step for ever, .* discount below",
        ),
        (
            ut.MDP([[[1.0]]], [3], states=["z"]),
            [0],
            "InvalidProcess",
            "absorbing state 'z' pays 3 a",
        ),
        (
            ut.MDP(CIRCLE, [0, 0]),
            [0],
            "InvalidPolicy",
            "one action for each of the 2 states; 1 came",
        ),
        (ut.MDP(CIRCLE, [0, 0]), [0, 1], "UnknownLabel", "unknown action 1 at state 1"),
        (ut.MDP(CIRCLE, [0, 0]), np.ones((3, 2, 1)), "InvalidPolicy", "same at all steps; 3 came"),
        (
            ut.MDP(CIRCLE, [0, 0]),
            np.ones((2, 2)),
            "InvalidPolicy",
            r"has the shape \(2, 1\) as policy",
        ),
        (ut.MDP(CIRCLE, [0, 0]), [[0.5], [1.0]], "InvalidPolicy", "state 0 must be probabilities"),
    ],
)
def test_messages(mdp, policy, error, message):
    with pytest.raises(getattr(ut.errors, error), match=message):
        ut.continuation(mdp, policy)
