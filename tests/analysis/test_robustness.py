"""One table of how sure a gain is, against the answers that it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.analysis.test_credible import cohort, fitted
from tests.worlds import worlds
from untaken import CausalClass, Verdict


@settings(max_examples=40)
@given(world=worlds(steps=4), k=st.integers(0, 3))
def test_every_number_is_that_of_a_question_of_its_own(world, k):
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned)
    robust = cf.robustness(limit=4)
    for finding, plan in zip(robust.findings, plans(cf, robust), strict=True):
        for mechanism, gain in zip(robust.mechanisms, finding.gains, strict=True):
            under = ut.explain(world.episode(), world.mdp(), k, mechanism=mechanism)
            assert gain == pytest.approx(under.what_if(plan).gain, abs=1e-9)
        for kind, certified in zip(robust.classes, finding.certified, strict=True):
            assert certified == pytest.approx(cf.what_if(plan).bounds(kind).certified[-1], abs=1e-9)
    for kind, attainable in zip(robust.classes, robust.attainable, strict=True):
        assert attainable == pytest.approx(cf.bounds(kind).certified[-1], abs=1e-9)
    assert robust.policy.influence == pytest.approx(cf.influence().overall)


def plans(cf, robust):
    yield cf.policy
    for finding in robust.explanations:
        yield {change.step: change.alternative for change in finding.changes}


@given(world=worlds(steps=4), k=st.integers(0, 3))
def test_a_verdict_claims_no_more_than_the_numbers_hold(world, k):
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned)
    robust = cf.robustness(limit=3)
    at = {kind: place for place, kind in enumerate(robust.classes)}
    for finding in robust.findings:
        sure = finding.certified
        if finding.verdict is Verdict.CERTAIN:
            assert sure[at[CausalClass.NONE]] > 0
            assert np.all(finding.gains > 0)
        elif finding.verdict is Verdict.STABLE:
            assert sure[at[CausalClass.STABLE]] > 0 >= sure[at[CausalClass.NONE]] - 1e-9
        elif finding.verdict is Verdict.STABLE_EVERYWHERE:
            assert sure[at[CausalClass.STABLE_EVERYWHERE]] > 0
            assert sure[at[CausalClass.STABLE]] <= 1e-9
        elif finding.verdict is Verdict.TRIED:
            assert np.all(finding.gains > 0)
        elif finding.verdict is Verdict.ASSUMED:
            assert finding.gains[0] > 0
            assert np.min(finding.gains) <= 1e-9
        else:
            assert finding.gains[0] <= 1e-9


def question(P, rewards, k: int = 1, **options) -> ut.Robustness:
    """One decision that was 0, with two states more than the first to lead to."""
    mdp = ut.MDP(P, rewards, final_reward=rewards)
    return ut.explain(ut.Episode([0, 1], [0]), mdp, k, **options).robustness()


def rows(first, other) -> np.ndarray:
    stay = np.eye(3)
    return np.array([[first, other], [stay[1], stay[1]], [stay[2], stay[2]]])


def test_a_gain_that_no_model_denies_is_certain():
    robust = question(rows([0, 1, 0], [0, 0, 1]), [0.0, 1.0, 2.0])
    assert robust.policy.verdict is Verdict.CERTAIN
    assert robust.sentence == (
        "This policy is better on average under every causal model compatible with the estimated "
        "process, assuming no unmeasured confounding."
    )


def test_a_gain_that_stability_protects_says_so():
    # 1 happened; the other action lets 0 lose more of its probability than 1, so 0 is ruled out.
    robust = question(rows([0.5, 0.4, 0.1], [0.3, 0.3, 0.4]), [0.0, 1.0, 2.0])
    assert robust.policy.certified[0] <= 0
    assert robust.policy.verdict is Verdict.STABLE
    assert "every counterfactually stable causal model" in robust.sentence


def test_a_gain_that_hangs_on_the_causal_model_says_so():
    # Who was unlucky stays so under the inverse CDF, and ends in 0 with a chance of one third.
    robust = question(
        rows([0.1, 0.3, 0.6], [0.2, 0.2, 0.6]), [0.0, 1.0, 2.0], mechanism=ut.Independent()
    )
    assert robust.policy.verdict is Verdict.ASSUMED
    assert "better on average rests on the independent-noise assumption" in robust.sentence


def test_a_gain_that_takes_stability_of_all_outcomes_says_so():
    # All but the inverse CDF agree, which is not stable; stability of what happened alone allows
    # the worst, but then the other outcomes would not be stable.
    stay = np.eye(3)
    P = np.array([[[0.6, 0.1, 0.3], [0.3, 0.2, 0.5]], [stay[1], stay[1]], [stay[2], stay[2]]])
    mdp = ut.MDP(P, [1.0, 0.0, 2.0], final_reward=[1.0, 0.0, 2.0])
    robust = ut.explain(ut.Episode([0, 0], [0]), mdp, 1).robustness()
    assert np.all(robust.policy.certified[:2] < 0)
    assert robust.policy.verdict is Verdict.STABLE_EVERYWHERE
    assert robust.sentence.startswith(
        "This policy is better on average under every causal model compatible with the estimated "
        "process in which all outcomes are counterfactually stable, assuming no"
    )


def test_what_was_only_tried_is_not_called_certain():
    stay = np.eye(3)
    P = np.array([[[0.3, 0.5, 0.2], [0.6, 0.2, 0.2]], [stay[1], stay[1]], [stay[2], stay[2]]])
    mdp = ut.MDP(P, [2.0, 1.0, 0.0], final_reward=[2.0, 1.0, 0.0])
    robust = ut.explain(ut.Episode([0, 1], [0]), mdp, 1).robustness()
    assert np.all(robust.policy.gains > 0)
    assert np.all(robust.policy.certified[:3] < 0)
    assert robust.policy.verdict is Verdict.TRIED
    assert "but not certain to be under every one" in robust.sentence


def test_a_surer_policy_is_pointed_to():
    # Action 1 may gain more; action 2 gains less, but under every model.
    stay = np.eye(3)
    first = [[0.4, 0.1, 0.5], [0.3, 0.2, 0.5], [0.5, 0.5, 0.0]]
    P = np.array([first, [stay[1]] * 3, [stay[2]] * 3])
    mdp = ut.MDP(P, [0.0, 2.0, 1.0], final_reward=[0.0, 2.0, 1.0])
    robust = ut.explain(ut.Episode([0, 0], [0]), mdp, 1).robustness()
    assert robust.sentence == (
        "That this policy is better on average rests on the Gumbel-max assumption; another policy "
        "within the budget gains at least 0.25 on average under every causal model compatible with "
        "the estimated process, assuming no unmeasured confounding."
    )


def test_no_gain_is_called_none():
    robust = question(rows([0, 1, 0], [1, 0, 0]), [0.0, 1.0, 2.0])
    assert robust.policy.verdict is Verdict.NONE
    assert robust.sentence.startswith("This policy is no better on average than what was observed")
    assert robust.explanations == ()


def test_draws_speak_of_the_causal_model_of_the_answer():
    """The process is drawn, the causal model is not: what is certain under every model is so for
    the estimate only."""
    episodes = cohort(4)
    fit = fitted(episodes)
    said = "; under {} this policy's expected outcome beats the observed one in"
    for mechanism in (ut.GumbelMax(), ut.Independent()):
        for episode in episodes:
            cf = ut.explain(episode, fit.mdp, 2, mechanism=mechanism)
            sure = cf.robustness(fit, limit=0, draws=5)
            named = sure.policy.verdict in (Verdict.ASSUMED, Verdict.NONE)
            under = "it" if named else f"the {mechanism.name} assumption"
            assert said.format(under) in sure.sentence


def test_a_surer_policy_need_not_be_influenced():
    P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    episode = ut.Episode([0, 0, 0], [0, 0, 0])
    for influence in (ut.InfluenceAtLeast(0.05), ut.InfluenceBonus(20.0)):
        cf = ut.explain(episode, ut.MDP(P, [0, 1]), 2, influence=influence)
        assert cf.gain == 0
        assert cf.bounds("none").certified[2] > 1
        assert (
            "another policy within the budget, of which no influence is asked, gains at least 1.3 "
            "on average" in cf.robustness().sentence
        )
        assert "do not ask for" in cf.notes[0]
        assert cf.notes[0] in " ".join(cf.summary().split())


def test_the_posterior_is_part_of_the_table_and_of_the_sentence():
    episodes = cohort(4)
    fit = fitted(episodes)
    cf = ut.explain(episodes[0], fit.mdp, 2)
    robust = cf.robustness(fit, draws=60, seed=1)
    credible = cf.credible(fit, draws=60, seed=1)
    assert robust.policy.posterior.beats_observed == credible.policy.beats_observed
    won = np.count_nonzero(credible.policy.outcomes > cf.observed + 1e-9)
    assert f"beats the observed one in {won} of 60 draws of the process" in robust.sentence
    alone = cf.robustness(fit, limit=0, draws=60, seed=1)
    assert alone.sentence == robust.sentence
    assert alone.explanations == ()
    with pytest.raises(ut.errors.InvalidQuestion, match="0 or more; -1 came"):
        cf.robustness(limit=-1)
    table = str(robust)
    assert "this policy" in table
    assert str(robust.explanations[0]) in table
    assert table.endswith(robust.sentence)


def test_costs_are_gained_on_by_having_less():
    P = rows([0, 1, 0], [0, 0, 1])
    costs = ut.MDP(P, [0, 2.0, 1.0], final_reward=[0, 2.0, 1.0], minimise=True)
    robust = ut.explain(ut.Episode([0, 1], [0]), costs, 1).robustness()
    assert robust.policy.gains[0] == robust.policy.certified[0] == 1
    assert robust.policy.verdict is Verdict.CERTAIN


def test_strong_words_are_qualified_once_and_speak_of_one_policy():
    """Under stability action 2 gains more; action 1 gains less, but whichever model is true."""
    stay = np.eye(4)
    first = [[0.5, 0.4, 0.1, 0.0], [0.0, 0.0, 0.9, 0.1], [0.3, 0.3, 0.0, 0.4]]
    P = np.array([first, *([stay[s]] * 3 for s in (1, 2, 3))])
    reward = [0.0, 1.0, 1.1, 3.0]
    episodes = ut.Episodes.of([ut.Episode([0, 1], [0], id="p")])
    fit = ut.fit(
        episodes, prior=1000 * P, reward=reward, final_reward=reward, states=range(4),
        actions=range(3), unseen=ut.Unseen.AS_SEEN,
    )  # fmt: skip
    robust = ut.explain(episodes[0], fit.mdp, 1).robustness(fit, draws=40, seed=0)
    assert robust.policy.verdict is Verdict.STABLE
    assert robust.sentence == (
        "This policy is better on average under every counterfactually stable causal model "
        "compatible with the estimated process, assuming no unmeasured confounding; under the "
        "Gumbel-max assumption this policy's expected outcome beats the observed one in 40 of 40 "
        "draws of the process; another policy within the budget gains at least "
        f"{robust.attainable[0]:.3g} on average under every compatible one, stable or not."
    )
    costly = question(rows([0.5, 0.4, 0.1], [0.3, 0.3, 0.4]), [0.0, 1.0, 2.0])
    assert costly.sentence.count("compatible") == 1


@given(world=worlds(steps=4), k=st.integers(0, 3))
def test_a_sentence_is_one_and_qualifies_once(world, k):
    cf = ut.explain(world.episode(), world.mdp(), k, pinned=world.pinned)
    sentence = cf.robustness(limit=0).sentence
    assert sentence.count("unmeasured confounding") == int(
        "every" in sentence.replace("every one", "")
    )
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0
