"""A study to be killed: python -m tests.study.begin FOLDER [threads]. Every chunk dawdles a bit, so
that there is something to interrupt."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import untaken as ut
from tests.study.cohorts import cohort
from untaken.study.job import Job

K, CHUNK, EPISODES = 2, 2, 40


def study(out: Path, n_jobs: int = 1, **options) -> ut.Study:
    """The study of all tests about interruptions."""
    data = cohort(EPISODES)
    options = {"k": K, "chunk": CHUNK, "detail": True} | options
    return ut.explain_all(data.episodes, data.mdp, out=out, n_jobs=n_jobs, **options)


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


def main() -> None:
    """Run it, slowly."""
    answer = Job.run

    def dawdling(job, chunk):
        time.sleep(0.02)
        return answer(job, chunk)

    Job.run = dawdling
    print("begun", flush=True)
    study(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)


if __name__ == "__main__":
    main()
