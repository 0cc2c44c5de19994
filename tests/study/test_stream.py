"""A cohort read from Parquet a block at a time gives what the same cohort gives in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import untaken as ut
from tests.study.cohorts import cohort, content, rows
from untaken.study import TABLES
from untaken.study.cohort import EpisodeStream


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
    import pandas as pd

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
def test_rows_that_fit_nowhere_stop_the_study_or_are_left_out(data, stream, depth):
    import pandas as pd

    log = pd.read_parquet(stream.source)
    first = sorted(set(log["episode"]))[0]
    log.loc[log["episode"] == first, "state"] = 77
    log.to_parquet(stream.source)
    with pytest.raises(ut.errors.InvalidLog, match="77"):
        ut.explain_all(stream, data.mdp, 1, chunk=1, depth=depth)
    study = ut.explain_all(replace(stream, on_error="drop"), data.mdp, 1, chunk=1, depth=depth)
    assert (study.done, study.total, study.finished) == (22, 23, True)
    assert study.episodes.aggregate("min(position)").fetchall() == [(1,)]
