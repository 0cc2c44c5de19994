"""A counterfactual policy: what to do at each step, in each state, with so many changes left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from untaken.kernels.layout import Codes, Flags


@dataclass(frozen=True, eq=False)
class Policy:
    """`policy[t, s, c]` is the code of the action at step t in state s with c changes left.

    Cells that no course within the budget can reach hold the observed action.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> ill, well = mdp.states.codes(["ill", "well"])
    >>> mdp.actions[int(cf.policy[0, ill, 2])], mdp.actions[int(cf.policy[1, well, 0])]
    ('treat', 'wait')
    >>> cf.policy.reachable[0]
    array([[ True,  True,  True],
           [False, False, False]])
    """

    actions: Codes
    """Action codes, `[t, s, c]`."""
    fewest_changes: Codes
    """`[t, s]`: how many changes it takes at least to be there; above the budget, never."""

    def __getitem__(self, index: Any) -> Any:
        return self.actions[index]

    @property
    def budget(self) -> int:
        """The number of changes to start with."""
        return int(self.actions.shape[2]) - 1

    @cached_property
    def reachable(self) -> Flags:
        """`[t, s, c]`: whether some course of allowed actions, started with at most this budget,
        can come to the cell."""
        left = self.budget - self.fewest_changes[: len(self.actions)]
        return np.arange(self.budget + 1) <= left[:, :, None]

    def at(self, budget: int) -> Policy:
        """The same policy, started with fewer changes."""
        return Policy(self.actions[:, :, : budget + 1], self.fewest_changes)
