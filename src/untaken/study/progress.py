"""How far a study has come: a bar for people who look on, a line in the log for all others."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from types import TracebackType

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of a notebook without ipywidgets: its bar is one of text
    from tqdm.auto import tqdm as tqdm  # whoever else shows a bar takes it from here

LOG = logging.getLogger("untaken.study")
SECONDS = 30
"""How often the log is told."""


class Progress:
    """Counts episodes. `shown` is whether there is a bar; None for where somebody looks on."""

    def __init__(self, total: int, done: int, shown: bool | None) -> None:
        self.total, self.begun_with, self.done = total, done, done
        self._bar = None
        self._quiet = shown is False
        if shown or (shown is None and _watched()):
            self._bar = tqdm(total=total, initial=done, unit=" episodes")
        self._start = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def add(self, episodes: int) -> None:
        """So many more are done."""
        self.done += episodes
        if self._bar is not None:
            self._bar.update(episodes)
        elif not self._quiet and time.monotonic() - self._told > SECONDS:
            self._told = time.monotonic()
            LOG.info(self.line())

    def line(self) -> str:
        """How far it is, how fast, and how long it will take."""
        rate = (self.done - self.begun_with) / max(time.monotonic() - self._start, 1e-9)
        left = (self.total - self.done) / max(rate, 1e-9)
        return (
            f"{self.done:,} of {self.total:,} episodes, {rate:,.1f} a second, "
            f"about {left:,.0f} seconds to go"
        )


def _watched() -> bool:
    """Whether a person is likely to see a bar."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()
