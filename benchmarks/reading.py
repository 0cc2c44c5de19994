"""Claim: a million episodes of twenty steps are read from Parquet, checked and coded, in under 20
seconds within 4 GiB, on two cores.

    python -m benchmarks.reading [episodes]

Rows stand in random order. Reading runs in a process of its own, whose processor time
and peak memory are reported: on a machine that is busy with other things, look at the former.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import table

STEPS = 20
KINDS = {"whole numbers": "episode", "texts": "'patient-' || episode"}


def write(path: Path, episodes: int, id: str) -> None:
    """A log in random order."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"""
        COPY (
            SELECT {id} AS patient, step,
                ['none', 'mild', 'moderate', 'severe'][1 + (hash(row, 1) % 4)::INT] AS severity,
                ['STR', 'BIO', 'PSE', 'BHA', 'CRT'][1 + (hash(row, 2) % 5)::INT] AS theme
            FROM (SELECT row, row // {STEPS} AS episode, row % {STEPS} AS step
                  FROM range({episodes * STEPS}) AS rows(row))
            ORDER BY hash(row, 3)
        ) TO '{path}'
    """)
    connection.close()


def read(path: str) -> None:
    """Read the log once and print what it took, as JSON."""
    import untaken as ut

    begin = time.perf_counter()
    episodes = ut.read_episodes(
        path, episode="patient", step="step", state="severity", action="theme"
    )
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_SELF)
    took = {
        "episodes": len(episodes),
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss / 2**20,
    }
    print(json.dumps(took))


def section(episodes: int = 1_000_000) -> str:
    """The section of docs/benchmarks.md."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, id in KINDS.items():
            path = Path(folder) / "log.parquet"
            write(path, episodes, id)
            command = [sys.executable, "-m", "benchmarks.reading", "--read", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            took = json.loads(done.stdout)
            millions = took["episodes"] * STEPS / 1e6
            rows.append(
                (
                    f"{millions:,.3g} million rows, ids are {kind}",
                    f"{took['seconds']:.1f} s",
                    f"{millions / took['seconds']:.2f}",
                    f"{took['cpu']:.1f} s",
                    f"{took['peak']:.2f} GiB",
                )
            )
    header = ("Parquet, rows in random order", "wall", "million rows/s", "processor", "peak memory")
    return "## Reading episodes\n\n" + table(header, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
    else:
        print(section(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
