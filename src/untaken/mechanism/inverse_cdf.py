"""The inverse-CDF mechanism: S' is the first state at which the cumulated row exceeds U.

One uniform number U serves all contexts: who was lucky with one action is as lucky with another.
It fits states that are ordered, from bad to good or from good to bad, and depends on that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from untaken.kernels.couplings import INVERSE_CDF, mass_below
from untaken.kernels.layout import Codes, Floats, Process, Worlds
from untaken.mechanism.mechanism import ClosedForm


@dataclass(frozen=True)
class InverseCDF(ClosedForm):
    """One uniform number for all contexts, read off cumulated rows in the order of `mdp.states`.

    Monotone: if q puts more on the higher states than p did, nothing comes out lower than y. Not
    counterfactually stable. Meaningless where the order of states is arbitrary.

    >>> import untaken as ut
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> ut.InverseCDF().row(p, 0, q).round(4)
    array([0.4, 0.6, 0. ])
    >>> ut.InverseCDF().row(p, 1, q)
    array([0., 0., 1.])
    """

    name: ClassVar[str] = "inverse-CDF"
    form: ClassVar[int] = INVERSE_CDF

    def worlds_in(self, process: Process, states: Codes, actions: Codes) -> Worlds:
        """What each observed row puts on states below its outcome is computed in advance."""
        return Worlds(self.form, mass_below(process, states, actions))

    def _known(self, p: Floats, y: int) -> Floats:
        return np.array([p[:y].sum()])
