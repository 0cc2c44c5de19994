"""Random pairs of rows for hypothesis, with an outcome that the first of them allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.worlds import random_rows


class Pair(NamedTuple):
    """An observed row, what came of it, and the row of another context."""

    p: np.ndarray
    y: int
    q: np.ndarray


@st.composite
def pairs(draw: st.DrawFn, states: int = 7) -> Pair:
    """Rows with zeros and ties; sometimes of disjoint supports, sometimes equal."""
    n = draw(st.integers(1, states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p, q = random_rows(rng, 2, n, plain=draw(st.booleans()))
    apart = draw(st.integers(0, 9)) == 0 and n > 1
    if apart:
        cut = int(rng.integers(1, n))
        p[cut:], q[:cut] = 0.0, 0.0
        p[0] += p.sum() == 0
        q[-1] += q.sum() == 0
        p, q = p / p.sum(), q / q.sum()
    return Pair(p, int(rng.choice(np.flatnonzero(p))), q)


def decades(rng: np.random.Generator, states: int, span: float = 14.0) -> np.ndarray:
    """A row whose entries spread evenly over so many powers of ten."""
    weights = 10.0 ** -rng.uniform(0, span, states)
    row: np.ndarray = weights / weights.sum()
    return row
