"""The summary against plain NumPy over the answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import untaken as ut
from tests.study.cohorts import cohort
from untaken.episodes.episodes import Column

K = 3


@pytest.fixture(scope="module")
def data():
    return cohort(20)


@pytest.fixture(scope="module")
def answers(data):
    return [ut.explain(episode, data.mdp, K) for episode in data.episodes]


@pytest.fixture(scope="module")
def study(data):
    return ut.explain_all(data.episodes, data.mdp, K, depth=ut.Depth(draws=30))


def groups(answers):
    return {"old": answers[::2], "young": answers[1::2]}


def test_mean_frontier(study, answers):
    for point in study.summary("group").frontier:
        mine = [cf.frontier[point.k] for cf in groups(answers)[point.group]]
        assert point.mean == pytest.approx(np.mean(mine))
        assert point.episodes == 10
    whole = study.summary().frontier
    assert [p.mean for p in whole] == pytest.approx(np.mean([a.frontier for a in answers], axis=0))
    assert {p.group for p in whole} == {None}


def test_intervals_are_those_of_the_bootstrap(study, answers):
    outcomes = np.array([cf.frontier for cf in answers])
    rng = np.random.default_rng(1)
    means = outcomes[rng.integers(20, size=(20_000, 20))].mean(axis=1)
    lower, upper = np.quantile(means, [0.025, 0.975], axis=0)
    found = study.summary(resamples=20_000).frontier
    width = upper - lower
    assert np.all(np.abs([p.lower for p in found] - lower) < 0.04 * width)
    assert np.all(np.abs([p.upper for p in found] - upper) < 0.04 * width)
    assert study.summary().frontier == study.summary().frontier
    narrow = study.summary(level=0.5).frontier
    assert all(a.lower < b.lower < b.upper < a.upper for a, b in zip(found, narrow, strict=True))


def test_relative_gains(study, answers):
    for gains, values in zip(study.summary().gains, study.summary().relative, strict=True):
        mine = np.array([cf.at(gains.k).relative_gain for cf in answers], dtype=float)
        defined = mine[~np.isnan(mine)]
        assert np.sort(values.values) == pytest.approx(np.sort(defined))
        assert gains.median == pytest.approx(np.median(defined))
        assert gains.quantile_95 == pytest.approx(np.quantile(defined, 0.95))
        assert gains.improved == np.mean([cf.at(gains.k).gain > 0 for cf in answers])
        assert gains.undefined == len(mine) - len(defined)


def test_undefined_gains_are_counted():
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [-1, 0])
    study = ut.explain_all([ut.Episode([0, 0], [0, 1])], mdp, 1, depth=ut.Depth.FRONTIER)
    gains = study.summary().gains[1]
    assert (gains.undefined, gains.episodes) == (1, 0)
    assert np.isnan(gains.median)


def test_counts_of_explanations(study, answers):
    summary = study.summary()
    for count, unique in zip(summary.explanations, summary.unique, strict=True):
        listed = [len(cf.at(count.k).explanations()) for cf in answers]
        assert count.mean == pytest.approx(np.mean(listed))
        assert count.censored == 0
        mine = [cf.at(unique.k).unique_count(30).lower for cf in answers]
        assert unique.mean == pytest.approx(np.mean(mine))


def test_steps_and_replacements_that_recur(study, answers):
    summary = study.summary("group")
    for point in summary.steps:
        mine = [
            cf.at(point.k).timeline().changed[point.step] for cf in groups(answers)[point.group]
        ]
        assert point.changed == pytest.approx(np.mean(mine))
    for point in summary.replacements:
        mine = [
            sum(
                chance
                for step, done in enumerate(cf.episode.actions)
                for label, chance in cf.at(point.k).timeline().replacements(step)
                if (done, label) == (point.observed, point.alternative)
            )
            for cf in groups(answers)[point.group]
        ]
        assert point.expected == pytest.approx(np.mean(mine))
        assert point.episodes == sum(chance > 0 for chance in mine)


def test_shorter_episodes_do_not_count_at_later_steps(data):
    episodes = [ut.Episode([0, 1, 2], [0, 1, 2], id=0), ut.Episode([0], [0], id=1)]
    summary = ut.explain_all(episodes, data.mdp, 1).summary()
    assert [p.episodes for p in summary.steps if p.k == 1] == [2, 1, 1]


def test_unknown_columns_and_empty_studies(study, data):
    with pytest.raises(ut.errors.UnknownLabel, match="kept are: 'group', 'age'"):
        study.summary("ward")
    with pytest.raises(ut.errors.InvalidQuestion, match="resamples"):
        study.summary(resamples=0)
    failed = ut.explain_all([ut.Episode([99], [0])], data.mdp, 1)
    with pytest.raises(ut.errors.InvalidQuestion, match="no episode of this study has an answer"):
        failed.summary()


def test_numbers_group_too(study):
    assert [point.group for point in study.summary("age").frontier][:: K + 1] == list(range(20, 40))


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        (["größe→大", None], ["größe→大", None]),
        ([1, None], [1, None]),
        ([1.5, float("nan")], [1.5, None]),
        ([True, None], [True, None]),
        ([None, None], [None]),
        ([2**63, 1], ["1", "9223372036854775808"]),
        ([7, "seven"], ["7", "seven"]),
    ],
)
@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
@pytest.mark.parametrize("kept", [False, True])
def test_groups_may_have_holes_and_any_name(data, tmp_path, values, groups, depth, kept):
    name = 'wa\'rd "größe" {x}'
    column = Column(name, np.array(values * 10, dtype=object))
    episodes = replace(data.episodes, kept=(column,))
    out = tmp_path / "study" if kept else None
    study = ut.explain_all(episodes, data.mdp, 1, depth=depth, out=out, chunk=7)
    summary = study.summary(name)
    assert [point.group for point in summary.frontier if point.k == 1] == groups
    assert [point.episodes for point in summary.frontier if point.k == 1] == [
        20 // len(groups)
    ] * len(groups)
    if depth.policy:
        assert {row.group for row in summary.replacements} == set(groups)


def test_kept_names_that_tables_cannot_tell_apart_are_refused(data, tmp_path):
    twins = tuple(Column(name, np.arange(20)) for name in ("ward", "Ward"))
    episodes = replace(data.episodes, kept=twins)
    with pytest.raises(ut.errors.InvalidQuestion, match="the kept column 'ward' has a twin"):
        ut.explain_all(episodes, data.mdp, 1, out=tmp_path / "study")
    assert not (tmp_path / "study").exists()
