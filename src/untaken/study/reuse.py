"""Counterfactual rows kept from episode to episode.

The weights of a step depend on the process and on the observed triple (s, a, s') only, and small
processes see the same triples again and again. They are kept where the process is small; whether
they are does not depend on the cohort, so that an answer never depends on its neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from untaken.kernels.layout import Codes, Floats, Worlds
from untaken.kernels.worlds import TABULATED, step_weights
from untaken.mechanism import Mechanism
from untaken.mechanism.mechanism import ClosedForm
from untaken.model import MDP

LARGEST = 1 << 14
"""Processes with more transitions than this keep nothing."""
MEMORY = 256 << 20
"""How many bytes of weights are kept, at most."""


class Remembered(Mechanism):
    """A mechanism in closed form that keeps the weights of the steps it has seen."""

    def __init__(self, mechanism: ClosedForm, mdp: MDP, memory: int = MEMORY) -> None:
        self.mechanism, self.mdp = mechanism, mdp
        vars(self)["name"] = mechanism.name
        self._room = memory // (8 * mdp.transitions.successors.size)
        self._kept: dict[tuple[int, int], Floats] = {}

    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The counterfactual row w."""
        return self.mechanism.row(p, y, q)

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The weights of all contexts, step by step."""
        if mdp is not self.mdp:
            return self.mechanism.worlds(mdp, states, actions)
        table = np.empty((len(states) - 1, mdp.transitions.successors.size))
        contexts = states[:-1] * len(mdp.actions) + actions[: len(states) - 1]
        for step, seen in enumerate(zip(contexts.tolist(), states[1:].tolist(), strict=True)):
            table[step] = self.weights(*seen)
        return Worlds(TABULATED, table)

    def weights(self, context: int, successor: int) -> Floats:
        """The weights of all entries, given a transition from a context to a successor."""
        kept = self._kept.get((context, successor))
        if kept is None:
            state, action = divmod(context, len(self.mdp.actions))
            course = np.array([state, successor], np.int32), np.array([action], np.int32)
            worlds = self.mechanism.worlds(self.mdp, *course)
            kept = step_weights(self.mdp.arrays, worlds, 0, context, np.int32(successor))
            if len(self._kept) < self._room:
                self._kept[context, successor] = kept
        return kept


def remembered(mechanism: Mechanism, mdp: MDP) -> Mechanism:
    """The mechanism, with a memory where that pays."""
    small = mdp.transitions.successors.size <= LARGEST
    if small and isinstance(mechanism, ClosedForm):
        return Remembered(mechanism, mdp)
    return mechanism
