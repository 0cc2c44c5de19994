"""Every number in the tables against explain(), asked episode by episode."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests.study.cohorts import cohort, rows
from tests.worlds import worlds
from untaken.study import TABLES

K = 3


@pytest.fixture(scope="module")
def data():
    return cohort()


@pytest.fixture(scope="module")
def study(data):
    return ut.explain_all(
        data.episodes, data.mdp, K, detail=True, depth=ut.Depth(draws=50, robust=True)
    )


@pytest.fixture(scope="module")
def answers(data):
    return [ut.explain(episode, data.mdp, K) for episode in data.episodes]


def test_episodes(study, answers):
    found = study.episodes.order("position").fetchall()
    names = study.episodes.columns
    assert names == [column.name for column in TABLES[0].columns]
    for position, (row, cf) in enumerate(zip(found, answers, strict=True)):
        row = dict(zip(names, row, strict=True))
        assert (row["position"], row["episode"]) == (position, cf.episode.id)
        assert (row["steps"], row["final_seen"]) == (cf.episode.horizon, False)
        assert row["logged"] == pytest.approx(sum(cf.episode.rewards))
        told = (row["observed"], row["outcome"], row["gain"], row["relative_gain"])
        assert told == pytest.approx((cf.observed, cf.outcome, cf.gain, cf.relative_gain))
        assert row["notes"] == " ".join(cf.notes)
        assert row["error"] is None
        assert row["kept"] == {"group": ["old", "young"][position % 2], "age": 20 + position}


def test_budgets(study, answers):
    found = study.budgets.order("position, k").fetchall()
    assert len(found) == len(answers) * (K + 1)
    for row, (cf, k) in zip(found, ((cf, k) for cf in answers for k in range(K + 1)), strict=True):
        at = cf.at(k)
        law, listed = at.outcomes(), at.explanations()
        expected = (at.outcome, at.gain, at.relative_gain, *law.better, *law.worse)
        assert row[:3] == (cf.episode.id, cf.episode.id, k)
        assert row[3:10] == pytest.approx(expected, abs=1e-12)
        assert row[10:12] == (len(listed), False)
        assert row[12:] == pytest.approx(tuple(at.unique_count(50)), rel=0.02)


def test_steps_and_replacements(study, answers):
    for cf in answers:
        for k in range(K + 1):
            timeline = cf.at(k).timeline()
            where = f"episode = {cf.episode.id} AND k = {k}"
            changed = study.steps.filter(where).order("step").project("changed").fetchall()
            assert [value for (value,) in changed] == pytest.approx(timeline.changed, abs=1e-12)
            instead = study.replacements.filter(where).project(
                "step, observed, alternative, probability"
            )
            expected = {
                (step, cf.episode.actions[step], label): chance
                for step in range(cf.episode.horizon)
                for label, chance in timeline.replacements(step)
            }
            found = {row[:3]: row[3] for row in instead.fetchall()}
            assert found == pytest.approx(expected, abs=1e-12)


def test_explanations(study, answers):
    for cf in answers:
        at = cf.at(2)
        expected = at.explanations(limit=10)
        found = study.explanations.filter(f"episode = {cf.episode.id} AND k = 2").order("rank")
        for row, e in zip(found.fetchall(), expected, strict=True):
            numbers = (e.probability, e.mean_outcome, e.forced_outcome, *e.better)
            assert row[4:9] == pytest.approx(numbers, abs=1e-9)
            assert row[9] == len(e.changes)
            assert [tuple(change) for change in json.loads(row[11])] == [
                (c.step, c.observed, c.alternative) for c in e.changes
            ]


def test_accounts_are_those_of_explain(study, data):
    for id in (0, 7):
        kept, anew = study.account(id, 2), ut.explain(data.episodes.by_id(id), data.mdp, K).at(2)
        expected = anew.account()
        assert kept.mechanism == expected.mechanism == "Gumbel-max"
        assert kept.frontier == pytest.approx(expected.frontier)
        assert [e.changes for e in kept.explanations] == [e.changes for e in expected.explanations]
        assert np.array(kept.state_chances) == pytest.approx(np.array(expected.state_chances))


def test_counting_stops_at_the_limit_and_says_so(data, answers):
    study = ut.explain_all(data.episodes, data.mdp, K, depth=ut.Depth(limit=2, explanations=1))
    found = study.budgets.project("position, k, explanations, censored").fetchall()
    assert any(censored for *_, censored in found)
    for position, k, count, censored in found:
        needed = len(answers[position].at(k).explanations())
        assert censored == (needed > 2)
        assert count == min(needed, 2)


MECHANISMS = (ut.GumbelMax(), ut.InverseCDF(), ut.MaximalCoupling(), ut.Independent())


@given(
    world=worlds(),
    k=st.integers(0, 4),
    remember=st.booleans(),
    mechanism=st.sampled_from(MECHANISMS),
)
def test_the_short_way_to_the_frontier_is_the_same(world, k, remember, mechanism):
    episode, mdp, monkeypatch = world.episode(), world.mdp(), pytest.MonkeyPatch()
    cf = ut.explain(episode, mdp, k, pinned=world.pinned, mechanism=mechanism)
    with monkeypatch.context() as patch:
        if not remember:
            patch.setattr("untaken.study.reuse.LARGEST", 0)
        study = ut.explain_all(
            [episode],
            mdp,
            k,
            depth=ut.Depth.FRONTIER,
            pinned=sorted(world.pinned),
            mechanism=mechanism,
        )
    found = study.budgets.order("k").project("outcome").fetchall()
    assert [outcome for (outcome,) in found] == pytest.approx(cf.frontier, abs=1e-12)
    observed, gain, relative = study.episodes.project("observed, gain, relative_gain").fetchall()[0]
    assert observed == pytest.approx(cf.observed, abs=1e-12)
    assert gain == pytest.approx(cf.gain, abs=1e-12)
    assert relative == pytest.approx(cf.relative_gain, abs=1e-9)


def test_both_ways_fill_the_same_tables(data):
    options = {"pinned": [1, -1], "excluded": [2]}
    short = ut.explain_all(data.episodes, data.mdp, K, depth=ut.Depth.FRONTIER, **options)
    long = ut.explain_all(data.episodes, data.mdp, K, **options)
    for table in ("episodes", "decisions"):
        mine, other = getattr(short, table), getattr(long, table)
        chosen = ", ".join(name for name in mine.columns if name != "notes")
        assert rows(mine.project(chosen)) == rows(other.project(chosen))
    chosen = "position, episode, k, outcome, gain, relative_gain"
    assert rows(short.budgets.project(chosen)) == rows(long.budgets.project(chosen))


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
def test_a_bad_episode_stops_nobody(data, depth):
    P = data.mdp.transitions.dense()
    P[0, :, 1] = 0
    mdp = ut.MDP(P / P.sum(-1, keepdims=True), data.mdp.rewards)
    never = ut.Episode([0, 1, 2], [0, 0, 0], id="never")
    strange = ut.Episode([0, 9], [0, 0], id="strange")
    short = ut.Episode([2], [1], id="short")
    good = ut.Episode([2, 3, 3], [1, 0, 2], id="good")
    study = ut.explain_all([never, good, strange, short], mdp, K, depth=depth, pinned=[1])
    reasons = dict(study.failures.project("episode, error").fetchall())
    assert set(reasons) == {"never", "strange", "short"}
    assert "probability zero" in reasons["never"]
    assert reasons["strange"].startswith("UnknownLabel: unknown state 9")
    assert "pinned step 1 is outside the episode" in reasons["short"]
    assert study.failed == 3
    assert set(study.budgets.project("episode").fetchall()) == {("good",)}
    expected = ut.explain(good, mdp, K, pinned=[1]).frontier
    found = study.budgets.order("k").project("outcome").fetchall()
    assert [outcome for (outcome,) in found] == pytest.approx(expected)
    assert study.episode("strange") == strange


def test_every_column_is_there_and_documented(study):
    for table in TABLES:
        assert study.table(table).columns == [column.name for column in table.columns]
        assert all(column.meaning for column in table.columns)


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
@pytest.mark.parametrize("mechanism", [ut.GumbelMax(), ut.GumbelMaxSampled(d=20, seed=3)])
def test_nothing_depends_on_order_chunks_or_threads(data, depth, mechanism):
    def answered(episodes, **options):
        study = ut.explain_all(episodes, data.mdp, K, depth=depth, mechanism=mechanism, **options)
        return [
            rows(study.table(table).project("* EXCLUDE (position)"))
            for table in TABLES
            if table.name not in ("accounts", "robustness")
            and (depth.policy or table in TABLES[:3])
        ]

    expected = answered(data.episodes)
    assert answered(data.episodes, chunk=1) == expected
    assert answered(data.episodes, chunk=5, n_jobs=3) == expected
    assert answered(data.episodes[::-1], chunk=4) == expected


def test_sampled_worlds_are_drawn_anew_for_each_episode_and_seed(data):
    same = [replace_id(data.episodes[0], id) for id in range(3)]
    mechanism = ut.GumbelMaxSampled(d=20)

    def outcomes(seed):
        study = ut.explain_all(
            same, data.mdp, K, mechanism=mechanism, seed=seed, depth=ut.Depth.FRONTIER
        )
        return [value for (value,) in study.episodes.project("outcome").fetchall()]

    assert len(set(outcomes(0)) | set(outcomes(1))) == 6


def replace_id(episode, id):
    return ut.Episode(episode.states, episode.actions, id)


def test_leaving_out_each_patient():
    data = cohort()
    fit = ut.fit(data.episodes, ut.uniform_prior(), reward=lambda state: state)
    study = ut.explain_all(data.episodes, fit, K, leave_out=True)
    found = dict(study.episodes.project("episode, outcome").fetchall())
    for episode in data.episodes:
        alone = ut.explain(episode, fit.leave_out(episode.id).mdp, K)
        assert found[episode.id] == pytest.approx(alone.outcome)
    whole = ut.explain_all(data.episodes, fit, K, depth=ut.Depth.FRONTIER)
    assert found != dict(whole.episodes.project("episode, outcome").fetchall())


def test_labels_of_all_kinds_come_back():
    mdp = ut.MDP(
        [[[0.5, 0.5]] * 2] * 2, [0, 1], states=[("a", 1), ("b", 2)], actions=["wait", "treat"]
    )
    episode = ut.Episode([("a", 1), ("b", 2), ("a", 1)], ["wait", "treat"], id=("ward", 7))
    study = ut.explain_all([episode], mdp, 1)
    assert study.episode(("ward", 7)) == episode
    assert study.explain(("ward", 7)).frontier == pytest.approx(
        ut.explain(episode, mdp, 1).frontier
    )
    stored = study.decisions.order("step").project("episode, state, action").fetchall()
    assert stored[0] == ('["ward", 7]', '["a", 1]', "wait")


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
@pytest.mark.parametrize("ids", [(2**63, 3), (2**70, -1), (-(2**63), 2**63 - 1)])
def test_ids_and_labels_may_be_larger_than_columns_of_numbers(tmp_path, depth, ids):
    states = (2**64, 7)
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1], states=states)
    episodes = [ut.Episode([7, 2**64, 7], [0, 1], id=id) for id in ids]
    ut.explain_all(episodes, mdp, 1, out=tmp_path / "study", depth=depth)
    study = ut.open_study(tmp_path / "study")
    assert [study.episode(id) for id in ids] == episodes


def test_costs_gain_where_they_fall():
    data = cohort()
    mdp = data.mdp.replace(minimise=True)
    study = ut.explain_all(data.episodes, mdp, K, depth=ut.Depth.FRONTIER)
    pairs = study.budgets.project("k, gain, outcome").fetchall()
    assert all(gain >= 0 for _, gain, _ in pairs)
    observed, outcome, gain = study.episodes.project("observed, outcome, gain").fetchall()[0]
    assert gain == pytest.approx(observed - outcome)


def test_whoever_forgets_the_end_is_warned():
    mdp = ut.MDP([[[0.5, 0.5]], [[0.0, 1.0]]], [1, 0])
    episodes = [ut.Episode([0, 1], [0], id=0), ut.Episode([0, 0], [0], id=1)]
    with pytest.warns(ut.errors.HorizonWarning, match="in 1 of 2 cases"):
        study = ut.explain_all(episodes, mdp, 1)
    assert study.episodes.order("position").project("open_end").fetchall() == [(True,), (False,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k must be a whole number"),
        ({"pinned": ["x"]}, "pinned steps are whole numbers"),
        ({"pinned": [True, False]}, "pinned steps are whole numbers; True came"),
        ({"excluded": ["x"]}, "unknown action 'x'"),
        ({"chunk": 0}, "chunk is a number of episodes from 1; 0 came"),
        ({"chunk": 1.5}, "chunk is a number of episodes from 1; 1.5 came"),
        ({"seed": -1}, "seed is a whole number from 0; -1 came"),
        ({"seed": "x"}, "seed is a whole number from 0; 'x' came"),
        ({"n_jobs": 0}, "n_jobs is a number of threads"),
        ({"n_jobs": 1.5}, "n_jobs is a number of threads"),
        ({"leave_out": True}, "takes episodes out of a fit"),
        ({"pinned": 0}, r"pinned must be a list, as in pinned=\[0\]"),
        ({"excluded": "0"}, r"excluded must be a list, as in excluded=\['0'\]"),
        ({"depth": {"policy": False}}, r"depth must be Depth\(\.\.\.\)"),
        ({"rules": "first"}, r"rules must be Rules\(\.\.\.\); 'first' came"),
        ({"process": "process.npz"}, "the process must be an MDP or a Fit; 'process.npz' came"),
        ({"mechanism": ut.GumbelMaxSampled(seed=np.random.default_rng(0))}, "written down"),
    ],
)
def test_nonsense_is_refused_before_anything_is_done(data, options, message):
    with pytest.raises(ut.errors.UntakenError, match=message):
        ut.explain_all(data.episodes, **({"k": 1, "process": data.mdp} | options))
    with pytest.raises(ut.errors.InvalidQuestion, match="no episodes"):
        ut.explain_all([], data.mdp)


def test_an_episode_that_comes_twice_is_refused(data):
    twice = data.episodes[np.array([0, 3, 3])]
    with pytest.raises(ut.errors.InvalidEpisode, match="2 episodes have the id 3"):
        ut.explain_all(twice, data.mdp, 1)


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
def test_one_episode_of_one_step_without_any_change(depth):
    mdp = ut.MDP([[[1.0]]], [2.0])
    study = ut.explain_all([ut.Episode([0], [0])], mdp, 0, depth=depth)
    assert study.budgets.project("k, outcome, gain, relative_gain").fetchall() == [(0, 2, 0, 0)]
    assert study.summary().frontier[0].mean == 2


def test_numbers_of_numpy_are_numbers(data):
    options = {"chunk": np.int64(5), "seed": np.int32(3), "depth": ut.Depth(limit=np.int64(7))}
    study = ut.explain_all(data.episodes, data.mdp, np.int64(1), **options)
    assert (study.asked.chunk, study.asked.seed, study.asked.depth.limit) == (5, 3, 7)
    with pytest.raises(ut.errors.InvalidQuestion, match=r"limit is a number from 1; 1\.5 came"):
        ut.Depth(limit=1.5)


def test_what_a_study_does_not_hold_it_says(data):
    study = ut.explain_all(data.episodes, data.mdp, K, depth=ut.Depth.FRONTIER)
    with pytest.raises(ut.errors.InvalidStudy, match="no table of steps"):
        _ = study.steps
    with pytest.raises(ut.errors.UnknownLabel, match="no episode 99"):
        study.episode(99)
    with pytest.raises(ut.errors.InvalidQuestion, match="budgets 0 to 3"):
        study.account(0, 4)
    assert study.account(0, 2).k == 2


def test_how_sure(data, study, answers):
    names = study.robustness.columns
    found = study.robustness.order("position, k").fetchall()
    assert len(found) == len(answers) * (K + 1)
    for row in found:
        told = dict(zip(names, row, strict=True))
        at = answers[told["position"]].at(told["k"])
        sure = at.robustness(limit=0)
        gains = [told[name] for name in names[3:7]]
        assert gains == pytest.approx(list(sure.policy.gains), abs=1e-12)
        certain = [told[f"certain_{each.value}"] for each in sure.classes]
        assert certain == pytest.approx(list(sure.policy.certified), abs=1e-12)
        assert told["verdict"] == sure.policy.verdict.name.lower()
        assert told["attainable_none"] == pytest.approx(at.bounds("none").certified[-1])
    account = study.account(data.episodes[0].id, K)
    assert account.certainty.sentence == answers[0].robustness().sentence
    assert len(set(account.certainty.mechanisms)) == len(account.certainty.mechanisms)


def test_how_sure_is_not_asked_unless_wanted(data):
    study = ut.explain_all(data.episodes, data.mdp, 1)
    with pytest.raises(ut.errors.InvalidStudy, match="robustness"):
        _ = study.robustness


def test_how_sure_over_draws_of_the_process():
    data = cohort()
    fit = ut.fit(data.episodes, ut.uniform_prior(), reward=lambda state: state)
    depth = ut.Depth(robust=True, posterior=20)
    study = ut.explain_all(data.episodes, fit, 1, depth=depth, seed=3)
    wanted = "k, draws_better, draws_lower, draws_upper"
    found = study.robustness.filter("position = 2").order("k").project(wanted).fetchall()
    cf = ut.explain(data.episodes[2], fit.mdp, 1)
    for k, better, *ends in found:
        spread = cf.at(k).robustness(fit, limit=8, draws=20, seed=3).policy.posterior
        assert (better, *ends) == pytest.approx((spread.beats_observed, *spread.interval()))
    with pytest.raises(ut.errors.InvalidQuestion, match="draws from a fit"):
        ut.explain_all(data.episodes, data.mdp, 1, depth=depth)
    with pytest.raises(ut.errors.InvalidQuestion, match="give robust=True too"):
        ut.Depth(posterior=20)


def test_a_function_cannot_be_written_down(data):
    mechanism = ut.Custom(lambda p, y, q: q)  # noqa: ARG005
    with pytest.raises(ut.errors.InvalidQuestion, match="derived from Mechanism, not a function"):
        ut.explain_all(data.episodes, data.mdp, 1, mechanism=mechanism)


def test_a_large_id_among_many_small_ones_is_kept(tmp_path):
    members = [ut.Episode([0, 1], [0], id=id) for id in range(3_000)]
    members[2_222] = ut.Episode([0, 1], [1], id=2**40)
    episodes = ut.Episodes.of(members)
    fit = ut.fit(episodes, ut.uniform_prior(), reward=[0, 1])
    for out in (None, tmp_path / "study"):
        study = ut.explain_all(episodes, fit, 1, out=out, chunk=3_000, progress=False)
        found = study.episodes.filter("position = 2222").project("episode").fetchall()
        assert found == [(2**40,)]
