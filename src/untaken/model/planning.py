"""The best that could be done in a process from the start: backward induction over a finite
horizon, before anything is observed.

    v[T, s] = final_reward[s]
    v[t, s] = max over available a of  R[s, a] + sum_j P[s, a, j] (R[s, a, j] + discount v[t+1, j])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.errors import InvalidProcess, InvalidQuestion
from untaken.kernels.layout import Codes, Floats
from untaken.model.mdp import MDP


@dataclass(frozen=True, eq=False)
class Plan:
    """What to do at each step in each state, and what is to be expected from it.

    >>> import untaken as ut
    >>> mdp = ut.MDP([[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]], [0, 1])
    >>> best = ut.plan(mdp, horizon=2)
    >>> best.actions.tolist(), best.value[0].round(3).tolist()
    ([[1, 1], [0, 0]], [0.6, 1.9])
    """

    actions: Codes
    """Action codes, `[t, s]`; of equally good ones the lowest."""
    value: Floats
    """`[t, s]`: the expected reward, or cost, from step t on; one row more than there are steps,
    for the final reward."""


def plan(mdp: MDP, horizon: int) -> Plan:
    """The policy with the best expected outcome over `horizon` decisions.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.6, 0.4]]]
    >>> mdp = ut.MDP(P, [0, 1], actions=["wait", "treat"])
    >>> best = ut.plan(mdp, horizon=3)
    >>> best.actions
    array([[1, 0],
           [1, 0],
           [0, 0]], dtype=int32)
    >>> best.value[0]
    array([1.15, 2.54])
    """
    if not isinstance(horizon, (int, np.integer)) or horizon < 1:
        raise InvalidQuestion(f"the horizon must be a whole number above 0; {horizon!r} came")
    stuck = ~mdp.available.any(axis=1)
    if stuck.any():
        state = mdp.states[int(np.argmax(stuck))]
        raise InvalidProcess(f"no action is available in state {state!r}; a plan needs one in each")
    process, shape = mdp.arrays, mdp.available.shape
    value = np.empty((horizon + 1, shape[0]))
    value[horizon] = process.final
    actions = np.empty((horizon, shape[0]), dtype=np.int32)
    for t in range(horizon - 1, -1, -1):
        ahead = process.discount * value[t + 1, process.successors]
        if process.arrival.size:
            ahead = ahead + process.arrival
        expected = np.add.reduceat(process.probabilities * ahead, process.offsets[:-1])
        worth = np.where(mdp.available, process.utility + expected.reshape(shape), -np.inf)
        actions[t] = worth.argmax(axis=1)
        value[t] = worth.max(axis=1)
    return Plan(actions, -value if mdp.minimise else value)
