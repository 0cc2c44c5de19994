"""Independent noise in each context: the interventional answer, which learns nothing from y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from untaken.kernels.couplings import INDEPENDENT
from untaken.mechanism.mechanism import ClosedForm


@dataclass(frozen=True)
class Independent(ClosedForm):
    """Every context has noise of its own, so in another one the outcome is as open as before.

    In the observed context itself what happened happens again.

    >>> import untaken as ut
    >>> ut.Independent().row([0.5, 0.3, 0.2], 0, [0.2, 0.3, 0.5])
    array([0.2, 0.3, 0.5])
    """

    name: ClassVar[str] = "independent-noise"
    form: ClassVar[int] = INDEPENDENT
