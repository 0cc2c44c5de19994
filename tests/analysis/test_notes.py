"""What a reader is told about a question, and when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.oracles import World
from tests.worlds import worlds

P = np.array(
    [[[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]], [[0.3, 0.6, 0.1], [0.3, 0.7, 0]], [[0, 0, 1]] * 2]
)
STATES, ACTIONS = ["ill", "well", "dead"], ["wait", "treat"]


def process(**options) -> ut.MDP:
    return ut.MDP(P, options.pop("rewards", [0, 1, 0]), states=STATES, actions=ACTIONS, **options)


def notes(states, actions, k=1, **options) -> tuple[str, ...]:
    return ut.explain(ut.Episode(states, actions), process(**options), k).notes


def test_nothing_is_said_where_nothing_needs_to_be():
    assert notes(["ill", "well", "ill"], ["wait", "treat"], final_reward=[1, 2, 0]) == ()
    assert notes(["ill", "well"], ["wait", "treat"]) == ()


def test_an_end_in_an_absorbing_state_needs_a_value_for_going_on():
    episode = ut.Episode(["ill", "dead"], ["wait"])
    with pytest.warns(
        ut.errors.HorizonWarning, match="ends in the absorbing state 'dead'"
    ) as found:
        cf = ut.explain(episode, process())
    assert found[0].filename == __file__  # it points at the question, not into the library
    assert len(cf.notes) == 1
    assert "mdp.replace(final_reward=untaken.continuation(mdp, policy))" in cf.notes[0]


@pytest.mark.filterwarnings("error")
def test_with_a_value_for_going_on_all_is_well():
    mdp = process()
    valued = mdp.replace(final_reward=ut.continuation(mdp, ["treat"] * 3))
    assert ut.explain(ut.Episode(["ill", "dead"], ["wait"]), valued).notes == ()


def test_what_was_not_seen_is_left_out_and_that_is_said():
    message = "state after the last action was not seen"
    arrival = np.ones((3, 2, 3))
    for options in ({"rewards": arrival}, {"final_reward": [1, 1, 1]}):
        (note,) = notes(["ill", "well"], ["wait", "treat"], **options)
        assert message in note
        assert notes(["ill", "well", "ill"], ["wait", "treat"], **options) == ()


def test_rewards_of_the_log_are_reported_where_they_are_others():
    mdp = process(discount=0.5)
    for logged, told in (([0, 1], False), ([0, 4], True), ([float("nan"), 1], False)):
        episode = ut.Episode(["ill", "well"], ["wait", "treat"], rewards=logged)
        found = ut.explain(episode, mdp, 1).notes
        assert bool(found) == told
    (note,) = ut.explain(
        ut.Episode(["ill", "well"], ["wait", "treat"], rewards=[0, 4]), mdp, 1
    ).notes
    assert note.startswith("The rewards in the log come to 2 for this episode.")
    assert note.endswith("in which it is worth 0.5.")


def test_observed_actions_that_are_not_available_are_counted():
    available = np.array([[True, False], [True, True], [True, True]])
    found = notes(["ill", "well", "ill"], ["treat", "treat", "treat"], k=0, available=available)
    assert found[0].startswith("At 2 of 3 steps (0, 2) the observed action counts as not available")
    many = notes(["ill"] * 8, ["treat"] * 8, k=0, available=available)
    assert many[0].startswith("At 8 of 8 steps (0, 1, 2, 3, 4, ...)")


def test_kept_actions_that_are_not_available_on_the_way_are_reported():
    available = np.array([[True, True], [True, True], [True, True]])
    available[1, 0] = False  # waiting is no choice when well
    mdp = process(rewards=[0, 9, 0], available=available)
    cf = ut.explain(ut.Episode(["ill", "ill", "ill"], ["wait"] * 3), mdp, 1)
    share = cf.courses.unavailable
    assert 0.05 < share < 1
    expected = (
        f"With probability {share:.1%} the policy keeps an observed action in a counterfactual"
    )
    assert cf.notes[-1].startswith(expected)
    assert cf.at(0).notes == ()


@given(world=worlds(steps=4), k=st.integers(0, 4))
def test_the_probability_of_unavailable_actions_is_that_of_the_courses_with_one(world: World, k):
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned)
    expected = sum(
        path.probability
        for path in oracles.paths(world, lambda t, states, left: cf.policy[t, states[-1], left], k)
        if not world.available[list(path.states[: world.T]), list(path.actions)].all()
    )
    assert cf.courses.unavailable == pytest.approx(expected, abs=1e-12)
