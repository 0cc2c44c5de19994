"""What the policy does at each step, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.episodes import Label, Labels
from untaken.kernels.layout import Codes, Floats


@dataclass(frozen=True, eq=False)
class Timeline:
    """Probabilities over time; arrays are indexed by step, then by code.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> timeline = cf.timeline()
    >>> timeline.changed.round(3), timeline.replacements(0)
    (array([1., 1., 0.]), [('treat', 1.0)])
    >>> timeline.states.round(3)
    array([[1.   , 0.   ],
           [0.444, 0.556],
           [0.259, 0.741]])
    """

    state_names: Labels
    action_names: Labels
    observed_states: Codes
    """What was observed at each step, and the last state where it was seen."""
    observed_actions: Codes
    """What was done at each step."""
    states: Floats
    """`[t, s]`: how probable each counterfactual state is."""
    actions: Floats
    """`[t, a]`: how probable each counterfactual action is."""

    @property
    def changed(self) -> Floats:
        """How probable it is, at each step, that the action differs from the observed one."""
        steps = np.arange(len(self.observed_actions))
        different = self.actions.copy()
        different[steps, self.observed_actions] = 0.0
        total: Floats = np.minimum(different.sum(axis=1), 1.0)
        return total

    def replacements(self, step: int) -> list[tuple[Label, float]]:
        """The actions taken at a step in place of the observed one, with their probabilities, the
        most probable first."""
        row = self.actions[step].copy()
        row[self.observed_actions[step]] = 0.0
        order = np.argsort(-row, kind="stable")
        return [(self.action_names[code], float(row[code])) for code in order if row[code] > 0]
