"""How much of each answer a study keeps."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from untaken.errors import InvalidQuestion


@dataclass(frozen=True)
class Depth:
    """What a study works out about each episode, for every budget, beyond frontier and gain.

    On noisy processes counting explanations takes hundreds of times longer than the search.

    >>> import untaken as ut
    >>> ut.Depth(explanations=3).limit
    1000
    >>> ut.Depth.FRONTIER.policy
    False
    """

    FRONTIER: ClassVar[Depth]
    """Frontier and gain, nothing else."""

    policy: bool = True
    """What the policy does: changes by step, replacements, P(better), and all that follows."""
    explanations: int = 10
    """How many of the most probable explanations are kept; with none they are not counted."""
    coverage: float = 0.99
    """Explanations are counted until they cover this much, or are as many as `limit`."""
    limit: int = 1000
    """How many explanations are counted at the most."""
    draws: int = 0
    """In how many samples distinct explanations are counted as well, as the paper does it; 0 for
    not at all."""
    robust: bool = False
    """How sure the gain is: other causal models, and bounds over all of them."""
    posterior: int = 0
    """With `robust`: how many draws from the posterior of the process are asked as well, for which
    a fit is needed; 0 for none."""

    def __post_init__(self) -> None:
        if not 0 < self.coverage <= 1:
            raise InvalidQuestion(
                f"coverage is a probability above 0, up to 1; {self.coverage} came"
            )
        object.__setattr__(self, "coverage", float(self.coverage))  # NumPy's have no JSON
        for name, least in (("explanations", 0), ("limit", 1), ("draws", 0), ("posterior", 0)):
            number = whole_number(getattr(self, name), f"{name} is a number", least)
            object.__setattr__(self, name, number)
        if self.posterior and not self.robust:
            raise InvalidQuestion(
                f"posterior={self.posterior} belongs to how sure a gain is; give robust=True too"
            )


def whole_number(given: Any, what: str, least: int) -> int:
    """A whole number from `least`, or a complaint that begins with `what` is expected."""
    if not hasattr(given, "__index__") or isinstance(given, (bool, np.bool_)) or given < least:
        raise InvalidQuestion(f"{what} from {least}; {given!r} came")
    return operator.index(given)


Depth.FRONTIER = Depth(policy=False, explanations=0)
