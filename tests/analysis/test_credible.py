"""Answers under draws of the process, against the same questions asked one draw at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from untaken.analysis.credible import posterior_weights

STATES, ACTIONS = ["bad", "fair", "good"], ["wait", "treat"]
MECHANISMS = [ut.GumbelMax(), ut.InverseCDF(), ut.Custom(ut.MaximalCoupling().row)]


def cohort(seed: int, size: int = 6, horizon: int = 4, seen: bool = True) -> ut.Episodes:
    rng = np.random.default_rng(seed)
    members = [
        ut.Episode(
            rng.choice(STATES, horizon + seen).tolist(),
            rng.choice(ACTIONS, horizon).tolist(),
            id=f"p{number}",
        )
        for number in range(size)
    ]
    return ut.Episodes.of(members)


def fitted(episodes: ut.Episodes, **options) -> ut.Fit:
    return ut.fit(
        episodes,
        ut.uniform_prior(0.5),
        reward=lambda state: STATES.index(state),
        final_reward=[0.0, 1.0, 2.0],
        states=STATES,
        actions=ACTIONS,
        unseen=ut.Unseen.AS_SEEN,
        **options,
    )


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(0, 3), seen=st.booleans(), held=st.booleans())
def test_each_draw_is_a_question_of_its_own(mechanism, seed, k, seen, held):
    episodes = cohort(seed, seen=seen)
    fit = fitted(episodes, minimise=bool(seed % 2))
    if held:
        fit = fit.leave_out("p0")
    cf = ut.explain(episodes[0], fit.mdp, k, mechanism=mechanism)
    draws = cf.credible(fit, draws=3, seed=seed)
    weights, rng = posterior_weights(cf.problem, fit), np.random.default_rng(seed)
    for d in range(3):
        rows = cf.mdp.transitions
        gammas = rows.dense(rng.standard_gamma(weights))
        drawn = cf.mdp.replace(transitions=gammas / gammas.sum(axis=2, keepdims=True))
        alone = ut.explain(episodes[0], drawn, k, mechanism=mechanism)
        np.testing.assert_allclose(draws.frontiers[d], alone.frontier, rtol=0, atol=1e-9)
        policy = alone.what_if(cf.policy)
        assert draws.policy.outcomes[d] == pytest.approx(policy.outcome, abs=1e-9)
        for actions, spread in zip(draws.actions, draws.sequences, strict=True):
            forced = alone.what_if([cf.mdp.actions[a] for a in actions])
            assert spread.outcomes[d] == pytest.approx(forced.outcome, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_an_episode_counts_once_whether_it_was_left_out_or_not(seed):
    episodes = cohort(seed)
    inside = fitted(episodes)
    outside = inside.leave_out("p0")
    cf = ut.explain(episodes[0], inside.mdp, 1)
    np.testing.assert_array_equal(
        posterior_weights(cf.problem, inside), posterior_weights(cf.problem, outside)
    )


def test_counting_the_episode_in_is_to_weight_draws_by_its_probability():
    """Draws of the posterior without the episode, weighted by what they give to it."""
    episodes = cohort(5, horizon=3)
    outside = fitted(episodes).leave_out("p0")
    cf = ut.explain(episodes[0], outside.mdp, 2)
    draws = cf.credible(outside, draws=4000, seed=1)
    rng, weights, outcomes = np.random.default_rng(2), [], []
    states, actions = cf.problem.course.states, cf.problem.course.actions
    for _ in range(4000):
        mdp = outside.draw(rng)
        P = mdp.transitions.dense()
        weights.append(np.prod(P[states[:-1], actions, states[1:]]))
        outcomes.append(ut.explain(episodes[0], mdp, 2).outcome)
    weights, outcomes = np.array(weights) / np.sum(weights), np.array(outcomes)
    mean = weights @ outcomes
    error = np.sqrt(weights**2 @ (outcomes - mean) ** 2 + draws.attainable.outcomes.var() / 4000)
    assert error > 1e-3  # there is something to compare
    assert abs(draws.attainable.mean - mean) < 4 * error


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(0, 3))
def test_no_policy_beats_what_is_attainable(seed, k):
    episodes = cohort(seed)
    fit = fitted(episodes)
    cf = ut.explain(episodes[0], fit.mdp, k)
    draws = cf.credible(fit, draws=5, seed=seed)
    assert np.all(draws.policy.outcomes <= draws.attainable.outcomes + 1e-9)
    assert np.all(np.diff(draws.frontiers, axis=1) >= -1e-9)
    np.testing.assert_allclose(draws.frontiers[:, 0], cf.observed, rtol=0, atol=1e-9)


def test_the_unchanged_sequence_is_certain_and_beats_nothing():
    episodes = cohort(3)
    fit = fitted(episodes)
    cf = ut.explain(episodes[0], fit.mdp, 2)
    draws = cf.credible(fit, draws=50, seed=0, sequences=cf.problem.course.actions[None])
    (unchanged,) = draws.sequences
    assert unchanged.interval() == pytest.approx((cf.observed, cf.observed), abs=1e-9)
    assert unchanged.beats_observed == 0
    assert unchanged.beats_error == 0


def test_more_data_narrow_the_interval():
    episodes = cohort(7)
    few = fitted(episodes)
    many = fitted(ut.Episodes.of([*episodes, *cohort_named("more", 400)]))
    widths = []
    for fit in (few, many):
        cf = ut.explain(episodes[0], fit.mdp, 2)
        low, high = cf.credible(fit, draws=300, seed=0).policy.interval()
        widths.append(high - low)
    assert widths[1] < widths[0] / 2


def cohort_named(prefix: str, size: int) -> list[ut.Episode]:
    return [
        ut.Episode(each.states, each.actions, id=f"{prefix}{number}")
        for number, each in enumerate(cohort(11, size))
    ]


def test_what_cannot_be_answered_is_said():
    episodes = cohort(1)
    fit = fitted(episodes)
    cf = ut.explain(episodes[0], fit.mdp, 1)
    for draws in (0, 2.5, "many"):
        with pytest.raises(ut.errors.InvalidQuestion, match="draws must be a whole number"):
            cf.credible(fit, draws=draws)
    with pytest.raises(ut.errors.InvalidPolicy, match="rows of 4 action codes"):
        cf.credible(fit, sequences=np.zeros((1, 3)))
    with pytest.raises(ut.errors.InvalidPolicy, match="codes run from 0 to 1; 2 to 2 came"):
        cf.credible(fit, sequences=np.full((1, 4), 2))
    nameless = ut.explain(ut.Episode(episodes[0].states, episodes[0].actions), fit.mdp, 1)
    with pytest.raises(ut.errors.InvalidQuestion, match="the episode has no id"):
        nameless.credible(fit)
    other = ut.fit(episodes, ut.uniform_prior(), reward=len, states=STATES[::-1], actions=ACTIONS)
    with pytest.raises(ut.errors.InvalidQuestion, match="the same states and actions"):
        cf.credible(other)
    with pytest.raises(ut.errors.InvalidQuestion, match=r"that of a fit, .* a MDP came"):
        cf.credible(fit.mdp)
