"""One answer: its samples, its budgets, its gains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.oracles import World
from tests.worlds import worlds


def explain(world: World, k: int, **options) -> ut.Counterfactual:
    return ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


def worth(world: World, states: np.ndarray, actions: np.ndarray) -> float:
    """What a course is worth, step by step."""
    total = 0.0
    for t, (s, a) in enumerate(zip(states, actions, strict=False)):
        total += world.discount**t * world.R[s, a]
        if t + 1 < len(states):
            total += world.discount**t * world.arrival[s, a, states[t + 1]]
    return total + (world.discount**world.T * world.final[states[-1]] if world.seen else 0.0)


@settings(max_examples=50)
@given(world=worlds(steps=5), k=st.integers(0, 5))
def test_every_realization_is_possible_and_changes_at_most_k_actions(world: World, k):
    drawn = explain(world, k).sample(200, seed=0)
    assert len(drawn) == 200
    assert drawn.states.shape == (200, len(world.states))
    np.testing.assert_array_equal(drawn.changes, (drawn.actions != world.actions).sum(axis=1))
    assert drawn.changes.max() <= k
    policy = explain(world, k).policy
    for states, actions, outcome in zip(drawn.states, drawn.actions, drawn.outcomes, strict=True):
        assert states[0] == world.states[0]
        assert outcome == pytest.approx(worth(world, states, actions), abs=1e-10)
        left = k
        for t in range(world.T):
            assert actions[t] == policy[t, states[t], left]
            left -= actions[t] != world.actions[t]
            if world.moves(t):
                assert world.w(t, states[t], actions[t])[states[t + 1]] > 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [0, 1, 3, 10])
def test_the_mean_of_realizations_is_the_outcome(seed, k):
    data = ut.datasets.synthetic(states=8, actions=4, horizon=8, episodes=1, seed=seed)
    cf = ut.explain(data.episodes[0], data.mdp, k)
    drawn = cf.sample(20_000, seed=seed)
    error = 5 * drawn.outcomes.std() / np.sqrt(20_000) + 1e-9
    assert abs(drawn.outcomes.mean() - cf.outcome) <= error
    assert drawn.changes.max() <= k


def test_realizations_have_the_law_of_the_courses():
    data = ut.datasets.synthetic(states=6, actions=3, horizon=6, episodes=1, seed=3)
    courses = ut.explain(data.episodes[0], data.mdp, 2).courses
    drawn = courses.sample(40_000, seed=4)
    for step in range(6):
        here = courses.layer == step
        law = np.bincount(courses.graph.state[here], courses.mass[here], minlength=6)
        shares = np.bincount(drawn.states[:, step], minlength=6) / 40_000
        assert np.all(np.abs(shares - law) <= 5 * np.sqrt(law * (1 - law) / 40_000) + 1e-12)


def test_the_same_seed_draws_the_same_realizations():
    data = ut.datasets.synthetic(episodes=1, seed=5)
    cf = ut.explain(data.episodes[0], data.mdp, 3)
    one, same, other = (cf.sample(50, seed=seed) for seed in (1, np.random.default_rng(1), 2))
    np.testing.assert_array_equal(one.states, same.states)
    np.testing.assert_array_equal(one.outcomes, same.outcomes)
    assert not np.array_equal(one.states, other.states)


@given(world=worlds(steps=4), k=st.integers(0, 4))
def test_gains_are_never_negative_and_relative_only_to_what_is_positive(world: World, k):
    cf = explain(world, k)
    assert cf.gain >= 0
    assert cf.gain == pytest.approx(abs(cf.outcome - cf.observed))
    if cf.observed > 0:
        assert cf.relative_gain == pytest.approx(cf.gain / cf.observed)
    else:
        assert cf.relative_gain is None


def test_costs_are_minimised():
    P = np.full((2, 2, 2), 0.5)
    costs = ut.MDP(P, [[5, 2], [5, 2]], minimise=True)
    cf = ut.explain(ut.Episode([0, 1], [0, 0]), costs, 1)
    assert cf.frontier.tolist() == [10, 7]
    assert (cf.gain, cf.relative_gain) == (3, 0.3)


def test_a_view_at_another_budget_is_the_same_answer():
    data = ut.datasets.synthetic(episodes=1, seed=6)
    whole = ut.explain(data.episodes[0], data.mdp, 5)
    view = whole.at(2)
    assert view.outcome == whole.frontier[2]
    assert view.observed == whole.observed
    assert view.frontier.tolist() == whole.frontier[:3].tolist()
    assert view.solution is whole.solution
    assert (
        repr(view)
        == f"Counterfactual(k=2, observed={view.observed:.6g}, outcome={view.outcome:.6g})"
    )


def test_the_frontier_cannot_be_written_to():
    data = ut.datasets.synthetic(episodes=1, seed=6)
    cf = ut.explain(data.episodes[0], data.mdp, 5)
    with pytest.raises(ValueError, match="read-only"):
        cf.frontier[0] = 1
