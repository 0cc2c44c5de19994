"""What every mechanism shares: the rows of a whole step, and the checks of its input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import untaken as ut
from tests.oracles import World
from tests.worlds import worlds


@given(world=worlds(states=5, actions=3, steps=2))
def test_the_transitions_of_a_step_are_its_rows(world: World):
    if len(world.states) < 2:
        return
    (s, y), a = world.states[:2], world.actions[0]
    found = ut.GumbelMax().transitions(world.mdp(), s, a, y)
    for state in range(len(world.P)):
        for action in range(world.P.shape[1]):
            expected = ut.GumbelMax().row(world.P[s, a], y, world.P[state, action])
            np.testing.assert_allclose(found[state, action], expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found[s, a], np.eye(len(world.P))[y])


def test_transitions_speak_labels():
    P = [[[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.0, 1.0]]]
    mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    found = ut.GumbelMax().transitions(mdp, "ill", "wait", "ill")
    np.testing.assert_array_equal(found[0, 0], [1, 0])
    with pytest.raises(ut.errors.UnknownLabel, match="unknown state 'I'"):
        ut.GumbelMax().transitions(mdp, "I", "wait", "ill")
    message = "never leads from state 'well' under action 'treat' to 'ill': there is nothing to"
    for mechanism in (ut.GumbelMax(), ut.GumbelMaxSampled(d=10)):
        with pytest.raises(ut.errors.InvalidRow, match=message):
            mechanism.transitions(mdp, "well", "treat", "ill")


@pytest.mark.parametrize(
    ("p", "y", "q", "message"),
    [
        ([0.5, 0.5], 0, [1.0], "over the same states; 2 and 1 came"),
        ([0.5, 0.5], 2, [0.5, 0.5], "y must be a state from 0 to 1; 2 came"),
        ([0.5, 0.5], -1, [0.5, 0.5], "y must be a state from 0 to 1; -1 came"),
        ([0.5, 0.5], 0.5, [0.5, 0.5], "y must be a state from 0 to 1; 0.5 came"),
        ([0.0, 1.0], 0, [0.5, 0.5], "outcome 0 has probability zero in p"),
        ([[0.5, 0.5]], 0, [0.5, 0.5], r"row p must be a vector of probabilities; shape \(1, 2\)"),
        ([], 0, [], r"row p must be a vector of probabilities; shape \(0,\) came"),
        ([0.5, 0.5], 0, [1.5, -0.5], "row q has -0.5 at state 1; expected numbers from 0 to 1"),
        ([np.nan, 0.5], 1, [0.5, 0.5], "row p has nan at state 0"),
        ([0.5, np.inf], 0, [0.5, 0.5], "row p has inf at state 1"),
        ([0.5, 0.4], 0, [0.5, 0.5], "row p sums to 0.9; expected 1"),
        ([5.0, 5.0], 0, [0.5, 0.5], "row p sums to 10; expected 1"),
    ],
)
@pytest.mark.parametrize("mechanism", [ut.GumbelMax(), ut.GumbelMaxSampled(d=5)])
def test_rows_that_are_none_are_refused(mechanism, p, y, q, message):
    with pytest.raises(ut.errors.InvalidRow, match=message):
        mechanism.row(p, y, q)
