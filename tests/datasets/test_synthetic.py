"""The synthetic process is the one that the paper's section 4 describes."""

from __future__ import annotations

import numpy as np
import pytest

import untaken as ut


def test_sizes_are_those_of_the_paper_unless_others_are_given():
    data = ut.datasets.synthetic()
    assert repr(data.mdp) == "MDP(20 states, 10 actions, 4000 transitions)"
    assert len(data.episodes) == 50
    assert set(data.episodes.horizons) == {20}
    assert not data.episodes.final_seen.any()
    small = ut.datasets.synthetic(states=3, actions=2, horizon=4, episodes=5)
    assert small.mdp.transitions.dense().shape == (3, 2, 3)
    assert small.policy.shape == (4, 3)


def test_a_state_pays_its_number():
    mdp = ut.datasets.synthetic(seed=1).mdp
    np.testing.assert_array_equal(
        mdp.rewards.departure, np.repeat(np.arange(20.0)[:, None], 10, axis=1)
    )
    assert not mdp.pays_on_arrival


@pytest.mark.parametrize("alpha", [0.1, 0.4, 1.0])
def test_in_every_context_one_successor_weighs_one_and_the_others_up_to_alpha(alpha):
    P = ut.datasets.synthetic(alpha=alpha, seed=2).mdp.transitions.dense().reshape(200, 20)
    ranked = np.sort(P / P.max(axis=1, keepdims=True), axis=1)
    assert np.all(ranked[:, -1] == 1)
    others = ranked[:, :-1]
    assert np.all(others < alpha)
    deviation = alpha / np.sqrt(12 * others.size)
    assert abs(others.mean() - alpha / 2) < 5 * deviation
    favoured = np.bincount(P.argmax(axis=1), minlength=20)  # 200 contexts, 20 states
    assert favoured.max() < 10 + 5 * np.sqrt(200 / 20)


def test_without_uncertainty_the_process_is_deterministic():
    P = ut.datasets.synthetic(alpha=0.0, seed=3).mdp.transitions.dense()
    assert set(P.ravel()) == {0.0, 1.0}


def test_the_policy_is_optimal():
    data = ut.datasets.synthetic(seed=5)
    np.testing.assert_array_equal(data.policy, ut.plan(data.mdp, 20).actions)


def test_courses_follow_it_19_times_in_20_and_stray_evenly():
    data = ut.datasets.synthetic(episodes=2_000, seed=6)
    steps = data.episodes.decisions
    t = np.tile(np.arange(20), 2_000)
    best = data.policy[t, data.episodes.state_codes]
    strayed = data.episodes.action_codes != best
    assert abs(strayed.mean() - 0.05) < 5 * np.sqrt(0.05 * 0.95 / steps)
    shift = (data.episodes.action_codes - best)[strayed] % 10
    expected = strayed.sum() / 9
    counts = np.bincount(shift, minlength=10)[1:]
    assert np.all(np.abs(counts - expected) < 5 * np.sqrt(expected))


def test_courses_start_anywhere():
    data = ut.datasets.synthetic(episodes=2_000, seed=7)
    first = data.episodes.state_codes[data.episodes.offsets[:-1]]
    counts = np.bincount(first, minlength=20)
    assert np.all(np.abs(counts - 100) < 5 * np.sqrt(100))


def test_a_seed_gives_the_same_process_whatever_is_drawn_from_it():
    one, other = (ut.datasets.synthetic(seed=8, episodes=size) for size in (3, 30))
    np.testing.assert_array_equal(one.mdp.transitions.dense(), other.mdp.transitions.dense())
    np.testing.assert_array_equal(one.policy, other.policy)
    again = ut.datasets.synthetic(seed=8, episodes=3)
    assert list(one.episodes) == list(again.episodes)
    different = ut.datasets.synthetic(seed=9)
    assert not np.array_equal(one.mdp.transitions.dense(), different.mdp.transitions.dense())


def test_a_single_action_is_always_taken():
    data = ut.datasets.synthetic(actions=1, episodes=3, seed=0)
    assert set(data.episodes.action_codes) == {0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.5}, "alpha is a share of uncertainty, from 0 to 1; 1.5 came"),
        ({"alpha": -0.1}, "from 0 to 1; -0.1 came"),
        ({"states": 0}, "at least one of states; 0 came"),
        ({"actions": 0}, "at least one of actions; 0 came"),
        ({"horizon": 0}, "the horizon must be a whole number above 0"),
        ({"episodes": 0}, "at least one episode to draw; 0 came"),
    ],
)
def test_messages(options, message):
    with pytest.raises(ut.errors.InvalidQuestion, match=message):
        ut.datasets.synthetic(**options)
