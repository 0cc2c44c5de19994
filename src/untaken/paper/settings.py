"""How thorough a run is, and what all experiments do alike: many things at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import TypeVar

from untaken.errors import InvalidQuestion
from untaken.study.progress import tqdm

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
    """How many things are worked out side by side."""

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise InvalidQuestion(f"threads must be 1 or more; {self.threads} came")


def each(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int, told: str = ""
) -> list[Result]:
    """The results for all items, in their order. Kernels run side by side on threads; a bar, with
    what is told before it, shows on a terminal how far they are.

    >>> each(abs, [-1, 2], threads=2)
    [1, 2]
    """
    tasks = list(items)
    bar = tqdm(total=len(tasks), desc=told, leave=False, disable=None if told else True)
    with bar, ThreadPoolExecutor(threads) as pool:
        results = []
        for result in pool.map(work, tasks):
            results.append(result)
            bar.update()
    return results
