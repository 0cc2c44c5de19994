"""What a user may choose or ask, and complaints about what is no choice."""

from __future__ import annotations

import numpy as np
import pytest

import untaken as ut

EVEN = ut.MDP(
    np.full((2, 2, 2), 0.5), [[0, 1], [0, 2]], states=["ill", "well"], actions=["wait", "treat"]
)
EPISODE = ut.Episode(["ill", "well", "ill"], ["wait", "wait", "treat"])


def answer() -> ut.Counterfactual:
    return ut.explain(EPISODE, EVEN, 2)


@pytest.mark.parametrize(
    "choice",
    [
        {0: "treat", 2: "wait"},
        {-3: "treat", np.int64(-1): "wait"},
        ["treat", "wait", "wait"],
        ("treat", "wait", "wait"),
        np.array(["treat", "wait", "wait"]),
        np.array([[1, 1], [0, 0], [0, 0]]),
        np.array([[1, 1], [0, 0], [0, 0]], dtype=np.uint8),
        lambda step, _: "treat" if step == 0 else "wait",
    ],
    ids=str,
)
def test_a_choice_has_many_forms(choice):
    cf = answer()
    chosen, same = cf.what_if(choice), cf.what_if({0: "treat", 2: "wait"})
    assert chosen.outcome == pytest.approx(same.outcome, abs=1e-12)
    assert chosen.outcomes().outcomes.tolist() == same.outcomes().outcomes.tolist()
    assert chosen.expected_changes == pytest.approx(2)
    assert chosen.gain == pytest.approx(chosen.outcome - cf.observed)
    assert chosen.shortfall == pytest.approx(cf.outcome - chosen.outcome)


def test_changing_nothing_is_a_choice():
    chosen = answer().what_if({})
    assert (chosen.changes, chosen.expected_changes) == ((), 0)
    assert chosen.outcome == answer().observed


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (["wait"], r"one action for each of the 3 steps; \['wait'\] came.*a dictionary"),
        ("treat", "one action for each of the 3 steps; 'treat' came"),
        (3, "one action for each of the 3 steps; 3 came"),
        (None, "one action for each of the 3 steps; None came"),
        (iter(["wait"] * 3), "one action for each of the 3 steps"),
        ({"wait", "treat", "cut"}, "one action for each of the 3 steps"),
        ({0: "wait", -3: "treat"}, "step -3 is step 0, which is given as well"),
        ({3: "treat"}, "step 3 is not one of the episode's, 0 to 2"),
        ({-4: "treat"}, "step -4 is not one of the episode's"),
        ({0.5: "treat"}, "step 0.5 is not one of the episode's"),
        ({True: "treat"}, "step True is not one of the episode's"),
        (np.zeros((3, 3), int), r"of shape \(3, 2\) or \(3, 2, changes \+ 1\); int64 of .*3, 3"),
        (np.zeros((2, 2), int), r"int64 of shape \(2, 2\) came"),
        (np.zeros((3, 2, 0), int), r"int64 of shape \(3, 2, 0\) came"),
        (np.zeros((3, 2, 1, 1), int), r"int64 of shape \(3, 2, 1, 1\) came"),
        (np.zeros((3, 2)), r"float64 of shape \(3, 2\) came"),
        (np.full((3, 2), 2), "action codes run from 0 to 1; 2 to 2 came"),
        (np.full((3, 2), -1), "action codes run from 0 to 1; -1 to -1 came"),
        (np.full((3, 2), 2**32), "action codes run from 0 to 1"),
        (
            np.ones((3, 2, 2), int),
            r"at step 0 in state 'ill' another one stands in policy\[t, s, 0\]",
        ),
    ],
    ids=str,
)
def test_what_is_no_choice(choice, message):
    with pytest.raises(ut.errors.InvalidPolicy, match=message):
        answer().what_if(choice)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({0: "cut"}, "unknown action 'cut' at step 0"),
        (["wait", "wait", "cut"], "unknown action 'cut' at step 2"),
        (lambda *_: "cut", "unknown action 'cut' at step 0, state 'ill'"),
        (np.array([0, 1, 0]), "unknown action 0 at step 0"),  # labels, as in every sequence
    ],
)
def test_unknown_actions_are_named(choice, message):
    with pytest.raises(ut.errors.UnknownLabel, match=message):
        answer().what_if(choice)


def test_the_policy_of_another_episode_is_refused():
    longer = ut.explain(ut.Episode(["ill"] * 9, ["wait"] * 9), EVEN, 2)
    with pytest.raises(ut.errors.InvalidPolicy, match=r"of shape \(9, 2, 3\) came"):
        answer().what_if(longer.policy)
    other = ut.explain(ut.Episode(["ill"] * 3, ["treat"] * 3), EVEN, 2)
    with pytest.raises(ut.errors.InvalidPolicy, match="with no changes left the observed action"):
        answer().what_if(other.policy)


def test_the_answers_own_policy_and_those_of_other_budgets_are_choices():
    cf = answer()
    for k in range(3):
        assert cf.what_if(cf.at(k).policy).outcome == pytest.approx(cf.frontier[k])
    assert cf.at(0).what_if(cf.policy).shortfall == pytest.approx(cf.observed - cf.outcome)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda cf: cf.explanations(0), "coverage is a probability above 0, up to 1; 0 came"),
        (lambda cf: cf.explanations(1.01), "up to 1; 1.01 came"),
        (lambda cf: cf.explanations(float("nan")), "up to 1; nan came"),
        (lambda cf: cf.explanations(limit=0), "limit must be a whole number .* 1 or more; 0 came"),
        (lambda cf: cf.explanations(limit=1.5), "limit must be a whole number .*; 1.5 came"),
        (lambda cf: cf.unique_count(0), "draws must be a whole number of samples, 1 or more; 0"),
        (lambda cf: cf.unique_count(1.5), "draws must be a whole number of samples"),
        (lambda cf: cf.unique_count(9, -0.1), "tolerance is a share of the number, 0 or more; -0"),
        (lambda cf: cf.unique_count(9, float("nan")), "0 or more; nan came"),
        (lambda cf: cf.sample(-1), "n must be a whole number of realizations, 0 or more; -1 came"),
        (lambda cf: cf.sample("many"), "n must be a whole number of realizations"),
        (lambda cf: cf.outcomes().quantile(1.5), "level is a probability, 0 to 1; 1.5 came"),
    ],
)
def test_what_cannot_be_asked(ask, message):
    with pytest.raises(ut.errors.InvalidQuestion, match=message):
        ask(answer())


def test_no_realization_is_a_sample_too():
    assert len(answer().sample(0)) == 0
