"""Measure everything, and write docs/benchmarks.md: `make bench`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks import analysis, bounds, calibration, cohort, core, page, reading
from benchmarks.timing import machine

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
PICTURE = PAGE.parent / "images" / "calibration.png"
SECTIONS = (
    core.section,
    analysis.section,
    bounds.section,
    partial(calibration.section, str(PICTURE)),
    cohort.section,
    reading.section,
    page.section,
)


def main() -> None:
    """One section after the other, each printed as soon as it is there."""
    told = [
        "# Benchmarks",
        "Written by `make bench`. A time is that of the fastest of several rounds, a ratio that of "
        "two times\nmeasured in one run.",
        f"Machine: {machine()}.",
    ]
    print("\n\n".join(told))
    for section in SECTIONS:
        told.append(section())
        print(f"\n{told[-1]}", flush=True)
    PAGE.write_text("\n\n".join(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
