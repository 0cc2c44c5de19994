"""A cohort read from Parquet a block at a time gives what the same cohort gives in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import untaken as ut
from tests.study.cohorts import cohort, content, rows
from untaken.study import TABLES, EpisodeStream


@pytest.fixture(params=["number", "text"])
def data(request):
    data = cohort(23)
    if request.param == "number":
        return data
    ids = np.array([f"P{id:03}" for id in data.episodes.ids], dtype=object)
    return replace(data, episodes=replace(data.episodes, ids=ids))


@pytest.fixture
def stream(data, tmp_path):
    log = tmp_path / "log.parquet"
    shuffled = data.episodes.to_frame().df().sample(frac=1, random_state=0)
    shuffled.to_parquet(log)
    return EpisodeStream(
        str(log), "episode", "step", "state", "action", "reward", ("group", "age"), block=8
    )


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
def test_the_same_tables(data, stream, depth):
    streamed = ut.explain_all(stream, data.mdp, 2, depth=depth, chunk=4)
    inside = ut.explain_all(data.episodes, data.mdp, 2, depth=depth, chunk=5, n_jobs=2)
    for table in TABLES[:6] if depth.policy else TABLES[:3]:
        assert rows(streamed.table(table)) == rows(inside.table(table))


def test_no_more_than_a_block_is_read_at_once(data, stream, monkeypatch):
    sizes = []
    read = EpisodeStream._read

    def watched(self, *span):
        episodes = read(self, *span)
        sizes.append(len(episodes))
        return episodes

    monkeypatch.setattr(EpisodeStream, "_read", watched)
    ut.explain_all(stream, data.mdp, 1, depth=ut.Depth.FRONTIER, chunk=4)
    assert sizes == [8, 8, 7]


def test_what_is_done_is_not_read_again(data, stream, tmp_path, monkeypatch):
    options = {"out": tmp_path / "study", "chunk": 4, "depth": ut.Depth.FRONTIER}
    ut.explain_all(stream, data.mdp, 1, **options)
    before = content(tmp_path / "study")
    (tmp_path / "study" / "done" / "part-00002.json").unlink()
    spans = []
    read = EpisodeStream._read
    monkeypatch.setattr(
        EpisodeStream, "_read", lambda self, *span: spans.append(span[:2]) or read(self, *span)
    )
    ut.explain_all(stream, data.mdp, 1, **options)
    assert spans == [(8, 12)]
    assert content(tmp_path / "study") == before


def test_other_rows_are_another_cohort(data, stream, tmp_path):
    options = {"out": tmp_path / "study", "depth": ut.Depth.FRONTIER}
    ut.explain_all(stream, data.mdp, 1, **options)
    log = pd.read_parquet(stream.source)
    log.sample(frac=1, random_state=5).to_parquet(stream.source)
    assert ut.explain_all(replace(stream), data.mdp, 1, **options).finished
    log.loc[log["step"] == 3, "reward"] += 1
    log.to_parquet(stream.source)
    with pytest.raises(ut.errors.InvalidStudy, match="as many, others"):
        ut.explain_all(replace(stream), data.mdp, 1, **options)


def test_files_that_are_none(tmp_path):
    absent = EpisodeStream(str(tmp_path / "none.parquet"), "e", "t", "s", "a")
    with pytest.raises(ut.errors.InvalidFile, match="cannot be read as Parquet"):
        ut.explain_all(absent, cohort().mdp, 1)


@pytest.mark.parametrize("depth", [ut.Depth(), ut.Depth.FRONTIER])
@pytest.mark.parametrize("chunk", [1, 4, 30])
def test_an_episode_that_cannot_be_read_is_there_with_its_reason(data, stream, depth, chunk):
    log = pd.read_parquet(stream.source)
    ids = sorted(set(log["episode"]))
    log.loc[log["episode"] == ids[0], "state"] = 77
    log.loc[(log["episode"] == ids[5]) & (log["step"] == 5), "state"] = 88
    log = log[(log["episode"] != ids[9]) | (log["step"] != 2)]
    log.to_parquet(stream.source)
    study = ut.explain_all(stream, data.mdp, 1, chunk=chunk, depth=depth)
    assert (study.done, study.total, study.failed, study.finished) == (23, 23, 3, True)
    reasons = study.failures.order("position").fetchall()
    assert reasons == [
        (0, ids[0], "InvalidLog: step 0: the state is not among the states given"),
        (5, ids[5], "InvalidLog: step 5: the state is not among the states given"),
        (9, ids[9], "InvalidLog: step 3: there is a gap before this step"),
    ]
    good = [place for place in range(23) if place not in (0, 5, 9)]
    expected = ut.explain_all(data.episodes[np.array(good)], data.mdp, 1, depth=depth)
    for table in TABLES[1:6] if depth.policy else TABLES[1:3]:
        found = study.table(table)
        assert rows(found.project("* EXCLUDE (position)")) == rows(
            expected.table(table).project("* EXCLUDE (position)")
        )
        assert set(found.project("position, episode").fetchall()) <= {(p, ids[p]) for p in good}
    about = study.episodes.order("position").project("position, episode, kept").fetchall()
    assert [row[:2] for row in about] == list(enumerate(ids))
    assert about[5][2] == {"group": None, "age": None}
    assert about[6][2] == {"group": "old", "age": 26}
    groups = {(point.group, point.episodes) for point in study.summary("group").frontier}
    assert groups == {("old", 11), ("young", 9)}


def test_where_nothing_can_be_read_nothing_is_answered(data, stream):
    log = pd.read_parquet(stream.source)
    log["state"] = 77
    log.to_parquet(stream.source)
    study = ut.explain_all(stream, data.mdp, 1, chunk=4)
    assert (study.done, study.failed) == (23, 23)
    assert study.decisions.fetchall() == []


def test_on_request_rows_that_fit_nowhere_stop_the_study(data, stream):
    log = pd.read_parquet(stream.source)
    log.loc[0, "state"] = 77
    log.to_parquet(stream.source)
    with pytest.raises(ut.errors.InvalidLog, match="77"):
        ut.explain_all(replace(stream, on_error="raise"), data.mdp, 1)
    with pytest.raises(ut.errors.InvalidQuestion, match="on_error must be one of record, raise"):
        replace(stream, on_error="drop")


def test_rows_of_nobody_are_left_out_and_told_of(data, stream, caplog):
    log = pd.read_parquet(stream.source)
    expected = ut.explain_all(stream, data.mdp, 1)
    nobody = log[log["step"] == 0].assign(episode=None)
    whole_ids = "Int64" if log["episode"].dtype.kind == "i" else "str"
    pd.concat([log.astype({"episode": object}), nobody]).astype({"episode": whole_ids}).to_parquet(
        stream.source
    )
    found = ut.explain_all(replace(stream), data.mdp, 1)
    assert f"{len(nobody)} rows of" in caplog.text
    assert rows(found.budgets) == rows(expected.budgets)
    with pytest.raises(ut.errors.InvalidLog, match="have no episode"):
        ut.explain_all(replace(stream, on_error="raise"), data.mdp, 1)


@pytest.mark.parametrize(
    ("column", "kind", "sql"),
    [("age", "int16", "BIGINT"), ("age", "Int32", "BIGINT"), ("age", "float32", "DOUBLE")],
)
def test_kept_columns_of_any_width_keep_their_kind(data, stream, column, kind, sql):
    pd.read_parquet(stream.source).astype({column: kind}).to_parquet(stream.source)
    study = ut.explain_all(stream, data.mdp, 1, depth=ut.Depth.FRONTIER)
    assert study.episodes.project(f"typeof(kept.{column})").distinct().fetchall() == [(sql,)]
    assert {point.group for point in study.summary(column).frontier} == set(range(20, 43))


def test_columns_may_have_any_name(data, stream):
    log = pd.read_parquet(stream.source)
    log.rename(columns={"step": "{step}", "group": 'a "b" {}'}).to_parquet(stream.source)
    named = replace(stream, step="{step}", keep=('a "b" {}',))
    found = ut.explain_all(named, data.mdp, 1, depth=ut.Depth.FRONTIER)
    assert {point.group for point in found.summary('a "b" {}').frontier} == {"old", "young"}


def test_what_a_stream_lacks_it_says(data, stream):
    with pytest.raises(ut.errors.InvalidLog, match="no column 'sate'; did you mean 'state'"):
        ut.explain_all(replace(stream, state="sate"), data.mdp, 1)
    pd.read_parquet(stream.source).iloc[:0].to_parquet(stream.source)
    with pytest.raises(ut.errors.InvalidQuestion, match="no episodes"):
        ut.explain_all(replace(stream), data.mdp, 1)
