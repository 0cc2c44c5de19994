"""Every exact quantity about a policy against the enumeration of all its courses."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.worlds import worlds
from untaken.kernels.sequences import followed_sequence, sequences_above

budgets = st.integers(0, 4)


def explain(world: oracles.World, k: int) -> ut.Counterfactual:
    """The answer at budget k, seen through a solve for more."""
    return ut.explain(world.episode(), world.mdp(), k + 1, pinned=world.pinned).at(k)


def courses(world: oracles.World, cf: ut.Counterfactual) -> list[oracles.Path]:
    return list(oracles.paths(world, lambda t, s, left: cf.policy[t, s[-1], left], cf.k))


def beats(world: oracles.World, outcome: float, observed: float) -> bool:
    return world.sign * (outcome - observed) > 1e-9


@given(world=worlds(), k=budgets)
def test_explanations(world, k):
    cf = explain(world, k)
    by_actions = defaultdict(list)
    for path in courses(world, cf):
        by_actions[path.actions].append(path)
    listed = cf.explanations(coverage=1)
    assert listed.complete
    assert listed.covered == pytest.approx(1, abs=1e-12)
    assert {tuple(e.actions) for e in listed} == set(by_actions)
    probabilities = [e.probability for e in listed]
    assert probabilities == sorted(probabilities, reverse=True)
    for explanation in listed:
        paths = by_actions[tuple(explanation.actions)]
        mass = sum(path.probability for path in paths)
        assert explanation.probability == pytest.approx(mass, abs=1e-12)
        mean = sum(path.probability * path.outcome for path in paths) / mass
        assert explanation.mean_outcome == pytest.approx(mean, abs=1e-12)
        better = sum(p.probability for p in paths if beats(world, p.outcome, cf.observed)) / mass
        assert explanation.better.lower - 1e-12 <= better <= explanation.better.upper + 1e-12
        forced = oracles.expected_outcome(
            world, lambda t, _s, _left, e=explanation: int(e.actions[t]), 10
        )
        assert explanation.forced_outcome == pytest.approx(forced, abs=1e-12)
        assert {c.step for c in explanation.changes} == {
            t for t in range(world.T) if explanation.actions[t] != world.actions[t]
        }


@given(world=worlds(), k=budgets)
def test_the_states_in_which_each_explanation_is_played(world, k):
    cf = explain(world, k)
    every = courses(world, cf)
    for explanation in cf.explanations(coverage=1):
        mine = [path for path in every if path.actions == tuple(explanation.actions)]
        expected = np.zeros_like(explanation.states)
        for path in mine:
            for step, state in enumerate(path.states):
                expected[step, state] += path.probability
        expected /= sum(path.probability for path in mine)
        assert explanation.states == pytest.approx(expected, abs=1e-12)


@given(world=worlds(), k=budgets, coverage=st.floats(0.05, 1), limit=st.integers(1, 6))
def test_explanations_say_what_they_cover(world, k, coverage, limit):
    cf = explain(world, k)
    every = cf.explanations(coverage=1)
    some = cf.explanations(coverage=coverage, limit=limit)
    assert len(some) <= limit
    assert some.covered == pytest.approx(sum(e.probability for e in some), abs=1e-12)
    assert some.covered >= coverage - 1e-9 or len(some) == limit
    assert [e.probability for e in some] == pytest.approx(
        [e.probability for e in every][: len(some)], abs=1e-12
    )
    missing = {tuple(e.actions) for e in every} - {tuple(e.actions) for e in some}
    assert all(
        e.probability <= some.threshold + 1e-12 for e in every if tuple(e.actions) in missing
    )
    assert some.complete == (not missing) or not missing


@given(world=worlds(), k=budgets)
def test_law_of_the_outcome(world, k):
    cf = explain(world, k)
    paths = courses(world, cf)
    law = cf.outcomes()
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert law.mean == pytest.approx(sum(p.probability * p.outcome for p in paths), abs=1e-12)
    assert np.all(np.diff(law.outcomes) > 0)
    for x in {cf.observed, *(p.outcome + d for p in paths for d in (-0.3, 0.0, 0.3))}:
        above = sum(p.probability for p in paths if p.outcome > x + 1e-10)
        below = sum(p.probability for p in paths if p.outcome < x - 1e-10)
        assert law.above(x).lower - 1e-12 <= above <= law.above(x).upper + 1e-12
        assert law.below(x).lower - 1e-12 <= below <= law.below(x).upper + 1e-12
    if law.exact:
        assert law.outcomes @ law.probabilities == pytest.approx(law.mean, abs=1e-12)
        table = defaultdict(float)
        for p in paths:
            table[round(p.outcome, 6)] += p.probability
        found = dict(zip(np.round(law.outcomes, 6), law.probabilities, strict=True))
        for outcome, probability in table.items():
            near = sum(mass for value, mass in found.items() if abs(value - outcome) < 2e-6)
            assert near == pytest.approx(probability, abs=1e-12)


@given(world=worlds(), k=budgets)
def test_whole_rewards_without_discount_have_an_exact_law(world, k):
    assume(world.discount == 1 and np.all(np.rint(world.R) == world.R))
    assert explain(world, k).outcomes().exact


@given(world=worlds(), k=budgets, level=st.floats(0.01, 0.99))
def test_quantiles(world, k, level):
    cf = explain(world, k)
    paths = sorted(courses(world, cf), key=lambda p: p.outcome)
    cumulative = np.cumsum([p.probability for p in paths])
    assume(np.abs(cumulative - level).min() > 1e-9)
    expected = paths[int(np.searchsorted(cumulative, level))].outcome
    quantile = cf.outcomes().quantile(level)
    assert quantile.lower - 1e-12 <= expected <= quantile.upper + 1e-12


@given(world=worlds(), k=budgets)
def test_timeline(world, k):
    cf = explain(world, k)
    timeline = cf.timeline()
    states, actions = np.zeros_like(timeline.states), np.zeros_like(timeline.actions)
    for path in courses(world, cf):
        for t, s in enumerate(path.states):
            states[t, s] += path.probability
        for t, a in enumerate(path.actions):
            actions[t, a] += path.probability
    np.testing.assert_allclose(timeline.states, states, atol=1e-12)
    np.testing.assert_allclose(timeline.actions, actions, atol=1e-12)
    changed = [1 - actions[t, world.actions[t]] for t in range(world.T)]
    np.testing.assert_allclose(timeline.changed, changed, atol=1e-12)
    for t in range(world.T):
        total = sum(probability for _, probability in timeline.replacements(t))
        assert total == pytest.approx(changed[t], abs=1e-12)


@given(world=worlds(), k=budgets)
def test_best_and_worst(world, k):
    cf = explain(world, k)
    paths = [p for p in courses(world, cf) if p.probability > 1e-11]
    worth = [world.sign * p.outcome for p in paths]
    for found, target in ((cf.best(), max(worth)), (cf.worst(), min(worth))):
        assert world.sign * found.outcome == pytest.approx(target, abs=1e-12)
        ties = [p for p, value in zip(paths, worth, strict=True) if abs(value - target) < 1e-9]
        same = [
            p for p in ties if p.states == tuple(found.states) and p.actions == tuple(found.actions)
        ]
        assert found.probability == pytest.approx(same[0].probability, abs=1e-12)
        assert found.probability == pytest.approx(max(p.probability for p in ties), abs=1e-12)


@given(world=worlds(), k=budgets, draws=st.integers(1, 200))
def test_unique_count(world, k, draws):
    cf = explain(world, k)
    masses = defaultdict(float)
    for path in courses(world, cf):
        masses[path.actions] += path.probability
    masses.pop(tuple(world.actions), None)
    expected = sum(1 - (1 - min(mass, 1.0)) ** draws for mass in masses.values())
    bracket = cf.unique_count(draws)
    assert bracket.lower - 1e-12 <= expected <= bracket.upper + 1e-12
    assert bracket.upper - bracket.lower <= 0.0101 * max(1.0, bracket.lower)


@given(world=worlds(), k=budgets, data=st.data())
def test_what_if_of_a_sequence(world, k, data):
    cf = explain(world, k)
    m = len(world.P[0])
    actions = data.draw(st.lists(st.integers(0, m - 1), min_size=world.T, max_size=world.T))
    answer = cf.what_if(actions)
    paths = list(oracles.paths(world, lambda t, _s, _left: actions[t], 10))
    expected = sum(p.probability * p.outcome for p in paths)
    assert answer.outcome == pytest.approx(expected, abs=1e-12)
    better = sum(p.probability for p in paths if beats(world, p.outcome, cf.observed))
    law = answer.outcomes()
    assert law.better.lower - 1e-12 <= better <= law.better.upper + 1e-12
    differing = {t: a for t, a in enumerate(actions) if a != world.actions[t]}
    assert {c.step: c.alternative for c in answer.changes} == differing
    assert cf.what_if(differing).outcome == pytest.approx(expected, abs=1e-12)
    assert answer.expected_changes == pytest.approx(len(differing))
    unavailable = sum(
        p.probability
        for p in paths
        if any(not world.available[s, a] for s, a in zip(p.states, p.actions, strict=False))
    )
    assert answer.unavailable == pytest.approx(unavailable, abs=1e-12)


@given(world=worlds(), k=budgets, seed=st.integers(0, 1000))
def test_what_if_of_a_policy(world, k, seed):
    cf = explain(world, k)
    rng = np.random.default_rng(seed)
    plan = rng.integers(len(world.P[0]), size=(world.T, len(world.P)))
    expected = oracles.expected_outcome(world, lambda t, s, _left: plan[t, s[-1]], 10)
    assert cf.what_if(plan).outcome == pytest.approx(expected, abs=1e-12)
    assert cf.what_if(lambda t, s: plan[t, s]).outcome == pytest.approx(expected, abs=1e-12)
    assert cf.what_if(cf.policy).outcome == pytest.approx(cf.outcome, abs=1e-12)
    assert cf.what_if(cf.policy.actions).outcome == pytest.approx(cf.outcome, abs=1e-12)


@given(world=worlds(), k=budgets)
def test_reading_the_frontier(world, k):
    cf = explain(world, k)
    assert cf.marginal_gains.sum() == pytest.approx(cf.gain, abs=1e-12)
    needed = [cf.changes_needed(outcome) for outcome in cf.frontier]
    assert needed[0] == 0
    assert all(c is not None and c <= budget for budget, c in enumerate(needed))
    assert cf.changes_needed(cf.outcome + world.sign) is None


def test_law_is_bracketed_where_rewards_share_no_step():
    P = np.array([[[0.6, 0.2, 0.2], [0.1, 0.3, 0.6]]] * 3)
    mdp = ut.MDP(P, [1.0, 2**0.5, np.pi])
    cf = ut.explain(ut.Episode([0, 1, 2, 0], [0, 1, 0, 0]), mdp, k=2)
    law = cf.outcomes()
    assert not law.exact
    assert law.outcomes @ law.probabilities < law.mean < law.ceilings @ law.ceiling_probabilities
    assert law.better.lower <= law.better.middle <= law.better.upper
    assert law.better.upper - law.better.lower < 0.02


def test_explanations_of_a_noisy_process_stop_at_the_limit():
    rng = np.random.default_rng(1)
    P = rng.random((20, 10, 20))
    P /= P.sum(axis=-1, keepdims=True)
    mdp = ut.MDP(P, np.arange(20.0))
    states = [0]
    actions = rng.integers(10, size=20).tolist()
    for a in actions[:-1]:
        states.append(int(rng.choice(20, p=P[states[-1], a])))
    cf = ut.explain(ut.Episode(states, actions), mdp, k=10)
    some = cf.explanations(limit=500)
    assert len(some) == 500
    assert not some.complete
    assert 0 < some.covered < 0.99
    sampled = cf.sample(4000, seed=0).actions
    listed = {tuple(e.actions) for e in some}
    share = np.mean([tuple(row) in listed for row in sampled])
    assert share == pytest.approx(some.covered, abs=5 * (some.covered / 4000) ** 0.5)
    count = cf.unique_count(100)
    assert count.upper - count.lower < 0.02 * count.upper


def noisy_answer() -> ut.Counterfactual:
    """Thousands of explanations, each of them rare."""
    drawn = ut.datasets.synthetic(alpha=1.0, states=12, actions=6, episodes=1, seed=1)
    return ut.explain(drawn.episodes[0], drawn.mdp, 10)


def test_a_search_stops_among_prefixes_of_which_none_leads_to_a_sequence():
    graph = noisy_answer().courses.graph
    probable = sequences_above(graph, 20, 1e-4, 10_000, 10**9)[1].max()
    for effort, short in ((100_000, True), (1_000_000, False)):
        found, _, _, cut = sequences_above(graph, 20, 1.01 * probable, 10_000, effort)
        assert cut == short
        assert not len(found)


def test_where_a_search_finds_nothing_there_is_one_explanation_and_all_that_stands_on_it(
    monkeypatch,
):
    probable = noisy_answer().explanations(limit=1)[0].probability
    monkeypatch.setattr("untaken.analysis.explanations.EFFORT", 10_000)
    cf = noisy_answer()
    (only,) = found = cf.explanations()
    assert found.covered == only.probability == pytest.approx(cf.courses.chance_of(only.actions))
    assert only.mean_outcome == pytest.approx(only.law.outcomes @ only.law.probabilities)
    assert only.probability <= probable <= found.threshold
    assert not found.complete
    assert cf.unique_count(100).upper <= 100
    assert "→" in cf.summary()


@given(world=worlds(), k=budgets)
def test_the_sequence_that_is_followed_takes_the_most_probable_action_at_each_step(world, k):
    cf = explain(world, k)
    actions, probability, mean = followed_sequence(cf.courses.graph, world.T)
    left = courses(world, cf)
    for t in range(world.T):
        masses = defaultdict(float)
        for path in left:
            masses[path.actions[t]] += path.probability
        assert masses[actions[t]] >= max(masses.values()) - 1e-12
        left = [path for path in left if path.actions[t] == actions[t]]
    assert probability == pytest.approx(sum(path.probability for path in left), abs=1e-12)
    expected = sum(path.probability * path.outcome for path in left) / probability
    assert world.sign * mean == pytest.approx(expected, abs=1e-12)
