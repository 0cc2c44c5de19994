"""What is known about a counterfactual row when the causal model is not: classes of models."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidQuestion, InvalidRow
from untaken.kernels import row_sets
from untaken.kernels.bounds import row_extremes
from untaken.kernels.layout import Floats
from untaken.mechanism.mechanism import checked


@dataclass(frozen=True, eq=False)
class RowBounds:
    """The least and the most that each next state can have, each for itself.

    >>> import untaken as ut
    >>> bounds = ut.CausalClass.NONE.bounds([0.9, 0.1], 0, [0.4, 0.6])
    >>> bounds.lower.round(4), bounds.upper.round(4)
    (array([0.3333, 0.5556]), array([0.4444, 0.6667]))
    """

    lower: Floats
    """The least probability of each next state."""
    upper: Floats
    """The most. Neither end need sum to one: no one model has all of it."""


class CausalClass(Enum):
    """All causal models that agree with the process and obey an assumption, which may be none.

    NONE contains STABLE, which contains STABLE_EVERYWHERE. STABLE also contains STABLE_MONOTONE,
    but Gumbel-max need not obey that: its bounds are no error bar around the Gumbel-max answer.

    >>> import untaken as ut
    >>> p, q = [0.5, 0.02, 0.48], [0.0, 0.5, 0.5]
    >>> ut.CausalClass.STABLE_EVERYWHERE.bounds(p, 0, q).upper.round(3)
    array([0.  , 0.96, 1.  ])
    >>> ut.CausalClass.STABLE_MONOTONE.bounds(p, 0, q).upper.round(3)
    array([0. , 0.5, 0.5])
    """

    NONE = "none"
    """Any causal model whose rows are those of the process."""
    STABLE = "stable"
    """Counterfactual stability: the outcome does not change to one that became relatively less
    probable than it."""
    STABLE_EVERYWHERE = "stable_everywhere"
    """The same demanded of every outcome, also of those that did not happen: tighter."""
    STABLE_MONOTONE = "stable_monotone"
    """Stability, and the observed outcome no less probable than without the observation, other
    possible ones no more: as in the literature."""

    @classmethod
    def of(cls, name: CausalClass | str) -> CausalClass:
        """The class, from itself or from its name."""
        try:
            return cls(name)
        except ValueError:
            known = ", ".join(repr(each.value) for each in cls)
            raise InvalidQuestion(
                f"unknown class of causal models {name!r}; the known ones are {known}"
            ) from None

    @property
    def kind(self) -> int:
        """The class as kernels know it."""
        return {
            CausalClass.NONE: row_sets.NONE,
            CausalClass.STABLE: row_sets.STABLE,
            CausalClass.STABLE_EVERYWHERE: row_sets.EVERYWHERE,
            CausalClass.STABLE_MONOTONE: row_sets.MONOTONE,
        }[self]

    def expectation(
        self, p: ArrayLike, y: int, q: ArrayLike, values: ArrayLike
    ) -> tuple[float, float]:
        """The lowest and the highest counterfactual expectation of values of the next state, given
        that the row p led to y, in a context with row q. Both are attained by some model."""
        p, y, q = checked(p, y, q)
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != q.shape or not np.isfinite(numbers).all():
            raise InvalidRow(
                f"values must hold one finite number for each of {q.size} states; "
                f"shape {numbers.shape} came"
            )
        support = np.flatnonzero(q).astype(np.int32)
        low, high = row_extremes(self.kind, p, y, support, q[support], numbers)
        return float(low), float(high)

    def bounds(self, p: ArrayLike, y: int, q: ArrayLike) -> RowBounds:
        """The least and the most probability of each next state."""
        size = np.size(q)
        extremes = np.array([self.expectation(p, y, q, state) for state in np.eye(size)])
        return RowBounds(extremes[:, 0], extremes[:, 1])
