"""Numbers as labels: by given edges, or by quantiles. An edge belongs to the bin below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from untaken.episodes.labels import Label
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Floats


def cut(
    values: Iterable[Any], edges: Sequence[float], labels: Sequence[Label] | None = None
) -> np.ndarray:
    """The bin of each value: up to and including the first edge, above it up to and including the
    second, and so on. Bins are 0, 1, 2, ... unless they are given labels; missing values are None.

    >>> import untaken as ut
    >>> ut.cut([3, 4, 5, 27], edges=[4, 9, 14], labels=["none", "mild", "moderate", "high"])
    array(['none', 'none', 'mild', 'high'], dtype=object)
    """
    numbers = _numbers(values)
    steps = _edges(edges)
    names: Sequence[Label] = range(len(steps) + 1) if labels is None else list(labels)
    if len(names) != len(steps) + 1:
        raise InvalidQuestion(
            f"{len(steps)} edges make {len(steps) + 1} bins; {len(names)} labels came"
        )
    place = np.where(np.isnan(numbers), len(names), np.searchsorted(steps, numbers, side="left"))
    words: np.ndarray = np.fromiter([*names, None], dtype=object, count=len(names) + 1)[place]
    return words


def quantiles(values: Iterable[Any], n: int, labels: Sequence[Label] | None = None) -> np.ndarray:
    """Values in `n` bins of about the same number of values each. Equal values share a bin.

    >>> import untaken as ut
    >>> ut.quantiles([10, 20, 30, 40], 2, ["lower", "upper"])
    array(['lower', 'lower', 'upper', 'upper'], dtype=object)
    """
    numbers = _numbers(values)
    present = numbers[~np.isnan(numbers)]
    if not isinstance(n, int | np.integer) or n < 1 or not len(present):
        raise InvalidQuestion(f"{n} bins of {len(present)} values cannot be made")
    edges = np.quantile(present, np.arange(1, n) / n, method="inverted_cdf")
    if (np.diff(edges) <= 0).any() or (n > 1 and edges[-1] >= present.max()):
        raise InvalidQuestion(
            f"too many values are equal for {n} quantiles: the edges would be {edges.tolist()}. "
            "Ask for fewer, or give edges to cut()"
        )
    return cut(numbers, edges.tolist(), labels)


def _edges(edges: Sequence[float]) -> Floats:
    try:
        steps = np.asarray(edges, dtype=np.float64)
    except (TypeError, ValueError):
        steps = np.full(1, np.nan)
    if steps.ndim != 1 or not np.isfinite(steps).all() or (np.diff(steps) <= 0).any():
        raise InvalidQuestion(f"edges must be finite numbers that ascend; {edges!r} came")
    return steps


def _numbers(values: Iterable[Any]) -> Floats:
    try:
        listed = values if hasattr(values, "__array__") else list(values)
        numbers = np.asarray(listed, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidQuestion(f"only numbers can be put into bins: {error}") from None
    if numbers.ndim != 1:
        raise InvalidQuestion(f"one column of numbers is put into bins; {numbers.ndim} came")
    return numbers
