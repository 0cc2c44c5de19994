"""Folders and disks: odd names, two at once, no permission, no locks, no room."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

import untaken as ut
from tests.study.begin import EPISODES, K, begin, study, wait_for_parts
from tests.study.cohorts import content
from untaken.study.store import Folder


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


def test_a_place_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ut.errors.CannotWrite, match="Not a directory"):
        study(tmp_path / "file" / "study")
    assert (tmp_path / "file").read_text() == "not a folder"


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


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    import fcntl

    def unable(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", unable)
    with pytest.raises(ut.errors.CannotWrite, match=r"cannot be locked .*: No locks available"):
        study(tmp_path / "study")


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
