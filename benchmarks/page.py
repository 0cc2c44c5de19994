"""Claims: a report of 100 patients of the therapy trial with every budget to 10 stays under 2 MB,
and the explorer answers a what-if within 100 ms.

    python -m benchmarks.page
"""

from __future__ import annotations

import dataclasses
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

import untaken as ut
from benchmarks.timing import shown, table
from untaken.present.page.report import write_report

PATIENTS, BUDGET, QUESTIONS = 100, 10, 200


def patients() -> ut.Episodes:
    """Patients of two simulated trials, each under a number of its own."""
    trials = [list(ut.datasets.cbt_trial(seed=seed).episodes) for seed in (0, 1)]
    gathered = [episode for trial in trials for episode in trial][:PATIENTS]
    numbered = [dataclasses.replace(each, id=place) for place, each in enumerate(gathered)]
    first = ut.datasets.cbt_trial().episodes
    return ut.Episodes.of(numbered, states=first.states, actions=first.actions)


def section() -> str:
    """The table."""
    episodes, trial = patients(), ut.datasets.cbt_trial()
    fit = ut.fit(episodes, ut.neighbour_prior(near=1.0, far=0.01), reward=trial.reward)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "study"
        study = ut.explain_all(
            episodes, fit, BUDGET, out=out, depth=ut.Depth(robust=True), detail=True, progress=False
        )
        start = time.perf_counter()
        report = write_report(study, Path(folder) / "report.html")
        writing = time.perf_counter() - start
        first, again = latencies(out, [episode.horizon for episode in episodes])
        size = report.stat().st_size
    rows = [
        (
            f"report of {PATIENTS} patients, every budget 0 to {BUDGET}, how sure included",
            f"{size / 1e6:.2f} MB",
            f"written in {shown(writing)} from a study that kept its accounts",
        ),
        (
            "a what-if, the first about its patient",
            shown(statistics.median(first)),
            f"median of {len(first)}; the slowest {shown(max(first))}; over HTTP, curve included",
        ),
        (
            "a further what-if about the same patient",
            shown(statistics.median(again)),
            f"median of {len(again)}; the slowest {shown(max(again))}",
        ),
    ]
    return "## The page\n\n" + table(("What", "Value", "How"), rows)


def latencies(study: Path, horizons: list[int]) -> tuple[list[float], list[float]]:
    """Seconds from question to answer: the first one about each of some patients, and the next."""
    command = Path(sys.executable).parent / "untaken"
    rng = np.random.default_rng(0)
    told: tuple[list[float], list[float]] = [], []
    serving = [str(command), "explore", str(study), "--port", "0"]
    with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        home = server.stdout.readline().split()[0]
        for position in range(1, min(QUESTIONS // 2, len(horizons))):
            for times in told:
                step, action = rng.integers(horizons[position]), rng.integers(11)
                asked = f"{home}api/episodes/{position}/what-if?change={step}:{action}"
                start = time.perf_counter()
                with urllib.request.urlopen(asked) as answer:
                    answer.read()
                times.append(time.perf_counter() - start)
        server.terminate()
    return told


if __name__ == "__main__":
    print(section())
