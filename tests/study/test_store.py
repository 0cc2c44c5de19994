"""Studies that are killed, interrupted and gone on with, and what they leave behind."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

import untaken as ut
from tests.study.begin import CHUNK, EPISODES, K, begin, study, wait_for_parts
from tests.study.cohorts import cohort, content
from untaken.study.store import Folder

KILLS = int(os.environ.get("UNTAKEN_KILLS", "4"))


@pytest.mark.parametrize("round", range(KILLS))
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(whole, tmp_path, round):
    rng, folder = random.Random(round), tmp_path / "study"
    for _ in range(2):
        process = begin(folder, threads=1 + round % 2)
        time.sleep(rng.uniform(0, 1.6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if (folder / "manifest.json").exists():
            so_far = ut.open_study(folder)
            so_far.verify()
            assert so_far.done <= so_far.total
    assert study(folder, n_jobs=1 + (round + 1) % 2).finished
    assert content(folder) == content(whole)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_whatever_the_number_of_threads_the_bytes_are_the_same(whole, tmp_path, n_jobs):
    study(tmp_path / "study", n_jobs=n_jobs)
    assert content(tmp_path / "study") == content(whole)


def test_other_processes_write_the_same_bytes(whole, tmp_path):
    import joblib

    with joblib.parallel_config("loky", n_jobs=2):
        study(tmp_path / "study", n_jobs=None)
    assert content(tmp_path / "study") == content(whole)


def test_a_finished_study_is_not_touched(copy):
    before = {file: file.stat().st_mtime_ns for file in copy.rglob("*.*")}
    assert study(copy).finished
    assert {file: file.stat().st_mtime_ns for file in copy.rglob("*.*")} == before


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("while_writing", [False, True])
def test_interrupting_says_what_is_done(whole, tmp_path, threads, while_writing):
    folder = tmp_path / "study"
    process = begin(folder, threads)
    wait_for_parts(folder, 3)
    while while_writing and not list(folder.glob("*/.*")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    last = errors.decode().strip().splitlines()[-1]
    assert "StudyInterrupted: stopped by hand" in last
    done = ut.open_study(folder).done
    assert CHUNK <= done < EPISODES
    assert "the same call goes on from there" in last
    assert not list(folder.rglob(".*"))
    study(folder)
    assert content(folder) == content(whole)


def test_without_a_folder_interrupting_keeps_nothing(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("untaken.study.job.Job.run", interrupted)
    data = cohort(4)
    with pytest.raises(ut.errors.StudyInterrupted, match="Give out= to keep what is done"):
        ut.explain_all(data.episodes, data.mdp, 1)


def test_a_run_that_was_killed_before_its_manifest_is_begun_anew(whole, tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    for name in ("lock", "process.npz", "fit.npz"):
        (folder / name).write_bytes(b"")
    study(folder)
    assert content(folder) == content(whole)


def test_a_finished_study_can_be_gone_on_with_from_a_saved_process(copy, tmp_path):
    """What MDP.load reads is the process that was saved, to the last bit."""
    data = cohort(EPISODES)
    data.mdp.save(tmp_path / "process.npz")
    mdp = ut.MDP.load(tmp_path / "process.npz")
    options = {"out": copy, "chunk": CHUNK, "detail": True}
    assert ut.explain_all(data.episodes, mdp, K, **options).finished


def test_a_failure_that_nobody_foresaw_says_what_is_done(tmp_path, monkeypatch):
    put = Folder.put

    def broken(self, chunk, parts, mark):
        if chunk == 5:
            raise RuntimeError("a worker died")
        put(self, chunk, parts, mark)

    monkeypatch.setattr(Folder, "put", broken)
    with pytest.raises(RuntimeError, match="a worker died") as caught:
        study(tmp_path / "study")
    assert "10 of 40 episodes are done and safe" in caught.value.__notes__[0]


def test_a_study_needs_nothing_but_its_folder(whole):
    opened, data = ut.open_study(whole), cohort(EPISODES)
    assert repr(opened) == "Study(40 of 40 episodes, k=2, 0 without an answer)"
    assert opened.episode(7).actions == data.episodes.by_id(7).actions
    assert opened.explain(7).what_if({0: 1}).outcome == pytest.approx(
        ut.explain(data.episodes.by_id(7), data.mdp, K).what_if({0: 1}).outcome
    )


def test_parts_are_small_where_answers_take_long():
    def parts(episodes: int, depth: ut.Depth) -> int:
        data = cohort(episodes)
        study = ut.explain_all(data.episodes, data.mdp, 1, depth=depth)
        return len(study.store.marks())

    shallow = ut.Depth(explanations=0)
    assert [parts(count, shallow) for count in (1, 5, 73, 600)] == [1, 1, 15, 50]
    assert [parts(count, ut.Depth.FRONTIER) for count in (73, 600)] == [1, 6]


def test_an_interruption_before_the_first_part_says_what_is_done_too(tmp_path, monkeypatch):
    def pressed(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("untaken.study.run.refuse_other_versions", pressed)
    data = cohort(3)
    with pytest.raises(ut.errors.StudyInterrupted, match="0 of 3 episodes are done and safe in"):
        ut.explain_all(data.episodes, data.mdp, 1, out=tmp_path / "study")
