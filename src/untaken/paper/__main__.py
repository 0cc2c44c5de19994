"""python -m untaken.paper [FIGURE ...] -o DIR [--quick] [--trial PATH]"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from untaken.errors import UntakenError
from untaken.paper.reproduce import EXPERIMENTS, on_screen, reproduce
from untaken.paper.settings import Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the paper's experiments and write a page about them."""
    parser = argparse.ArgumentParser(
        prog="python -m untaken.paper",
        description="Every figure and quantitative claim of the paper, computed exactly.",
    )
    parser.add_argument(
        "figures", nargs="*", metavar="FIGURE", help=f"{', '.join(EXPERIMENTS)}; or 1 to 8"
    )
    parser.add_argument("-o", "--out", default="paper", metavar="DIR", help="where to write")
    parser.add_argument("--quick", action="store_true", help="fewer draws: a check, not a result")
    parser.add_argument("--trial", metavar="PATH", help="the file of the real therapy trial")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    given = parser.parse_args(arguments)
    try:
        settings = Settings(quick=given.quick, trial=given.trial, threads=given.threads)
        done = reproduce(given.figures, given.out, settings, on_screen)
    except UntakenError as error:
        parser.error(str(error))
    print(done.page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
