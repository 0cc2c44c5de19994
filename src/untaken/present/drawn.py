"""What pictures of an answer show, whoever draws them: Matplotlib or a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untaken.analysis.account import Account
from untaken.kernels.layout import Floats

BARS_AT_MOST = 60
STATES_AT_MOST = 25
"""More are not drawn, unless they are observed, best, or at all likely."""
LIKELY = 0.02


@dataclass(frozen=True, eq=False)
class Bars:
    """An outcome law as bars."""

    middles: Floats
    heights: Floats
    """Probabilities."""
    width: float


def bars(outcomes: Sequence[float] | Floats, probabilities: Sequence[float] | Floats) -> Bars:
    """One bar an outcome where they are few and evenly spaced, else a histogram."""
    likely = np.asarray(probabilities)
    visible = likely > likely.max() * 1e-4
    at, chances = np.asarray(outcomes)[visible], likely[visible]
    if len(at) == 1:
        return Bars(at, chances, max(abs(float(at[0])) * 0.02, 0.5))
    step = float(np.diff(at).min())
    span = float(at[-1] - at[0])
    if span / step <= BARS_AT_MOST:
        return Bars(at, chances, step)
    heights, edges = np.histogram(at, BARS_AT_MOST // 2, weights=chances)
    return Bars((edges[:-1] + edges[1:]) / 2, heights, float(edges[1] - edges[0]))


def states_that_occur(account: Account, chances: Floats) -> list[int]:
    """All states where they are few; else those that are observed, best or at all likely."""
    if len(account.state_names) <= STATES_AT_MOST:
        return list(range(len(account.state_names)))
    code = {name: place for place, name in enumerate(account.state_names)}
    drawn = {code[state] for state in (*account.observed.states, *account.best.states)}
    return sorted(drawn | set(np.flatnonzero(chances.max(axis=0) > LIKELY).tolist()))
