"""How thorough a run is, and helpers of all experiments: threads and clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Settings:
    """What was asked for."""

    quick: bool = False
    """Fewer processes, budgets and draws: to check that all is well, not to publish."""
    trial: str | PathLike[str] | None = None
    """The file of the real trial, for those who have it; else a simulated one is taken."""
    threads: int = 2


def each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results for all items, in their order. Kernels run side by side on threads.

    >>> each(abs, [-1, 2], threads=2)
    [1, 2]
    """
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
