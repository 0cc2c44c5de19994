"""The paper's baselines against plain enumeration, and against their own samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.oracles import World
from tests.search import oracles_baselines as oracles
from tests.worlds import worlds
from untaken.search import Problem, pose

BASELINES = [
    ut.Random(),
    ut.Greedy(),
    ut.Greedy(ut.Lookahead.STATE_REWARD),
    ut.NoisyGreedy(),
    ut.NoisyGreedy(0.2, ut.Greedy(ut.Lookahead.STATE_REWARD)),
]


def plain(world: World, baseline: ut.Baseline) -> oracles.Chances:
    match baseline:
        case ut.Random():
            return oracles.random_action(world)
        case ut.Greedy(lookahead):
            return oracles.greedy_action(world, lookahead is ut.Lookahead.STATE_REWARD)
        case ut.NoisyGreedy(nerve, greedy):
            return oracles.noisy_action(world, nerve, plain(world, greedy))


def posed(world: World, k: int, **options) -> Problem:
    return pose(world.episode(), world.mdp(), k, pinned=world.pinned, **options)


@pytest.mark.parametrize("baseline", BASELINES, ids=str)
@settings(max_examples=60)
@given(world=worlds(states=3, actions=3, steps=4), k=st.integers(0, 6))
def test_the_frontier_is_that_of_all_courses(baseline, world, k):
    frontier = baseline.frontier(posed(world, k))
    act = plain(world, baseline)
    expected = [oracles.expected(world, act, budget) for budget in range(k + 1)]
    np.testing.assert_allclose(frontier, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("baseline", BASELINES, ids=str)
@settings(max_examples=30)
@given(world=worlds(steps=5), k=st.integers(0, 5))
def test_chances_are_those_of_the_plain_policy_and_only_allowed_actions_have_any(
    baseline, world, k
):
    chances = baseline.chances(posed(world, k))
    act = plain(world, baseline)
    for t in range(world.T):
        for s in range(len(world.P)):
            expected = np.zeros(world.P.shape[1])
            for a, chance in act(t, s).items():
                expected[a] = chance
            np.testing.assert_allclose(chances[t, s], expected, rtol=0, atol=1e-12)
            assert set(np.flatnonzero(chances[t, s])) <= set(world.allowed(t, s))


@pytest.mark.parametrize("baseline", BASELINES, ids=str)
@settings(max_examples=40)
@given(world=worlds(steps=5), k=st.integers(0, 5))
def test_no_baseline_beats_the_optimum(baseline, world, k):
    problem = posed(world, k)
    best = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned).frontier
    assert np.all(world.sign * (best - baseline.frontier(problem)) >= -1e-9)
    assert baseline.frontier(problem)[0] == pytest.approx(best[0], abs=1e-11)


@pytest.mark.parametrize("baseline", BASELINES, ids=str)
@pytest.mark.parametrize("seen", [True, False])
def test_samples_agree_with_the_exact_value(baseline, seen):
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(5), size=(5, 3))
    mdp = ut.MDP(P, rng.normal(size=(5, 3, 5)), final_reward=rng.normal(size=5), discount=0.9)
    drawn = ut.simulate(mdp, [0] * 5, episodes=4, horizon=6, seed=2, see_final=seen)
    for episode in drawn:
        for k in (0, 1, 3, 9):
            problem = pose(episode, mdp, k, pinned=[2])
            outcomes = baseline.sample(problem, 20_000, seed=3)
            error = 5 * outcomes.std() / np.sqrt(20_000) + 1e-12
            assert abs(outcomes.mean() - baseline.frontier(problem)[k]) <= error


def test_the_same_seed_gives_the_same_sample():
    data = ut.datasets.synthetic(states=5, actions=3, horizon=5, episodes=1, seed=0)
    problem = pose(data.episodes[0], data.mdp, 2)
    one, same, other = (ut.Random().sample(problem, 50, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@settings(max_examples=40)
@given(world=worlds(steps=4), k=st.integers(0, 4))
def test_baselines_bear_rewards_of_minus_infinity(world, k):
    """The authors' convention: whatever happens, it is a number or minus infinity, never NaN."""
    problem = posed(world, k, rules=ut.Rules(minus_infinity=True))
    best = world.sign * ut.search.solve(problem).frontier
    for baseline in BASELINES:
        frontier = world.sign * baseline.frontier(problem)
        assert not np.isnan(frontier).any()
        assert np.all((frontier <= best + 1e-9) | np.isneginf(frontier))


@pytest.mark.parametrize("nerve", [-0.1, 1.1, float("nan")])
def test_nerve_is_a_probability(nerve):
    with pytest.raises(ut.errors.InvalidQuestion, match=f"from 0 to 1; {nerve} came"):
        ut.NoisyGreedy(nerve)
