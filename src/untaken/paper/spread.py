"""Means of few processes, and how far another draw of as many may lie from them.

Courses of one process are alike, so that the process is the unit: the mean of each counts once.
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
        return self._quantile * self.deviation / math.sqrt(self.units)

    @property
    def lower(self) -> float:
        """Its lower end."""
        return self.value - self.half_width

    @property
    def upper(self) -> float:
        """Its upper end."""
        return self.value + self.half_width

    def another(self, units: int) -> float:
        """How far the mean of that many other units may lie from this one, in 95 of 100 cases."""
        return self._quantile * self.deviation * math.sqrt(1 / self.units + 1 / units)

    @property
    def _quantile(self) -> float:
        return student_quantile(self.units - 1)


def mean_of(values: ArrayLike) -> Mean:
    """The mean of units, each of which may hold many courses: one row a unit.

    >>> mean_of([[1.0, 3.0], [3.0, 5.0]]).value
    3.0
    """
    units = np.asarray(values, dtype=np.float64)
    units = units.reshape(len(units), -1).mean(axis=1)
    deviation = float(units.std(ddof=1)) if units.size > 1 else math.nan
    return Mean(float(units.mean()), deviation, units.size)


def student_quantile(freedom: int) -> float:
    """Student's t that is exceeded, up or down, in 5 of 100 cases.

    >>> round(student_quantile(9), 3), round(student_quantile(72), 3)
    (2.262, 1.993)
    """
    if freedom < 1:
        return math.nan
    low, high = 0.0, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < LEVEL else (low, middle)
    return high


def _within(limit: float, freedom: int, pieces: int = 2000) -> float:
    """The probability of Student's t between -limit and limit, by Simpson's rule."""
    t = np.linspace(0.0, limit, 2 * pieces + 1)
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    constant -= math.log(freedom * math.pi) / 2
    density = np.exp(constant - (freedom + 1) / 2 * np.log1p(t * t / freedom))
    inner = 4 * density[1:-1:2].sum() + 2 * density[2:-1:2].sum()
    return float(2 * (density[0] + inner + density[-1]) * limit / (6 * pieces))
