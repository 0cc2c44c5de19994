"""What people read says what the answer holds, in their own words, and nothing else."""

from __future__ import annotations

import json
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untaken as ut
from tests.present.answers import hostile_answer, plain_answer
from untaken.present.cohort_text import cohort_summary
from untaken.present.text import summary
from untaken.present.words import CAUTION, COHORT_CAUTION, share


@pytest.fixture(scope="module")
def fitted() -> tuple[ut.Counterfactual, ut.Fit]:
    """A patient of the simulated trial, and the process estimated from it."""
    trial = ut.datasets.cbt_trial()
    fit = ut.fit(trial.episodes, prior=ut.neighbour_prior(), reward=trial.reward)
    return ut.explain(trial.episodes[0], fit.mdp, 2), fit


@pytest.mark.parametrize("answer", [plain_answer, hostile_answer])
def test_an_account_survives_json(answer):
    account = answer().account()
    assert ut.Account.from_json(account.to_json()) == account


def test_an_account_survives_json_with_how_sure_it_is(fitted):
    cf, fit = fitted
    account = cf.account(robustness=cf.robustness(fit))
    assert account.certainty.findings[0].posterior is not None
    assert ut.Account.from_json(account.to_json()) == account


def test_the_summary_says_how_sure(fitted):
    cf, fit = fitted
    robustness = cf.robustness(fit)
    flat = " ".join(cf.summary(fit=fit).split())
    assert f"How sure: {robustness.sentence}" in flat
    beats = robustness.policy.posterior.beats_observed
    assert f"better in {share(beats)} of draws" in flat
    assert "better in" not in " ".join(cf.summary().split()).partition("How sure")[2]


def test_the_authors_conventions_have_no_such_answer():
    mdp = ut.MDP([[[1.0], [1.0]]], [[1.0, 1.0]])
    cf = ut.explain(ut.Episode([0], [1]), mdp, 1, rules=ut.Rules(first_action_wins=True))
    assert "How sure" not in cf.summary()


def test_findings_as_a_frame(fitted):
    cf, fit = fitted
    robustness = cf.robustness(fit)
    table = robustness.to_frame("pandas")
    assert len(table) == len(robustness.findings)
    assert list(table["gain: Gumbel-max"]) == [f.gains[0] for f in robustness.findings]
    assert list(table["certain: stable"]) == [f.certified[1] for f in robustness.findings]
    assert table["alternative"][0] == "the policy"
    assert table["verdict"][0] == robustness.policy.verdict.name.lower()


def test_how_sure_stands_beside_the_explanations(fitted):
    cf, fit = fitted
    plain, robustness = cf.to_frame("polars"), cf.robustness(fit, limit=2)
    table = cf.to_frame("polars", robustness=robustness)
    assert table.select(plain.columns).equals(plain)
    found = {"; ".join(map(str, each.changes)): each for each in robustness.explanations}
    assert len(found) == 2
    for row in table.to_dicts():
        finding = found.get(row["explanation"])
        sure = (row["gain: inverse-CDF"], row["certain: none"], row["posterior: better"])
        if finding is None:
            assert sure == (None, None, None)
        else:
            beats = finding.posterior.beats_observed
            assert sure == (finding.gains[1], finding.certified[0], beats)
            assert row["influence"] == finding.influence
            assert row["verdict"] == finding.verdict.name.lower()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "untaken-account-1"}', '{"format": 3}']
)
def test_other_json_is_refused(text):
    with pytest.raises(ut.errors.InvalidFile):
        ut.Account.from_json(text)


def test_an_account_holds_what_the_answer_holds():
    cf = plain_answer()
    account = cf.account()
    assert account.frontier == tuple(cf.frontier)
    assert account.gain == pytest.approx(cf.gain)
    assert account.observed.actions == cf.episode.actions
    assert [e.probability for e in account.explanations] == [
        e.probability for e in cf.explanations(limit=50)
    ]
    assert account.better == cf.outcomes().better
    assert sum(account.marginal_gains) == pytest.approx(cf.gain)


def test_the_summary_reads_as_it_should():
    cf = plain_answer()
    text = cf.summary(ut.Words(outcome="well-being", step="session", first_step=1))
    assert text.startswith("p7: 6 sessions, at most 2 changes\n")
    observed = re.search(r"observed well-being +(\S+)", text)
    best = re.search(r"best expected well-being +(\S+)", text)
    assert observed is not None
    assert float(observed[1]) == pytest.approx(cf.observed, abs=0.005)
    assert best is not None
    assert float(best[1]) == pytest.approx(cf.outcome, abs=0.005)
    top = cf.explanations()[0]
    for change in top.changes:
        assert f"session {change.step + 1}: {change.observed} → {change.alternative}" in text
    assert " ".join(CAUTION.split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 88


def test_the_summary_says_when_nothing_helps():
    mdp = ut.MDP([[[1.0]]], [1.0])
    text = ut.explain(ut.Episode([0], [0]), mdp, 2).summary()
    assert "No change that the question allows is expected to do better." in text


def test_notes_are_part_of_the_summary():
    P = [[[0.5, 0.5], [0.2, 0.8]], [[0, 1], [0, 1]]]
    with pytest.warns(ut.errors.HorizonWarning):
        cf = ut.explain(ut.Episode([0, 1, 1], [0, 0]), ut.MDP(P, [0, 0]), 1)
    assert "absorbing state 1" in " ".join(cf.summary().split())


def test_notebooks_get_escaped_html_without_script():
    html = hostile_answer()._repr_html_()
    assert "<script" not in html
    assert "&lt;b&gt; / 4" in html
    assert html.count("<tr>") == 11  # the heads and ten explanations


@pytest.mark.parametrize(("k", "told"), [(0, "0 changes"), (1, "1 change"), (2, "2 changes")])
def test_notebooks_count_changes_as_people_do(k, told):
    assert f"with at most {told} <b>" in plain_answer(2).at(k)._repr_html_()


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_explanations_as_a_frame(backend, kind):
    cf = plain_answer()
    table = cf.to_frame(backend)
    assert isinstance(table, kind)
    listed = cf.explanations()
    assert list(table["rank"].to_pylist() if kind is pa.Table else table["rank"]) == list(
        range(1, len(listed) + 1)
    )


def test_an_unknown_frame_is_refused_and_one_that_is_not_installed(monkeypatch):
    with pytest.raises(ut.errors.InvalidQuestion, match="one of pandas, polars, pyarrow; 'excel'"):
        plain_answer().to_frame("excel")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ut.errors.MissingExtra, match="pandas is not"):
        plain_answer().to_frame("pandas")


def test_json_is_plain_text_with_the_labels_as_they_are():
    told = json.loads(hostile_answer().account().to_json())
    assert told["state_names"][0] == "состояние 0"
    assert told["action_names"][0] == ["fluids 0", "vasopressors 0"]


@pytest.mark.parametrize(("minimise", "word"), [(False, "gain in"), (True, "reduction of")])
def test_the_figure_of_certainty_speaks_of_rewards_or_costs(minimise, word):
    mdp = ut.MDP([[[1.0], [1.0]]], [[1.0, 0.0 if minimise else 2.0]], minimise=minimise)
    cf = ut.explain(ut.Episode([0], [0]), mdp, 1)
    ax = ut.plots.certainty(cf.account(robustness=cf.robustness()))
    assert ax.get_xlabel() == f"{word} outcome against what was observed"
    assert cf.gain == 1
    assert all(line.get_xdata()[0] == 1 for line in ax.get_lines()[:4])


@pytest.mark.parametrize(
    ("minimise", "observed", "best"),
    [(False, "2", "3  (+1, 50.0% more)"), (True, "2  (less is better)", "1  (-1, 50.0% less)")],
)
def test_a_summary_says_in_which_direction_is_better(minimise, observed, best):
    mdp = ut.MDP([[[1.0], [1.0]]], [[2.0, 1.0 if minimise else 3.0]], minimise=minimise)
    told = ut.explain(ut.Episode([0], [0]), mdp, 1).summary().splitlines()
    assert f"observed outcome             {observed}" in told
    assert f"best expected outcome        {best}" in told


def test_better_worse_and_the_same_are_all_there_is(fitted):
    cf, _ = fitted
    told = dict(
        re.findall(r"probability of (?:doing )?(better|the same|worse) +(\S+)%", cf.summary())
    )
    law = cf.outcomes()
    same = 1 - law.better.middle - law.worse.middle
    assert float(told["the same"]) == pytest.approx(100 * same, abs=0.5)


def test_a_loss_under_some_model_is_called_one(fitted):
    cf, fit = fitted
    for k in (1, 2):
        account = cf.at(k).account(robustness=cf.at(k).robustness(fit))
        least = min(account.certainty.findings[0].certified[:3])
        text = " ".join(summary(account).split())
        assert ("under some such model it is a loss" in text) == (least < 0)


def test_a_cohort_says_that_its_gains_are_no_effects():
    trial = ut.datasets.synthetic(episodes=5, seed=0)
    text = cohort_summary(ut.explain_all(trial.episodes, trial.mdp, 1, progress=False).summary())
    assert " ".join(COHORT_CAUTION.split()) in " ".join(text.split())
