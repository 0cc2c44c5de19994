"""Courses drawn from a process."""

from importlib import import_module

import numpy as np
import pytest

import untaken as ut
from tests.oracles_data import simulate_course

module = import_module("untaken.model.simulate")  # the function of that name hides it


def process(states=5, actions=3, absorbing=True, seed=0, **options):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(states), size=(states, actions))
    P[rng.random(P.shape) < 0.3] = 0
    P[..., 0] += 0.1
    P /= P.sum(axis=2, keepdims=True)
    if absorbing:
        P[-1] = np.eye(states)[-1]
    return ut.MDP(P, rng.normal(size=(states, actions, states)), **options)


@pytest.mark.parametrize("steps", [1, 7])
@pytest.mark.parametrize("stop", [True, False])
def test_courses_are_those_of_the_plain_simulation(steps, stop):
    mdp = process()
    policy = np.random.default_rng(1).dirichlet(np.ones(3), size=(steps, 5))
    drawn = ut.simulate(
        mdp, policy, episodes=40, horizon=7, start=2, seed=3, stop_at_absorbing=stop
    )
    uniforms = np.random.default_rng(3).random((40, 7, 2))
    for episode, numbers in zip(drawn, uniforms, strict=True):
        states, actions = simulate_course(mdp, policy, 2, 7, numbers, stop)
        assert episode.states == tuple(states)
        assert episode.actions == tuple(actions)


def test_rewards_are_those_of_the_process_along_the_course():
    mdp = process()
    dense = mdp.transitions.dense(mdp.rewards.arrival)
    for episode in ut.simulate(mdp, [0, 1, 2, 0, 1], episodes=20, horizon=4, seed=2):
        triples = zip(episode.states, episode.actions, episode.states[1:], strict=False)
        assert episode.rewards == pytest.approx([dense[triple] for triple in triples])


def test_chunks_of_random_numbers_do_not_change_the_courses(monkeypatch):
    mdp = process()
    whole = ut.simulate(mdp, [0] * 5, episodes=50, horizon=6, seed=5)
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 30)
    pieces = ut.simulate(mdp, [0] * 5, episodes=50, horizon=6, seed=5)
    assert np.array_equal(whole.state_codes, pieces.state_codes)
    assert np.array_equal(whole.final_codes, pieces.final_codes)


def test_frequencies_approach_the_rows():
    mdp = process(absorbing=False)
    drawn = ut.simulate(mdp, np.full((5, 3), 1 / 3), episodes=4_000, horizon=20, seed=7)
    context = drawn.state_codes * 3 + drawn.action_codes
    counts = np.zeros((15, 5))
    np.add.at(counts, (context, drawn.next_codes), 1)
    assert counts.sum() == 80_000
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert np.abs(shares - mdp.transitions.dense().reshape(15, 5)).max() < 0.05


def test_horizons_starts_and_hidden_final_states():
    mdp = process(absorbing=False, states=2, actions=1, seed=4)
    drawn = ut.simulate(mdp, [0, 0], episodes=3, horizon=[1, 4, 2], start=[1, 0, 1])
    assert drawn.horizons.tolist() == [1, 4, 2]
    assert [episode.states[0] for episode in drawn] == [1, 0, 1]
    assert drawn.final_seen.all()
    hidden = ut.simulate(mdp, [0, 0], episodes=3, horizon=2, see_final=False)
    assert not hidden.final_seen.any()
    always = ut.simulate(mdp, [0, 0], episodes=30, horizon=2, initial=[0, 1])
    assert {episode.states[0] for episode in always} == {1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episodes": 0}, "at least one episode to draw; 0 came"),
        ({"horizon": 0}, "the horizon must be a whole number above 0"),
        ({"horizon": [1, 2]}, "or 3 of them"),
        ({"start": [0, 1]}, "3 episodes need one state, or 3, to start in; 2 came"),
        ({"start": 9}, "unknown state 9"),
        ({"start": 4}, "starts in the absorbing state 4 has no decision"),
        ({"start": 1, "initial": [1, 0, 0, 0, 0]}, "not both"),
        ({"initial": [1, 0]}, "a probability for each of the 5 states"),
        ({"initial": [1, 1, 0, 0, 0]}, "initial must sum to 1; it sums to 2"),
        ({"policy": [0, 1]}, "one action for each of the 5 states; 2 came"),
        ({"policy": np.ones((5, 2))}, r"has the shape \(5, 3\) as policy\[s, a\]"),
        ({"policy": np.ones((5, 3))}, "state 0 must be probabilities that sum to 1; they sum to 3"),
        ({"policy": np.full((2, 5, 3), 1 / 3)}, "has 2 steps; a horizon of 4 needs as many"),
    ],
)
def test_messages(options, message):
    given = {"policy": [0] * 5, "episodes": 3, "horizon": 4} | options
    with pytest.raises(ut.errors.UntakenError, match=message):
        ut.simulate(process(), given.pop("policy"), **given)
