"""Studies that are killed, damaged, crowded out, or begun twice."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import untaken as ut
from tests.study.begin import CHUNK, EPISODES, K, study
from tests.study.cohorts import cohort, content
from untaken.study.store import Folder

KILLS = int(os.environ.get("UNTAKEN_KILLS", "4"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A study that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    assert study(folder).finished
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "study"))


def begin(folder: Path, threads: int = 1) -> subprocess.Popen:
    """The same study in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.study.begin", str(folder), str(threads)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"begun\n"
    return process


def wait_for_parts(folder: Path, parts: int) -> None:
    """Until so many chunks are done."""
    for _ in range(2000):
        if len(list(folder.glob("done/part-*.json"))) >= parts:
            return
        time.sleep(0.01)
    raise AssertionError("the study does not get on")


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k was 2 and is 1"),
        ({"chunk": 3}, "chunk was 2 and is 3"),
        ({"pinned": [0]}, r"pinned was \(\) and is \(0,\)"),
        ({"depth": ut.Depth(limit=5)}, "depth.limit was 1000 and is 5"),
        ({"seed": 1}, "seed was 0 and is 1"),
        (
            {"mechanism": ut.GumbelMaxSampled(d=5)},
            r"mechanism was GumbelMax\(\) and is GumbelMaxSampled\(d=5, seed=0\)",
        ),
    ],
)
def test_other_options_are_refused(copy, options, message):
    before = content(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=message):
        study(copy, **options)
    assert content(copy) == before


def test_other_inputs_are_refused(copy):
    data, other = cohort(EPISODES), cohort(EPISODES, seed=1)
    options = {"out": copy, "chunk": CHUNK, "detail": True}
    with pytest.raises(ut.errors.InvalidStudy, match=r"process is another one \(transitions\)"):
        ut.explain_all(data.episodes, other.mdp, K, **options)
    worse = data.mdp.replace(minimise=True, available=np.eye(5, 3) < 1)
    told = r"another one \(available actions, discount or direction\)"
    with pytest.raises(ut.errors.InvalidStudy, match=told):
        ut.explain_all(data.episodes, worse, K, **options)
    with pytest.raises(ut.errors.InvalidStudy, match="there were 40 episodes and now there are 3"):
        ut.explain_all(data.episodes[:3], data.mdp, K, **options)
    with pytest.raises(ut.errors.InvalidStudy, match=r"as many, others \(ids, courses, "):
        ut.explain_all(data.episodes[::-1], data.mdp, K, **options)
    codes = data.episodes.action_codes.copy()
    codes[7] = (codes[7] + 1) % 3
    one_row = replace(data.episodes, action_codes=codes)
    with pytest.raises(ut.errors.InvalidStudy, match=r"study: [^;]* others \(courses\)\. Give"):
        ut.explain_all(one_row, data.mdp, K, **options)


def test_more_draws_do_not_make_another_process(tmp_path):
    data = cohort(4)
    fit = ut.fit(data.episodes, ut.uniform_prior(), reward=lambda state: state)
    ut.explain_all(data.episodes, fit, 1, out=tmp_path / "study")
    with pytest.raises(ut.errors.InvalidStudy) as caught:
        ut.explain_all(data.episodes, fit, 1, out=tmp_path / "study", leave_out=True)
    assert "study: leave_out was False and is True. Give another" in str(caught.value)


def test_the_rest_is_not_made_by_other_versions(copy):
    manifest = copy / "manifest.json"
    told = json.loads(manifest.read_text())
    told["versions"]["numpy"] = "1.0"
    manifest.write_text(json.dumps(told))
    assert study(copy).finished
    (copy / "done" / "part-00003.json").unlink()
    with pytest.raises(ut.errors.InvalidStudy, match=r"numpy was 1\.0 and is"):
        study(copy)
    assert ut.open_study(copy).done == EPISODES - CHUNK


def test_a_truncated_part_is_named_and_can_be_repaired(copy, whole):
    part = copy / "budgets" / "part-00007.parquet"
    part.write_bytes(part.read_bytes()[:-9])
    for look in (lambda: ut.open_study(copy), lambda: study(copy)):
        with pytest.raises(ut.errors.InvalidStudy, match=r"part-00007.parquet has .* bytes where"):
            look()
    (copy / "done" / "part-00007.json").unlink()
    study(copy)
    assert content(copy) == content(whole)


def test_a_missing_or_altered_part_is_named(copy):
    part = copy / "steps" / "part-00002.parquet"
    altered = bytearray(part.read_bytes())
    altered[40] ^= 1
    part.write_bytes(altered)
    opened = ut.open_study(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=r"00002\.parquet is not what was written"):
        opened.verify()
    part.unlink()
    with pytest.raises(ut.errors.InvalidStudy, match=r"part-00002\.parquet is missing"):
        ut.open_study(copy)


def test_a_damaged_marker_is_named(copy, whole):
    marker = copy / "done" / "part-00004.json"
    marker.write_text(marker.read_text()[:20])
    with pytest.raises(ut.errors.InvalidStudy, match=r"part-00004\.json is damaged"):
        study(copy)
    marker.unlink()
    study(copy)
    assert content(copy) == content(whole)


def test_folders_may_have_any_name(whole, tmp_path):
    folder = tmp_path / "it's [my] *study*?"
    assert study(folder).budgets.aggregate("count(*)").fetchall() == [(EPISODES * (K + 1),)]
    assert content(folder) == content(whole)


def test_two_at_once(whole, tmp_path):
    folder = tmp_path / "study"
    process = begin(folder)
    wait_for_parts(folder, 2)
    with pytest.raises(ut.errors.StudyInUse, match="another process is writing"):
        study(folder)
    assert 0 < ut.open_study(folder).done <= EPISODES
    process.communicate()
    assert process.returncode == 0
    assert content(folder) == content(whole)


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


def test_a_place_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ut.errors.CannotWrite, match="Not a directory"):
        study(tmp_path / "file" / "study")
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ut.errors.InvalidStudy, match=r"not empty \('thesis.tex' is there\)"):
        study(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]
    with pytest.raises(ut.errors.InvalidStudy, match="holds no study"):
        ut.open_study(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ut.errors.InvalidStudy, match="not the manifest of a study"):
        ut.open_study(tmp_path)


@pytest.mark.parametrize("name", ["process.npz", "fit.npz", "manifest.json"])
def test_files_of_the_same_names_are_not_written_over(tmp_path, name):
    (tmp_path / name).write_text("a process that somebody saved")
    with pytest.raises(ut.errors.InvalidStudy):
        study(tmp_path)
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "a process that somebody saved"


def test_a_run_that_was_killed_before_its_manifest_is_begun_anew(whole, tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    for name in ("lock", "process.npz", "fit.npz"):
        (folder / name).write_bytes(b"")
    study(folder)
    assert content(folder) == content(whole)


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("manifest.json", b"\xff\xfe"),
        ("manifest.json", b""),
        ("manifest.json", b"[]"),
        ("done/part-00004.json", b"[]"),
        ("done/part-00004.json", b'{"episodes": 2, "failed": 0, "open_ends": 0, "parts": []}'),
        ("done/part-00004.json", b'{"episodes": null, "failed": 0, "open_ends": 0, "parts": {}}'),
        (
            "done/part-00004.json",
            b'{"episodes": 2, "failed": 0, "open_ends": 0, "parts": {"steps": 3}}',
        ),
    ],
)
def test_damage_of_any_kind_is_named(copy, file, damage):
    (copy / file).write_bytes(damage)
    for look in (lambda: ut.open_study(copy), lambda: study(copy)):
        with pytest.raises(ut.errors.InvalidStudy, match=Path(file).stem):
            look()


def test_a_folder_without_permission(tmp_path):
    """Root may write anywhere, and so must be somebody else for a while."""
    tmp_path.chmod(0o555)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        with pytest.raises(ut.errors.CannotWrite, match="Permission denied"):
            study(tmp_path / "study")
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o755)
    assert os.listdir(tmp_path) == []


def test_what_is_not_ours_is_left_alone(whole, tmp_path):
    """Hidden files and folders do not keep a study out, and it does not tidy them away."""
    folder = tmp_path / "study"
    (folder / ".git").mkdir(parents=True)
    (folder / ".gitignore").write_text("mine")
    (folder / "budgets").mkdir()
    (folder / "budgets" / ".part-of-me").write_text("mine")
    (folder / "budgets").rename(tmp_path / "aside")
    study(folder)
    (tmp_path / "aside" / ".part-of-me").rename(folder / "budgets" / ".part-of-me")
    study(folder)
    for name in (".gitignore", "budgets/.part-of-me"):
        assert (folder / name).read_text() == "mine"
        (folder / name).unlink()
    (folder / ".git").rmdir()
    assert content(folder) == content(whole)


@pytest.mark.parametrize("damage", ["truncated", "missing", "another"])
def test_a_damaged_process_is_named_and_written_again(copy, whole, damage, caplog):
    process = copy / "process.npz"
    content_before = process.read_bytes()
    if damage == "truncated":
        process.write_bytes(content_before[:-30])
    elif damage == "missing":
        process.unlink()
    else:
        cohort(EPISODES, seed=1).mdp.save(process)
    opened = ut.open_study(copy)
    for look in (opened.verify, lambda: opened.mdp, lambda: opened.explain(3)):
        with pytest.raises(ut.errors.InvalidStudy, match=r"process\.npz.* writes it again"):
            look()
    (copy / "done" / "part-00003.json").unlink()
    assert study(copy, n_jobs=2).finished
    assert "process.npz" in caplog.text
    assert content(copy) == content(whole)


def test_options_that_another_version_knows_are_named(copy):
    manifest = copy / "manifest.json"
    told = json.loads(manifest.read_text())
    told["options"]["novel"] = told["options"].pop("seed")
    manifest.write_text(json.dumps(told))
    with pytest.raises(ut.errors.InvalidStudy, match="novel was 0 and is None; seed was None"):
        study(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=r"options that this version .* not have"):
        ut.open_study(copy)


def test_rules_are_told_apart_one_by_one(copy):
    with pytest.raises(ut.errors.InvalidStudy, match=r"rules\.drop_below was 0\.0 and is 0\.1"):
        study(copy, rules=ut.Rules(drop_below=0.1))


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    import fcntl

    def unable(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", unable)
    with pytest.raises(ut.errors.CannotWrite, match=r"cannot be locked .*: No locks available"):
        study(tmp_path / "study")


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


def full_disk(size: str, folder: Path) -> bool:
    """A disk of its own for a folder, where the system lets us."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return (
        shutil.which("mount") is not None
        and not subprocess.run(mount, capture_output=True).returncode
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_real_disk_that_fills_up_and_is_emptied(whole, tmp_path, n_jobs):
    disk = tmp_path / "disk"
    if not full_disk("300k", disk):
        pytest.skip("no disk can be mounted here")
    try:
        with pytest.raises(ut.errors.CannotWrite, match=r"No space left on device\. .* safe in"):
            study(disk / "study", n_jobs=n_jobs)
        half = ut.open_study(disk / "study")
        half.verify()
        assert 0 < half.done < EPISODES
        subprocess.run(["mount", "-o", "remount,size=30m", str(disk)], check=True)
        assert study(disk / "study", n_jobs=n_jobs).finished
        assert content(disk / "study") == content(whole)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert ut.open_study(disk / "study").finished
        with pytest.raises(ut.errors.CannotWrite, match="Read-only file system"):
            study(disk / "study")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_fills_up(whole, tmp_path):
    """Files may not grow beyond what the smaller parts need: accounts do not fit."""
    folder = tmp_path / "study"
    largest = max(file.stat().st_size for file in (whole / "accounts").glob("*"))
    process = subprocess.run(
        [sys.executable, "-m", "tests.study.begin", str(folder)],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 9, largest - 9)),
    )
    last = process.stderr.decode().strip().splitlines()[-1]
    assert "parquet cannot be written: File too large. " in last
    assert "goes on from there" in last
    ut.open_study(folder).verify()
    assert not [file for file in folder.rglob(".*") if file.is_file()]
    study(folder)
    assert content(folder) == content(whole)


def test_full_disk_of_a_worker_keeps_the_done_parts(whole, tmp_path, monkeypatch):
    put = Folder.put

    def full(self, chunk, parts, mark):
        if chunk == 5:
            raise ut.errors.CannotWrite("no space left on device")
        put(self, chunk, parts, mark)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "put", full)
        with pytest.raises(ut.errors.CannotWrite, match=r"no space left .* done and safe"):
            study(tmp_path / "study", n_jobs=2)
    study(tmp_path / "study")
    assert content(tmp_path / "study") == content(whole)


def test_others_can_read_the_parts(whole):
    opened = ut.open_study(whole)
    pattern = str(whole / "budgets" / "*.parquet")
    expected = opened.budgets.aggregate("sum(outcome)").fetchall()[0][0]
    assert duckdb.sql(f"SELECT sum(outcome) FROM '{pattern}'").fetchall()[0][0] == pytest.approx(
        expected
    )
    assert pl.read_parquet(pattern)["outcome"].sum() == pytest.approx(expected)
    assert pd.read_parquet(whole / "budgets")["outcome"].sum() == pytest.approx(expected)


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
