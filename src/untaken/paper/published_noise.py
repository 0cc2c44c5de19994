"""The causal model as the published figures estimated it: 1,000 draws, the same at every step.

The authors' code starts its generators from the seeds 1 to d anew at every transition, so that the
noise is estimated from the same draws throughout an episode. Theirs is the order of the draws:
the winner's time first, then one number for every other state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from untaken.kernels.layout import Codes, Floats, Worlds
from untaken.kernels.worlds import TABULATED, tally_races
from untaken.mechanism import GumbelMaxSampled
from untaken.model import MDP


@dataclass(frozen=True)
class PublishedNoise(GumbelMaxSampled):
    """Monte Carlo rows from the generators that the published code names.

    >>> PublishedNoise(d=200).d
    200
    """

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The estimates for all contexts, from the same draws at each step."""
        rows, transitions = mdp.transitions, len(states) - 1
        table = np.zeros((transitions, rows.successors.size))
        for t in range(transitions):
            p = rows.row(int(states[t]), int(actions[t]))
            tally_races(mdp.arrays, _arrival_times(p, int(states[t + 1]), self.d), table[t])
        return Worlds(TABULATED, table)


def _arrival_times(p: Floats, y: int, draws: int) -> Floats:
    """Draws of U given that y won the race under p (see `posterior_arrival_times`)."""
    waits = _waits(draws, p.size)
    U = np.empty((draws, p.size))
    U[:, y] = p[y] * waits[:, 0]
    others = np.arange(p.size) != y
    U[:, others] = p[others] * waits[:, :1] + waits[:, 1:]
    return U


@cache
def _waits(draws: int, size: int) -> Floats:
    """Exponential waiting times from Gumbel numbers, a generator for each draw."""
    gumbels = [np.random.default_rng(seed).gumbel(size=size) for seed in range(1, draws + 1)]
    return np.exp(-np.array(gumbels))
