"""Claim: a million episodes of twenty steps are read from Parquet, checked and coded, in under 20
seconds within 4 GiB, on two cores.

    python benchmarks/reading.py [episodes]

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

STEPS = 20
SECONDS, GIBIBYTES = 20.0, 4.0
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


def main(episodes: int) -> int:
    """Write, read and report; the exit code says whether the claim holds."""
    held = True
    with tempfile.TemporaryDirectory() as folder:
        for kind, id in KINDS.items():
            path = Path(folder) / "log.parquet"
            write(path, episodes, id)
            command = [sys.executable, __file__, "--read", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            took = json.loads(done.stdout)
            rows = took["episodes"] * STEPS
            ok = took["seconds"] < SECONDS and took["peak"] < GIBIBYTES
            held &= ok
            print(
                f"ids are {kind}: {rows:,} rows in {took['seconds']:.1f} s, "
                f"{rows / took['seconds'] / 1e6:.2f} million rows/s, {took['cpu']:.1f} s of "
                f"processor time, peak {took['peak']:.2f} GiB: "
                f"{'holds' if ok else 'DOES NOT HOLD'}"
            )
    return 0 if held else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
