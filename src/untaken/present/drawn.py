"""What pictures of an account show, whoever draws them: Matplotlib or a page."""

from __future__ import annotations

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


def bars(account: Account) -> Bars:
    """One bar an outcome where they are few and evenly spaced, else a histogram."""
    outcomes, chances = np.array(account.outcomes), np.array(account.probabilities)
    visible = chances > chances.max() * 1e-4
    outcomes, chances = outcomes[visible], chances[visible]
    if len(outcomes) == 1:
        return Bars(outcomes, chances, max(abs(float(outcomes[0])) * 0.02, 0.5))
    step = float(np.diff(outcomes).min())
    span = float(outcomes[-1] - outcomes[0])
    if span / step <= BARS_AT_MOST:
        return Bars(outcomes, chances, step)
    heights, edges = np.histogram(outcomes, BARS_AT_MOST // 2, weights=chances)
    return Bars((edges[:-1] + edges[1:]) / 2, heights, float(edges[1] - edges[0]))


def states_that_occur(account: Account, chances: Floats) -> list[int]:
    """All states where they are few; else those that are observed, best or at all likely."""
    if len(account.state_names) <= STATES_AT_MOST:
        return list(range(len(account.state_names)))
    code = {name: place for place, name in enumerate(account.state_names)}
    drawn = {code[state] for state in (*account.observed.states, *account.best.states)}
    return sorted(drawn | set(np.flatnonzero(chances.max(axis=0) > LIKELY).tolist()))
