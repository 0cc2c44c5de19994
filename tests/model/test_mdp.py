"""A process: its options, its view of an episode, its absorbing states."""

from __future__ import annotations

import numpy as np
import pytest

import untaken as ut

P = np.array([[[0.5, 0.5, 0.0], [0.0, 0.9, 0.1]], [[0, 1, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]]])


def process(**options) -> ut.MDP:
    given = {"states": ["ill", "dead", "well"], "actions": ["wait", "treat"]} | options
    return ut.MDP(P, [0, 0, 1], **given)


def test_replace_changes_what_is_named_and_nothing_else():
    mdp = process(final_reward=[1, 2, 3], available=P[:, :, 1] < 2)
    changed = mdp.replace(discount=0.5, minimise=True)
    assert (changed.discount, changed.minimise) == (0.5, True)
    assert (mdp.discount, mdp.minimise) == (1.0, False)
    assert changed.states == mdp.states
    assert changed.actions == mdp.actions
    np.testing.assert_array_equal(changed.final_reward, [1, 2, 3])
    np.testing.assert_array_equal(changed.transitions.dense(), P)
    np.testing.assert_array_equal(changed.available, mdp.available)
    relabelled = mdp.replace(states=["a", "b", "c"])
    assert list(relabelled.states) == ["a", "b", "c"]


def test_rewards_paid_on_arrival_do_not_follow_other_transitions():
    mdp = ut.MDP(P, np.ones((3, 2, 3)))
    with pytest.raises(ut.errors.InvalidProcess, match="give rewards= together with new trans"):
        mdp.replace(transitions=P[::-1])
    assert mdp.replace(transitions=P, rewards=[1, 2, 3]).rewards.scale == 3


def test_labels_are_numbers_where_none_are_given():
    mdp = ut.MDP(P, [0, 0, 1])
    assert list(mdp.states) == [0, 1, 2]
    assert list(mdp.actions) == [0, 1]


def test_absorbing_states_are_those_that_no_action_leaves():
    assert process().absorbing.tolist() == [False, True, False]


def test_an_episode_is_read_by_label():
    states, actions = process().codes(ut.Episode(["well", "ill", "dead"], ["wait", "treat"]))
    assert states.tolist() == [2, 0, 1]
    assert actions.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": ["a", "b"]}, "the transitions have 3 states; 2 state names came"),
        ({"actions": ["a"]}, "the transitions have 2 actions; 1 action names came"),
        ({"final_reward": [1, 2]}, r"for each of the 3 states; shape \(2,\) came"),
        ({"final_reward": [1, np.nan, 2]}, "with 1 not finite"),
        ({"available": np.ones((3, 2))}, r"must be a mask \(bool\) of shape \(3, 2\).*float64 of"),
        ({"available": [[True, False]]}, r"bool of shape \(1, 2\) came"),
        ({"discount": 0}, "discount must be above 0 and at most 1; 0 came"),
        ({"discount": 1.01}, "above 0 and at most 1; 1.01 came"),
        ({"discount": float("nan")}, "above 0 and at most 1; nan came"),
        ({"discount": "0.9"}, "above 0 and at most 1; '0.9' came"),
        ({"discount": None}, "above 0 and at most 1; None came"),
        ({"minimise": "no"}, "minimise must be True or False; 'no' came"),
        ({"final_reward": "x"}, "final_reward must be numbers"),
        ({"final_reward": {"ill": 1}}, "final_reward must be numbers"),
        ({"available": [[True], [True, False]]}, r"must be a mask \(bool\) of shape \(3, 2\)"),
        ({"states": 3}, "states must name each state by a text, a number or a tuple"),
        ({"states": [{}, {1}, "c"]}, "states must name each state by a text, a number or a tuple"),
    ],
)
def test_messages(options, message):
    with pytest.raises(ut.errors.InvalidProcess, match=message):
        process(**options)


def test_repeated_labels_are_refused():
    with pytest.raises(ut.errors.UntakenError, match="state label 'a' stands more than once"):
        process(states=["a", "b", "a"])


@pytest.mark.parametrize(
    ("states", "actions", "message"),
    [
        (["ill", "Dead"], ["wait"], r"unknown state 'Dead' at step 1; did you mean 'dead'\?"),
        (
            ["ill"],
            ["operate"],
            "unknown action 'operate' at step 0.* known actions are 'wait', 'tre",
        ),
    ],
)
def test_labels_outside_the_process_are_named(states, actions, message):
    with pytest.raises(ut.errors.UnknownLabel, match=message):
        ut.explain(ut.Episode(states, actions), process())


def test_the_episode_with_the_unknown_label_is_named():
    episode = ut.Episode(["ill"], ["operate"], id="P7")
    with pytest.raises(
        ut.errors.UnknownLabel, match=r"at episode 'P7', step 0.*matched .* by label"
    ):
        ut.explain(episode, process())


def test_an_impossible_transition_is_named():
    episode = ut.Episode(["ill", "ill", "well"], ["wait", "wait"], id=12)
    message = (
        "episode 12, step 1: the transition from state 'ill' under action 'wait' to state 'well' "
        "has probability zero in this process"
    )
    with pytest.raises(ut.errors.ImpossibleTransition, match=message):
        ut.explain(episode, process())
