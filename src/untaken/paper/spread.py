"""Means of few processes, and how far another draw of as many may lie from them.

Courses of one process are alike, so that the process is the unit: the mean of each counts once.
The published processes share the luck of their courses besides (course number i has the same seed
in each of them), which no mean over processes averages out; `reach` takes account of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean over independent units, with how sure it is."""

    value: float
    deviation: float
    """The standard deviation between units."""
    units: int

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of the mean."""
        return self.one_of(1)

    def one_of(self, many: int) -> float:
        """Half of its interval where all of so many are to hold in 95 of 100 cases (Bonferroni)."""
        level = 1 - (1 - LEVEL) / many
        return student_quantile(self.units - 1, level) * self.deviation / math.sqrt(self.units)

    @property
    def lower(self) -> float:
        """Its lower end."""
        return self.value - self.half_width

    @property
    def upper(self) -> float:
        """Its upper end."""
        return self.value + self.half_width


def mean_of(values: ArrayLike) -> Mean:
    """The mean of units, each of which may hold many courses: one row a unit.

    >>> mean_of([[1.0, 3.0], [3.0, 5.0]]).value
    3.0
    """
    units = np.asarray(values, dtype=np.float64)
    units = units.reshape(len(units), -1).mean(axis=1)
    deviation = float(units.std(ddof=1)) if units.size > 1 else math.nan
    return Mean(float(units.mean()), deviation, units.size)


@dataclass(frozen=True)
class Doubt:
    """The variance of a mean, and the degrees of freedom with which it is known."""

    variance: float
    freedom: float

    def __add__(self, other: Doubt) -> Doubt:
        """Of the difference of two independent means (Welch and Satterthwaite)."""
        variance = self.variance + other.variance
        parts = self.variance**2 / self.freedom + other.variance**2 / other.freedom
        return Doubt(variance, variance**2 / parts if parts else self.freedom + other.freedom)

    @property
    def reach(self) -> float:
        """How far off it may be in 95 of 100 cases."""
        return student_quantile(self.freedom) * math.sqrt(self.variance)


def own_luck(values: ArrayLike) -> Doubt:
    """Of the mean of `[process, course]`, where each process has courses of its own."""
    processes = np.asarray(values, dtype=np.float64).mean(axis=1)
    return Doubt(float(processes.var(ddof=1)) / processes.size, processes.size - 1)


def shared_luck(values: ArrayLike) -> Doubt:
    """Of the mean of `[process, course]`, where a course has the same luck in every process: the
    two mean squares of a layout with two random effects, less what they have in common."""
    table = np.asarray(values, dtype=np.float64)
    rows, columns = table.shape
    by_process, by_course = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    rest = table - by_process - by_course + table.mean()
    squares = np.array(
        [columns * by_process.var(ddof=1), rows * by_course.var(ddof=1),
         (rest**2).sum() / ((rows - 1) * (columns - 1))]
    )  # fmt: skip
    freedoms = np.array([rows - 1, columns - 1, (rows - 1) * (columns - 1)])
    variance = max(squares[0] + squares[1] - squares[2], squares[0])
    parts = float((squares**2 / freedoms).sum())
    freedom = variance**2 / parts if parts else rows - 1
    return Doubt(float(variance) / table.size, max(1.0, float(freedom)))


def student_quantile(freedom: float, level: float = LEVEL) -> float:
    """Student's t that is exceeded, up or down, in 5 of 100 cases, or as few as the level says.

    >>> round(student_quantile(9), 3), round(student_quantile(72), 3)
    (2.262, 1.993)
    """
    if freedom < 1:
        return math.nan
    low, high = 0.0, 13.0
    while _within(high, freedom) < level:
        low, high = high, 2 * high
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return high


def _within(limit: float, freedom: float, pieces: int = 2000) -> float:
    """The probability of Student's t between -limit and limit, by Simpson's rule."""
    t = np.linspace(0.0, limit, 2 * pieces + 1)
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    constant -= math.log(freedom * math.pi) / 2
    density = np.exp(constant - (freedom + 1) / 2 * np.log1p(t * t / freedom))
    inner = 4 * density[1:-1:2].sum() + 2 * density[2:-1:2].sum()
    return float(2 * (density[0] + inner + density[-1]) * limit / (6 * pieces))
