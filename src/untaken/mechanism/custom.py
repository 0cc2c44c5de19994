"""A causal model that a user writes, as a function of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidQuestion, InvalidRow
from untaken.kernels.layout import Codes, Floats, Worlds
from untaken.kernels.worlds import TABULATED
from untaken.mechanism.mechanism import Mechanism, checked
from untaken.model import MDP

ROUNDING = 1e-9
"""How far numbers of a user's row may be off by rounding."""


@dataclass(frozen=True)
class Custom(Mechanism):
    """The mechanism whose counterfactual row is `function(p, y, q)`, on dense rows over all states.

    Its rows must sum to one, hold nothing negative, and nothing where q is zero. The function is
    not asked about the observed context itself: what happened there happens again. Whether it
    averages back to q over the outcomes y, as every causal model does, `average` tells.

    >>> import numpy as np
    >>> import untaken as ut
    >>> optimist = ut.Custom(lambda p, y, q: np.eye(len(q))[np.flatnonzero(q)[-1]])
    >>> optimist.row([0.5, 0.5, 0.0], 0, [0.2, 0.8, 0.0])
    array([0., 1., 0.])
    >>> optimist.average([0.5, 0.5, 0.0], [0.2, 0.8, 0.0])
    array([0., 1., 0.])
    """

    name: ClassVar[str] = "custom"
    function: Callable[[Floats, int, Floats], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidQuestion(
                f"Custom wants a function of (p, y, q) that returns a row; {self.function!r} came"
            )

    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The counterfactual row w, checked."""
        p, y, q = checked(p, y, q)
        return self._row(p, y, q, range(q.size), "")

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The rows of all contexts at all transitions: the function is called for each of them."""
        rows, (n, m) = mdp.transitions, mdp.available.shape
        table = np.zeros((len(states) - 1, rows.successors.size))
        for t in range(len(table)):
            observed, y = (int(states[t]), int(actions[t])), int(states[t + 1])
            p = rows.row(*observed)
            for s, a in np.ndindex(n, m):
                where = f" at step {t}, state {mdp.states[s]!r}, action {mdp.actions[a]!r}"
                w = np.eye(n)[y]
                if (s, a) != observed:
                    w = self._row(p, y, rows.row(s, a), mdp.states, where)
                span = rows.span(s, a)
                table[t, span] = w[rows.successors[span]]
        return Worlds(TABULATED, table)

    def _row(self, p: Floats, y: int, q: Floats, states: Sequence[Any], where: str) -> Floats:
        """What the function says, or a complaint that speaks of these names of states."""
        w = _numbers(self.function(p.copy(), y, q.copy()), where)
        if w.shape != q.shape:
            raise InvalidRow(
                f"the custom row{where} must have one number for each of {q.size} states; "
                f"shape {w.shape} came"
            )
        wrong = ~np.isfinite(w) | (w < -ROUNDING)
        if wrong.any():
            j = int(np.argmax(wrong))
            raise InvalidRow(f"the custom row{where} has {w[j]} for next state {states[j]!r}")
        forbidden = (q == 0) & (w > ROUNDING)
        if forbidden.any():
            j = int(np.argmax(forbidden))
            raise InvalidRow(
                f"the custom row{where} has {w[j]:.6g} for next state {states[j]!r}, which is "
                "impossible in that context: q is zero there, so no causal model can lead to it"
            )
        if abs(w.sum() - 1) > ROUNDING:
            raise InvalidRow(f"the custom row{where} sums to {w.sum():.9g}; expected 1")
        kept = np.where((q > 0) & (w > 0), w, 0.0)
        scaled: Floats = kept / kept.sum()
        return scaled


def _numbers(said: Any, where: str) -> Floats:
    """What a user's function returned, as numbers."""
    try:
        numbers = np.asarray(said)
        if np.issubdtype(numbers.dtype, np.complexfloating):
            raise TypeError("complex numbers")
        return numbers.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidRow(
            f"the custom row{where} must be a vector of probabilities; {said!r} came"
        ) from None
