"""How benchmarks measure, and on what."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np


def best_times(
    *runs: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds of the fastest round of each. They take turns, because on a shared machine minutes
    differ; and the fastest counts, because all others measure the neighbours too. Runs that take
    longer than a turn on a busy processor want the clock of their own thread."""
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for position, run in enumerate(runs):
            start = clock()
            run()
            best[position] = min(best[position], clock() - start)
    return best


def in_fresh_process(program: str, arguments: tuple[str, ...] = ()) -> list[float]:
    """The numbers that a program prints in a Python of its own, which may keep its bytecode."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(number) for number in done.stdout.split()]


def machine() -> str:
    """The processor and the versions that matter."""
    found = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return (
        f"{found[0] if found else platform.machine()}, {os.cpu_count()} cores visible, one used; "
        f"{platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Numba {numba.__version__}"
    )


def shown(seconds: float) -> str:
    """A duration in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def resident(reset: bool = False) -> float:
    """The most bytes of memory that this process has held at once, since the last reset (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return 1024.0 * int(line.split()[1])
    raise RuntimeError("this system does not tell a process its peak of memory")
