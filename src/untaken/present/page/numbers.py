"""How numbers travel to the page.

Probabilities are whole numbers of `UNIT`, other numbers have six digits: a page shows fewer, and
this packs well.
"""

from __future__ import annotations

from collections.abc import Sequence

from untaken.analysis import Bracket

UNIT = 10_000
"""A probability of one."""


def unit(probability: float) -> int:
    """In whole units; what is possible is at least one of them, and what is not certain is never
    all of them.

    >>> unit(0.5), unit(1e-9), unit(1 - 1e-9), unit(0), unit(1 + 1e-15)
    (5000, 1, 9999, 0, 10000)
    """
    if 1e-12 < probability < 1 - 1e-12:
        return min(max(round(probability * UNIT), 1), UNIT - 1)
    return round(probability * UNIT)


def bracket(known: Bracket) -> int | list[int]:
    """A probability, or the two ends between which it lies."""
    low, high = unit(known.lower), unit(known.upper)
    return low if low == high else [low, high]


def short(value: float | None) -> float | None:
    """With six digits.

    >>> short(41.66666666), short(40.0), short(None)
    (41.6667, 40, None)
    """
    if value is None:
        return None
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e6 else rounded


def spread(row: Sequence[float]) -> list[int]:
    """The codes that are at all likely, each with its chance: code, chance, code, chance.

    >>> spread([0.25, 0.0, 0.75])
    [0, 2500, 2, 7500]
    """
    rounded = [round(chance * UNIT) for chance in row]
    return [number for code, chance in enumerate(rounded) if chance for number in (code, chance)]
