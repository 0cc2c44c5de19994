"""The law of the counterfactual outcome: exact on a lattice, certified brackets off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Floats


class Bracket(NamedTuple):
    """A number known to lie between two; where they are equal, it is known.

    >>> import untaken as ut
    >>> str(ut.Bracket(0.25, 0.25)), str(ut.Bracket(0.25, 0.26)), ut.Bracket(1, 3).middle
    ('0.25', '0.25 to 0.26', 2.0)
    """

    lower: float
    upper: float

    @property
    def middle(self) -> float:
        """Halfway: off by no more than half the width."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> bool:
        """Whether both ends are one, up to rounding."""
        return self.upper - self.lower < 1e-12

    def __str__(self) -> str:
        ends = f"{self.lower:.4g}", f"{self.upper:.4g}"
        return ends[0] if ends[0] == ends[1] else " to ".join(ends)


@dataclass(frozen=True, eq=False)
class OutcomeLaw:
    """How the counterfactual outcome is distributed.

    Where it is not exact, every reward was rounded down to a grid in `outcomes`, and up to it in
    `ceilings`: the truth lies between the two, and so does every probability.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> law = cf.outcomes()
    >>> dict(zip(law.outcomes.tolist(), law.probabilities.round(3).tolist(), strict=True))
    {0.0: 0.198, 1.0: 0.309, 2.0: 0.494}
    >>> round(law.better.middle, 3), law.quantile(0.5).middle, law.exact
    (0.802, 1.0, True)
    """

    outcomes: Floats
    """The outcomes that occur, ascending; at the least, where the law is not exact."""
    probabilities: Floats
    """How probable each of them is."""
    ceilings: Floats
    """The same at the most: equal to `outcomes` where the law is exact."""
    ceiling_probabilities: Floats
    mean: float
    """The expected outcome, exact in either case."""
    observed: float
    """What was observed, for comparison."""
    minimise: bool
    """Whether less is better."""
    tie: float
    """Outcomes closer than this are equal, as they are in the search."""

    @property
    def exact(self) -> bool:
        """Whether the probabilities belong to exactly these outcomes."""
        return self.ceilings is self.outcomes

    @property
    def better(self) -> Bracket:
        """The probability that the outcome beats the observed one."""
        return self.below(self.observed) if self.minimise else self.above(self.observed)

    @property
    def worse(self) -> Bracket:
        """The probability that the outcome falls short of the observed one."""
        return self.above(self.observed) if self.minimise else self.below(self.observed)

    def above(self, outcome: float) -> Bracket:
        """The probability of more than this."""
        least = number(outcome) + self.tie
        return Bracket(
            _total(self.probabilities, self.outcomes > least),
            _total(self.ceiling_probabilities, self.ceilings > least),
        )

    def below(self, outcome: float) -> Bracket:
        """The probability of less than this."""
        most = number(outcome) - self.tie
        return Bracket(
            _total(self.ceiling_probabilities, self.ceilings < most),
            _total(self.probabilities, self.outcomes < most),
        )

    def quantile(self, level: float) -> Bracket:
        """The least outcome that is not exceeded with at least this probability."""
        if not 0 <= level <= 1:
            raise InvalidQuestion(f"a quantile's level is a probability, 0 to 1; {level} came")
        return Bracket(
            _quantile(self.outcomes, self.probabilities, level),
            _quantile(self.ceilings, self.ceiling_probabilities, level),
        )


def number(outcome: Any) -> float:
    """An outcome to compare with, or a complaint."""
    if not isinstance(outcome, (int, float, np.number)) or np.isnan(outcome):
        raise InvalidQuestion(f"an outcome is a number; {outcome!r} came")
    return float(outcome)


def _total(probabilities: Floats, which: np.ndarray) -> float:
    return float(min(probabilities[which].sum(), 1.0))


def _quantile(outcomes: Floats, probabilities: Floats, level: float) -> float:
    position = int(np.searchsorted(np.cumsum(probabilities), level - 1e-12))
    return float(outcomes[min(position, len(outcomes) - 1)])
