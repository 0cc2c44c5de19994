"""The synthetic processes: those of the published figures, made again, and fresh ones.

The authors' published code states the seeds of its generators and the order of its draws, so that
their ten processes and all 500 courses can be drawn once more, number for number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from untaken import datasets
from untaken.episodes import Episode, Label
from untaken.kernels.layout import Codes, Floats
from untaken.model import MDP, plan

PROCESSES, COURSES = 10, 50
STATES, ACTIONS, HORIZON = 20, 10, 20
STRAYS = 0.05
ALPHAS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class Process:
    """A process and the courses that were observed in it."""

    mdp: MDP
    courses: tuple[Episode, ...]


def fresh(alpha: float, number: int) -> Process:
    """One of as many processes as one likes."""
    data = datasets.synthetic(alpha, episodes=COURSES, seed=number)
    return Process(data.mdp, tuple(data.episodes))


@cache
def published(alpha: float, number: int) -> Process:
    """One of the ten published processes, counted from 0.

    >>> process = published(0.1, 0)
    >>> len(process.courses), process.courses[0].horizon
    (50, 20)
    """
    mdp = MDP(_rows(alpha, number + 1), np.arange(STATES))
    P, best = mdp.transitions.dense(), plan(mdp, HORIZON).actions
    return Process(mdp, tuple(_course(P, best, course) for course in range(COURSES)))


def _rows(alpha: float, seed: int) -> Floats:
    """`P[s, a, s']`, drawn action by action: twenty weights, then the state that gets weight 1."""
    rng = np.random.default_rng(seed)
    weights = np.empty((STATES, ACTIONS, STATES))
    for a in range(ACTIONS):
        for s in range(STATES):
            weights[s, a] = rng.uniform(0, alpha, STATES)
            weights[s, a, rng.integers(STATES)] = 1.0
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))


def _course(P: Floats, best: Codes, number: int) -> Episode:
    """A course. Its seed is its number in every process: the published courses share their luck."""
    rng = np.random.default_rng(number)
    s = int(rng.integers(STATES))
    states: list[Label] = [s]
    actions: list[Label] = []
    for t in range(HORIZON):
        a = int(best[t, s])
        if rng.binomial(1, STRAYS):
            while a == best[t, s]:
                a = int(rng.integers(ACTIONS))
        actions.append(a)
        if t < HORIZON - 1:
            s = int(rng.choice(STATES, p=P[s, a]))
            states.append(s)
    return Episode(states, actions, id=number)
