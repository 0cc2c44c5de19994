"""Does the past still inform the future?"""

import numpy as np
import pytest

import untaken as ut
from tests.model.test_fit import cohort
from tests.oracles_data import likelihood_ratio
from untaken.model import check_markov


def remembering(kind, count=60, horizon=20, seed=0):
    """Courses whose next state repeats the state, or follows the action, before the present."""
    rng = np.random.default_rng(seed)
    members = []
    for _ in range(count):
        states, actions = rng.integers(3, size=2).tolist(), rng.integers(2, size=horizon).tolist()
        for t in range(1, horizon):
            past = states[t - 1] if kind == "state" else actions[t - 1]
            states.append(past if rng.random() < 0.3 else int(rng.integers(3)))
        members.append(ut.Episode(states, actions))
    return ut.Episodes.of(members)


def test_the_statistic_is_the_plain_likelihood_ratio():
    episodes = cohort(15, 7)
    check = check_markov(episodes, 0, shuffles=3)
    assert check.statistic == pytest.approx(likelihood_ratio(episodes), rel=1e-9)
    assert check.transitions == 15 * 6


@pytest.mark.parametrize("kind", ["state", "action"])
def test_memory_is_found(kind):
    check = check_markov(remembering(kind), 0)
    assert check.p_value < 0.01
    assert check.excess > 0.005
    assert str(check).startswith("the state or action before still informs the next state (p = ")


def test_where_there_is_no_memory_p_values_are_about_uniform():
    p_values = np.array(
        [check_markov(cohort(12, 10, seed=seed), seed, shuffles=39).p_value for seed in range(200)]
    )
    assert 0.01 <= (p_values <= 0.05).mean() <= 0.10
    assert 0.40 <= (p_values <= 0.5).mean() <= 0.62
    assert "no sign that the state or action before" in str(check_markov(cohort(12, 10), 1))


def test_nothing_can_be_said_without_two_transitions_in_a_row():
    check = check_markov(cohort(4, 1))
    assert (check.transitions, check.p_value) == (0, 1.0)
    assert "nothing can be said" in str(check)


def test_very_many_episodes_are_sampled(monkeypatch):
    monkeypatch.setattr("untaken.model.markov.LIMIT", 100)
    check = check_markov(cohort(60, 10), 0, shuffles=5)
    assert check.transitions == 10 * 9
