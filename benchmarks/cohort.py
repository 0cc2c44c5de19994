"""How fast a study of a whole cohort is, what it needs, and how that grows.

python -m benchmarks.cohort           some minutes
python -m benchmarks.cohort --quick   a tenth of the patients
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np

import untaken as ut
from benchmarks.core import sparse_process
from benchmarks.rivals import vectorised_transitions
from benchmarks.timing import best_times, in_fresh_process, resident, shown, table
from tests.oracles import monte_carlo_transitions, paper_search

FRONTIER = ut.Depth.FRONTIER
K, D, FRACTION, PROCESSES = 20, 1000, 20, 10
PATIENTS = 1_000 if "--quick" in sys.argv else 10_000
STREAMED = (5, 50) if "--quick" in sys.argv else (25, 250)
"""How many times 2,000 episodes a log holds."""
Row = tuple[str, str, str]


def paper_cohort() -> list[Row]:
    """10 processes with 50 episodes each, every budget 0..20."""
    cohorts = [ut.datasets.synthetic(seed=seed) for seed in range(PROCESSES)]
    P, R = cohorts[0].mdp.transitions.dense(), cohorts[0].mdp.rewards.departure
    first = cohorts[0].episodes[0]
    states, actions = (codes.tolist() for codes in cohorts[0].mdp.codes(first))
    rng = np.random.default_rng(0)
    P_tau = vectorised_transitions(P, states, actions, D, rng)
    larger = ut.datasets.synthetic(seed=0, episodes=2000)

    def study(data: ut.datasets.Synthetic, n_jobs: int = 1) -> ut.Study:
        return ut.explain_all(data.episodes, data.mdp, K, depth=FRONTIER, n_jobs=n_jobs)

    two_threads = joblib.Parallel(n_jobs=2, prefer="threads")
    single, double, large, large_double, sampling, program, alone = best_times(
        lambda: [study(data) for data in cohorts],
        lambda: two_threads(joblib.delayed(study)(data) for data in cohorts),
        lambda: study(larger),
        lambda: study(larger, n_jobs=2),
        lambda: monte_carlo_transitions(P, states, actions, FRACTION, rng),
        lambda: paper_search(P_tau, R, actions, K),
        lambda: [ut.explain(episode, data.mdp, K) for data in cohorts for episode in data.episodes],
        rounds=10,
    )
    count = sum(len(data.episodes) for data in cohorts)
    plain = sampling * D / FRACTION + program
    return [
        (
            "faster per episode on one core than the paper's procedure as it is described",
            f"{plain / (single / count):,.0f} x",
            f"{shown(plain)} (timed with {FRACTION} draws, times {D // FRACTION}, and "
            f"{shown(program)} for the dynamic program) against {shown(single / count)}",
        ),
        (
            "faster than `explain()` episode by episode: rows kept, no objects in between",
            f"{alone / single:.2f} x",
            f"{shown(alone / count)} against {shown(single / count)}",
        ),
        (
            "faster again on two cores, the ten studies in two threads",
            f"{single / double:.2f} x",
            f"{shown(single)} against {shown(double)}",
        ),
        (
            "faster again on two cores, one study of 2,000 episodes, `n_jobs=2`",
            f"{large / large_double:.2f} x",
            f"{shown(large)} against {shown(large_double)}",
        ),
    ]


PATIENTS_RUN = """
import sys, time
import untaken as ut
from benchmarks.timing import resident
count, out = int(sys.argv[1]), sys.argv[2]
data = ut.datasets.icu_sepsis(count)
ut.explain_all(data.episodes[:4], data.mdp, 5, depth=ut.Depth.FRONTIER)
start, busy = time.perf_counter(), time.process_time()
study = ut.explain_all(
    data.episodes, data.mdp, 5, out=out, depth=ut.Depth.FRONTIER, n_jobs=2, progress=False
)
assert study.done == count
took, busy = time.perf_counter() - start, time.process_time() - busy
start = time.perf_counter()
ut.explain_all(data.episodes, data.mdp, 5, out=out, depth=ut.Depth.FRONTIER, n_jobs=2)
print(took, busy, time.perf_counter() - start, resident(), study.failed)
"""


def patients() -> list[Row]:
    """ICU-Sepsis patients under the expert policy, on disk, and the same call again."""
    with tempfile.TemporaryDirectory() as folder:
        took, busy, again, peak, failed = in_fresh_process(
            PATIENTS_RUN, (str(PATIENTS), str(Path(folder) / "study"))
        )
    return [
        (
            f"{PATIENTS:,} ICU-Sepsis patients, k = 5, frontier and gain, two cores",
            shown(took),
            f"{shown(busy)} of work for both cores together; {shown(took / PATIENTS)} a patient; "
            f"{peak / 2**20:,.0f} MiB at most, the process and all patients included; "
            f"{failed:.0f} without an answer",
        ),
        (f"the same call once it is finished ({PATIENTS:,} patients)", shown(again), ""),
    ]


STREAM_RUN = """
import sys
import duckdb
import untaken as ut
from benchmarks.timing import resident
copies, folder = int(sys.argv[1]), sys.argv[2]
data = ut.datasets.synthetic(0.6, 5, 3, 6, 2000, 0)
with duckdb.connect() as database:
    database.execute("SET enable_progress_bar = false")
    database.register("log", data.episodes.to_frame().df())
    database.execute(
        f"COPY (SELECT episode + 2000 * copy AS episode, step, state, action, reward "
        f"FROM log, range({copies}) AS copies(copy) ORDER BY 1, 2) "
        f"TO '{folder}/log.parquet' (FORMAT parquet)"
    )
stream = ut.EpisodeStream(f"{folder}/log.parquet", "episode", "step", "state", "action", "reward")
resident(reset=True)
study = ut.explain_all(
    stream, data.mdp, 2, out=f"{folder}/study", depth=ut.Depth.FRONTIER, chunk=5000, n_jobs=2,
    progress=False,
)
print(resident(), study.done)
"""


def stream() -> list[Row]:
    """The same study of logs of which one is ten times as long as the other."""
    peaks = []
    for copies in STREAMED:
        with tempfile.TemporaryDirectory() as folder:
            peak, done = in_fresh_process(STREAM_RUN, (str(copies), folder))
        peaks.append((done, peak))
    (few, small), (many, large) = peaks
    return [
        (
            f"memory for {many:,.0f} episodes from Parquet, block by block",
            f"{large / 2**20:,.0f} MiB",
            f"{small / 2**20:,.0f} MiB for {few:,.0f}",
        )
    ]


@dataclass(frozen=True)
class Growth:
    """One quantity made larger, all else as it was."""

    name: str
    sizes: tuple[int, ...]
    study: Callable[[int], Callable[[], object]]

    def row(self) -> tuple[str, str, str, str]:
        """How the time follows: the exponent between neighbours."""
        studies = (self.study(size) for size in self.sizes)
        seconds = best_times(*studies, rounds=5, clock=time.process_time)
        slopes = np.diff(np.log(seconds)) / np.diff(np.log(self.sizes))
        return (
            self.name,
            ", ".join(f"{size:,}" for size in self.sizes),
            ", ".join(map(shown, seconds)),
            ", ".join(f"{slope:.2f}" for slope in slopes),
        )


def growth() -> list[tuple[str, str, str, str]]:
    """Slopes: time grows with the size to this power."""

    def icu(patients: int, k: int = 5, horizon: int = 20) -> Callable[[], object]:
        data = ut.datasets.icu_sepsis(patients, horizon=horizon)
        return lambda: ut.explain_all(data.episodes, data.mdp, k, depth=FRONTIER)

    def sparse(states: int, horizon: int = 20) -> Callable[[], object]:
        mdp, episodes = sparse_process(states)
        courses = [ut.Episode(e.states[:horizon], e.actions[:horizon], e.id) for e in episodes]
        return lambda: ut.explain_all(courses, mdp, 5, depth=FRONTIER)

    parts = (
        Growth("patients (ICU-Sepsis, k = 5)", (40, 80, 160), icu),
        Growth("states (8 actions, 9 successors a row, T = 20, k = 5)", (360, 720, 1440), sparse),
        Growth("steps (720 states, k = 5)", (5, 10, 20), lambda steps: sparse(720, steps)),
        Growth("k (40 ICU-Sepsis patients)", (1, 2, 5, 10), lambda k: icu(40, k)),
    )
    return [part.row() for part in parts]


def section() -> str:
    """The section of docs/benchmarks.md."""
    start = time.perf_counter()
    first = table(("What", "Ratio or value", "From"), [*paper_cohort(), *patients(), *stream()])
    second = table(("What grows", "Sizes", "Time", "Exponent"), growth())
    took = time.perf_counter() - start
    return "\n".join(
        [
            "## A study of every episode",
            "",
            "Frontier and gain (`Depth.FRONTIER`). The paper's cohort: 10 processes with 50 "
            "episodes each, every budget 0 to 20.",
            "",
            first,
            "",
            "How the processor time grows: with the size to the power of",
            "",
            second,
            "",
            f"Measured in {took / 60:.0f} minutes; {resident() / 2**20:,.0f} MiB at most.",
        ]
    )


if __name__ == "__main__":
    print(section())
