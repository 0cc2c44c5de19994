"""What a causal model of one transition has to offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidRow
from untaken.kernels.layout import Codes, Floats, Process, Worlds
from untaken.kernels.worlds import TABULATED, closed_form_row, step_weights
from untaken.model import MDP

NO_TABLE = np.empty((0, 0))


class Mechanism(ABC):
    """A structural causal model of transitions: it turns the row p that produced the observed
    outcome y, and the row q of another context, into the row w of what would have come there.

    >>> import untaken as ut
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> for mechanism in (ut.GumbelMax(), ut.InverseCDF(), ut.MaximalCoupling(), ut.Independent()):
    ...     print(mechanism.row(p, 0, q).round(3), mechanism.average(p, q).round(3))
    [0.4   0.138 0.462] [0.2 0.3 0.5]
    [0.4 0.6 0. ] [0.2 0.3 0.5]
    [0.4 0.  0.6] [0.2 0.3 0.5]
    [0.2 0.3 0.5] [0.2 0.3 0.5]
    """

    name: ClassVar[str] = "unnamed"
    """What it is called in tables and sentences."""

    @abstractmethod
    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The counterfactual row w."""

    @abstractmethod
    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The mechanism as kernels take it, for the observed transitions of one course."""

    def average(self, p: ArrayLike, q: ArrayLike) -> Floats:
        """The rows w for each outcome y, averaged with its probability p_y: q again, if this is a
        causal model of both contexts."""
        p, _, q = checked(p, int(np.argmax(p)), q)
        outcomes = [int(y) for y in np.flatnonzero(p)]
        rows = np.array([self.row(p, y, q) for y in outcomes])
        mean: Floats = p[outcomes] @ rows
        return mean

    def transitions(self, mdp: MDP, state: Any, action: Any, successor: Any) -> Floats:
        """The counterfactual `P[s, a, s']` of a whole step, given what was observed in it.

        Dense, for those who want to look; nothing in untaken builds it to find its answers.
        """
        states = mdp.states.codes([state, successor]).astype(np.int32)
        actions = mdp.actions.codes([action]).astype(np.int32)
        worlds = self.worlds(mdp, states, actions)
        observed = int(states[0]) * len(mdp.actions) + int(actions[0])
        if mdp.transitions.find(int(states[0]), int(actions[0]), int(states[1])) is None:
            raise InvalidRow(
                f"the process never leads from state {state!r} under action {action!r} to "
                f"{successor!r}: there is nothing to condition on"
            )
        weights = step_weights(mdp.arrays, worlds, 0, observed, states[1])
        return mdp.transitions.dense(weights)


class ClosedForm(Mechanism):
    """A mechanism whose rows the kernels compute themselves, one at a time, as they need them."""

    form: ClassVar[int] = TABULATED

    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The counterfactual row w, exact."""
        p, y, q = checked(p, y, q)
        support = np.flatnonzero(q).astype(np.int32)
        row: Floats = closed_form_row(self.form, self._known(p, y), p, y, support, q[support])
        return row

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The mechanism as kernels take it, for the observed transitions of one course."""
        return self.worlds_in(mdp.arrays, states, actions)

    def worlds_in(self, process: Process, states: Codes, actions: Codes) -> Worlds:  # noqa: ARG002
        """The same for a process in kernel form. Nothing is computed in advance."""
        return Worlds(self.form, NO_TABLE)

    def _known(self, p: Floats, y: int) -> Floats:  # noqa: ARG002
        """What the form wants to know of an observed transition: a row of its table."""
        return NO_TABLE.ravel()


def checked(p: ArrayLike, y: int, q: ArrayLike) -> tuple[Floats, int, Floats]:
    """An observed row, its outcome and a counterfactual row, or a complaint about them."""
    p, q = distribution(p, "the observed row p"), distribution(q, "the counterfactual row q")
    if p.shape != q.shape:
        raise InvalidRow(f"p and q must be over the same states; {p.size} and {q.size} came")
    if not isinstance(y, (int, np.integer)) or not 0 <= y < p.size:
        raise InvalidRow(f"the observed outcome y must be a state from 0 to {p.size - 1}; {y} came")
    if p[y] == 0:
        raise InvalidRow(f"the observed outcome {y} has probability zero in p: it cannot be")
    return p, int(y), q


def distribution(values: ArrayLike, name: str) -> Floats:
    """One row of probabilities, or a complaint about it."""
    row = np.array(values, dtype=np.float64)
    if row.ndim != 1 or row.size == 0:
        raise InvalidRow(f"{name} must be a vector of probabilities; shape {row.shape} came")
    if not np.all(np.isfinite(row)) or np.any(row < 0):
        where = int(np.argmax(~(row >= 0) | ~np.isfinite(row)))
        raise InvalidRow(f"{name} has {row[where]} at state {where}; expected numbers from 0 to 1")
    if abs(row.sum() - 1) > 1e-6:
        raise InvalidRow(f"{name} sums to {row.sum():.9g}; expected 1")
    row[row < np.finfo(np.float64).tiny] = 0.0
    return row
