"""The question: what may be changed, how it may be put, and the authors' conventions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.oracles import World
from tests.worlds import worlds

EVEN = ut.MDP(np.full((2, 3, 2), 0.5), [[0, 1, 2], [0, 1, 2]], actions=["wait", "treat", "cut"])
EPISODE = ut.Episode([0, 1, 0, 1], ["wait", "treat", "wait"])


def explain(world: World, k: int, **options) -> ut.Counterfactual:
    return ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


# --- what may be changed ---------------------------------------------------------------------


def test_negative_steps_count_from_the_end():
    counted = ut.explain(EPISODE, EVEN, 3, pinned=[-1, -3])
    plain = ut.explain(EPISODE, EVEN, 3, pinned=[0, 2])
    assert counted.problem.pinned == plain.problem.pinned == (0, 2)
    np.testing.assert_array_equal(counted.policy.actions, plain.policy.actions)
    assert np.all(plain.policy[0] == 0)
    assert np.all(plain.policy[2] == 0)
    assert not np.all(plain.policy[1] == 1)


def test_pinning_everything_leaves_what_was_observed():
    cf = ut.explain(EPISODE, EVEN, 3, pinned=range(3))
    np.testing.assert_array_equal(cf.frontier, cf.observed)


@given(world=worlds(steps=4), k=st.integers(0, 4), which=st.integers(0, 2))
def test_an_excluded_action_is_one_that_is_nowhere_available(world: World, k, which):
    action = which % world.P.shape[1]
    excluded = explain(world, k, excluded=[action])
    world.available[:, action] = False
    unavailable = explain(world, k)
    np.testing.assert_array_equal(excluded.frontier, unavailable.frontier)
    np.testing.assert_array_equal(excluded.policy.actions, unavailable.policy.actions)


def test_excluded_actions_are_labels_and_may_be_kept():
    cf = ut.explain(EPISODE, EVEN, 3, excluded=["treat", "cut"])
    assert cf.policy[0].max() == 0
    assert np.all(cf.policy[1][:, 0] == 1)  # observed, so it may stay
    with pytest.raises(
        ut.errors.UnknownLabel, match="unknown action 'Cut' at excluded, position 1"
    ):
        ut.explain(EPISODE, EVEN, 3, excluded=["treat", "Cut"])


# --- budgets ---------------------------------------------------------------------------------


@given(world=worlds(steps=5), k=st.integers(0, 6))
def test_one_solve_serves_every_budget(world: World, k):
    whole = explain(world, k)
    for budget in range(k + 1):
        view, alone = whole.at(budget), explain(world, budget)
        np.testing.assert_allclose(view.frontier, alone.frontier, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(view.policy.reachable, alone.policy.reachable)
        np.testing.assert_array_equal(
            view.policy.actions[view.policy.reachable], alone.policy.actions[alone.policy.reachable]
        )
        assert view.policy.budget == budget


def test_the_budget_may_be_far_above_the_number_of_steps():
    many, enough = ut.explain(EPISODE, EVEN, 50), ut.explain(EPISODE, EVEN, 3)
    assert many.frontier.shape == (51,)
    np.testing.assert_array_equal(many.frontier[3:], enough.outcome)


@pytest.mark.parametrize("k", [-1, 1.5, "2", None, True, np.float64(2)])
def test_a_budget_is_a_whole_number_of_changes(k):
    with pytest.raises(ut.errors.InvalidQuestion, match="k must be a"):
        ut.explain(EPISODE, EVEN, k)
    with pytest.raises(ut.errors.InvalidQuestion, match="k must be a"):
        ut.explain(EPISODE, EVEN, 3).at(k)


def test_a_budget_that_would_fill_the_memory_is_refused():
    with pytest.raises(ut.errors.InvalidQuestion, match="at most 10,000; 1000000000 came"):
        ut.explain(EPISODE, EVEN, 10**9)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ((([0], ["wait"]), EVEN), r"the episode must be an Episode\(states, actions\); \(\[0\]"),
        ((EVEN, EPISODE), "the episode must be an Episode"),
        ((EPISODE, [[[1.0]]]), r"the process must be an MDP \(that of a fit is fit.mdp\)"),
    ],
)
def test_a_question_is_about_an_episode_of_a_process(question, message):
    with pytest.raises(ut.errors.InvalidQuestion, match=message):
        ut.explain(*question)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": {"drop_below": 0.1}}, r"rules must be Rules\(...\); \{'drop_below'"),
        ({"excluded": "treat"}, r"excluded must be a list, as in excluded=\['treat'\]"),
    ],
)
def test_options_of_another_kind_are_refused(options, message):
    with pytest.raises(ut.errors.InvalidQuestion, match=message):
        ut.explain(EPISODE, EVEN, 1, **options)


def test_an_answer_does_not_hold_larger_budgets():
    cf = ut.explain(EPISODE, EVEN, np.int64(2))
    assert cf.at(np.int32(1)).at(2).outcome == cf.outcome
    with pytest.raises(ut.errors.InvalidQuestion, match="holds the budgets 0 to 2; 3 came"):
        cf.at(1).at(3)


@pytest.mark.parametrize(
    ("pinned", "message"),
    [
        ([3], r"pinned step 3 is outside the episode, which has the steps 0 to 2 \(or -3 to -1"),
        ([-4], "pinned step -4 is outside"),
        ([1.5], "pinned steps are whole numbers; 1.5 came"),
        (["1"], "pinned steps are whole numbers; '1' came"),
        ([True, False, True], "pinned steps are whole numbers; True came"),
        (np.array([True, False, True]), "pinned steps are whole numbers; np.True_ came"),
        (1, r"pinned must be a list, as in pinned=\[1\]; 1 came"),
    ],
)
def test_pinned_steps_are_checked(pinned, message):
    with pytest.raises(ut.errors.InvalidQuestion, match=message):
        ut.explain(EPISODE, EVEN, 1, pinned=pinned)


# --- the authors' conventions ----------------------------------------------------------------


@given(world=worlds(steps=4), k=st.integers(0, 4))
def test_minus_infinity_is_a_reward_like_any_other(world: World, k):
    found = explain(world, k, rules=ut.Rules(minus_infinity=True)).frontier
    forbidden = np.where(world.available, world.R, -world.sign * np.inf)
    plain = replace(world, R=forbidden, available=np.ones_like(world.available))
    expected = [oracles.best_by_recursion(plain, budget) for budget in range(k + 1)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@given(world=worlds(steps=4), k=st.integers(0, 4), least=st.sampled_from([1e-3, 0.05, 0.15]))
def test_dropping_rare_transitions_rescales_what_is_left(world: World, k, least):
    def dropped(p, y, q):
        w = np.array(oracles.gumbel_max_row(p, y, q))
        w[w < least] = 0
        return w / w.sum()

    found = explain(world, k, rules=ut.Rules(drop_below=least)).frontier
    plain = replace(world, row=dropped)
    expected = [oracles.best_by_recursion(plain, budget) for budget in range(k + 1)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_dropping_too_much_is_refused():
    P = np.tile([[0.5, 0.5], [0.4, 0.6]], (2, 1, 1))
    with pytest.raises(
        ut.errors.InvalidQuestion, match=r"drop_below=0\.9 leaves nothing of 2 of 4"
    ):
        ut.explain(ut.Episode([0, 0], [0, 0]), ut.MDP(P, [0, 1]), 1, rules=ut.Rules(drop_below=0.9))


@pytest.mark.parametrize("least", [-0.1, 1.0, float("nan")])
def test_the_least_probability_is_one(least):
    with pytest.raises(ut.errors.InvalidQuestion, match=f"from 0 to below 1; {least} came"):
        ut.Rules(drop_below=least)


@pytest.mark.parametrize(
    ("mechanism", "advice"),
    [
        (ut.InverseCDF, r"the class InverseCDF came; write InverseCDF\(\)"),
        (lambda p, y, q: q, r"wrapped as Custom\(function\)"),  # noqa: ARG005
        ("gumbel", r"'gumbel' came; give an object such as GumbelMax\(\)"),
    ],
)
def test_a_causal_model_is_an_object(mechanism, advice):
    mdp = ut.MDP([[[1.0]]], [0.0])
    with pytest.raises(ut.errors.InvalidQuestion, match=advice):
        ut.explain(ut.Episode([0], [0]), mdp, 1, mechanism=mechanism)
