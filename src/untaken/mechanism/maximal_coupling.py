"""Maximal coupling: what happened happens again with the highest probability that p and q allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from untaken.kernels.couplings import MAXIMAL_COUPLING
from untaken.mechanism.mechanism import ClosedForm


@dataclass(frozen=True)
class MaximalCoupling(ClosedForm):
    """The outcome stays at y with probability min(1, q_y / p_y); where it leaves y, it goes to
    states that q makes more probable than p did, in proportion to the difference.

    Counterfactually stable, as Gumbel-max is; it clings to what was observed as no other model can.

    >>> import untaken as ut
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> ut.MaximalCoupling().row(p, 0, q)
    array([0.4, 0. , 0.6])
    """

    name: ClassVar[str] = "maximal-coupling"
    form: ClassVar[int] = MAXIMAL_COUPLING
