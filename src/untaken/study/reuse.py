"""Counterfactual rows kept from episode to episode.

The weights of a step depend on the process and on the observed triple (s, a, s') only, and small
processes see the same triples again and again. They are kept where the process is small; whether
they are does not depend on the cohort, so that an answer never depends on its neighbours.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import ArrayLike

from untaken.kernels.frontiers import weights_of_steps
from untaken.kernels.layout import Codes, Floats, Ints, Worlds
from untaken.kernels.worlds import TABULATED
from untaken.mechanism import Mechanism
from untaken.mechanism.mechanism import ClosedForm
from untaken.model import MDP

MEMORY = 256 << 20
"""How many bytes of weights are kept, at most."""
LARGEST = isqrt(MEMORY // 8)
"""Processes with more transitions than this keep nothing. Up to here every triple has room; beyond,
looking for those that had room takes longer than running the races again."""


class Remembered(Mechanism):
    """A mechanism in closed form that keeps the weights of the steps it has seen."""

    def __init__(self, mechanism: ClosedForm, mdp: MDP, memory: int = MEMORY) -> None:
        self.mechanism, self.mdp = mechanism, mdp
        vars(self)["name"] = mechanism.name
        self._wants_to_know = type(mechanism).worlds_in is not ClosedForm.worlds_in
        self._room = memory // (8 * mdp.transitions.successors.size)
        self._kept: dict[tuple[int, int], Floats] = {}

    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The counterfactual row w."""
        return self.mechanism.row(p, y, q)

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The weights of all contexts, step by step."""
        if mdp is not self.mdp:
            return self.mechanism.worlds(mdp, states, actions)
        contexts = states[:-1].astype(np.int64) * len(mdp.actions) + actions[: len(states) - 1]
        return Worlds(TABULATED, self.weights(contexts, states[1:]))

    def weights(self, contexts: Ints, successors: Codes) -> Floats:
        """The weights of all entries, a row for each transition from a context to a successor."""
        seen = list(zip(contexts.tolist(), successors.tolist(), strict=True))
        missing = {triple: place for place, triple in enumerate(seen) if triple not in self._kept}
        places = np.array(list(missing.values()), dtype=np.int64)
        new = self._worked_out(contexts[places], successors[places])
        found = dict(zip(missing, new, strict=True))
        fits = len(self._kept) + len(found) <= self._room
        for triple, weights in found.items():
            if len(self._kept) < self._room:  # a view would hold the whole block, kept or not
                self._kept[triple] = weights if fits else weights.copy()
        if len(missing) == len(seen):
            return new
        table = np.empty((len(seen), self.mdp.transitions.successors.size))
        for place, triple in enumerate(seen):
            table[place] = found[triple] if triple in found else self._kept[triple]
        return table

    def _worked_out(self, contexts: Ints, successors: Codes) -> Floats:
        states, actions = np.divmod(contexts, len(self.mdp.actions))
        courses = zip(states, actions, successors, strict=True)
        known = [
            self.mechanism.worlds(
                self.mdp, np.array([state, successor], np.int32), np.array([action], np.int32)
            ).table
            for state, action, successor in (courses if self._wants_to_know else ())
        ]
        weights: Floats = weights_of_steps(
            self.mdp.arrays,
            self.mechanism.form,
            np.concatenate(known) if known else np.empty((0, 0)),
            contexts,
            successors.astype(np.int32),
        )
        return weights


def remembered(mechanism: Mechanism, mdp: MDP) -> Mechanism:
    """The mechanism, with a memory where that pays."""
    small = mdp.transitions.successors.size <= LARGEST
    if small and isinstance(mechanism, ClosedForm):
        return Remembered(mechanism, mdp)
    return mechanism
