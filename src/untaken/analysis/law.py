"""The law of the counterfactual outcome: exact on a lattice, certified brackets off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidQuestion
from untaken.kernels.courses import Graph
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.kernels.sequences import outcome_law

LARGEST_LATTICE = 1 << 16
"""Finer lattices than this many steps from end to end are not followed exactly."""
GRID = 1 << 12
"""The steps into which the range of outcomes is cut where there is no lattice."""
ROUNDING = 1e-9
"""Reward differences are multiples of a lattice step up to this share of it."""


class Bracket(NamedTuple):
    """A number known to lie between two; where they are equal, it is known.

    >>> str(Bracket(0.25, 0.25)), str(Bracket(0.25, 0.26)), Bracket(1, 3).middle
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
    """How the counterfactual outcome is distributed."""

    outcomes: Floats
    """The outcomes that occur, ascending."""
    probabilities: Floats
    """How probable each of them is."""
    spread: float
    """Zero where the law is exact. Else each probability belongs to an outcome somewhere from the
    one listed to the one listed plus this."""
    mean: float
    """The expected outcome, exact in either case."""
    observed: float
    """What was observed, for comparison."""
    minimise: bool
    """Whether less is better."""

    @property
    def exact(self) -> bool:
        """Whether the probabilities belong to exactly these outcomes."""
        return self.spread == 0

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
        least = self.outcomes > outcome + self._tolerance
        most = self.outcomes + self.spread > outcome + self._tolerance
        return self._bracket(least, most)

    def below(self, outcome: float) -> Bracket:
        """The probability of less than this."""
        least = self.outcomes + self.spread < outcome - self._tolerance
        most = self.outcomes < outcome - self._tolerance
        return self._bracket(least, most)

    def quantile(self, level: float) -> Bracket:
        """The least outcome that is not exceeded with at least this probability."""
        if not 0 <= level <= 1:
            raise InvalidQuestion(f"a quantile's level is a probability, 0 to 1; {level} came")
        cumulative = np.cumsum(self.probabilities)
        position = int(np.searchsorted(cumulative, level - 1e-12))
        outcome = float(self.outcomes[min(position, len(self.outcomes) - 1)])
        return Bracket(outcome, outcome + self.spread)

    @property
    def _tolerance(self) -> float:
        return ROUNDING * max(1.0, abs(self.observed), float(np.abs(self.outcomes).max()))

    def _bracket(self, least: np.ndarray, most: np.ndarray) -> Bracket:
        p = self.probabilities
        return Bracket(float(min(p[least].sum(), 1.0)), float(min(p[most].sum(), 1.0)))


@dataclass(frozen=True, eq=False)
class Lattice:
    """Utilities as whole steps above the least of each layer."""

    base: float
    """What every course has in common."""
    step: float
    """The utility of one step."""
    nodes: Ints
    """What each node adds, in steps."""
    edges: Ints
    """What each edge adds, in steps."""
    reach: Ints
    """The most steps that a course can have gathered before each layer, and at the end."""
    spread: float
    """How much rounding down to whole steps may have taken from a course; zero on a lattice."""


def lattice(graph: Graph) -> Lattice:
    """The lattice on which the utilities of a graph lie, or a grid to which they are rounded."""
    if not np.isfinite(graph.utility).all():
        raise InvalidQuestion(
            "a course may be worth minus infinity under these rules, so that the outcome has no "
            "law to speak of; leave Rules(minus_infinity=True) out"
        )
    nodes = _Excess(graph.utility, graph.layers[:-1])
    edges = _Excess(graph.paid, _first_edges(graph))
    width = float(nodes.peaks.sum() + edges.peaks.sum())
    step = common_step(np.concatenate([nodes.excess, edges.excess]))
    exact = step is not None and width <= LARGEST_LATTICE * step
    if step is None or not exact:
        step = width / GRID
    node_steps, edge_steps = nodes.steps(step, exact), edges.steps(step, exact)
    gathered = nodes.tops(node_steps)
    gathered[: edges.starts.size] += edges.tops(edge_steps)
    spread = 0.0 if exact else nodes.lost(node_steps, step) + edges.lost(edge_steps, step)
    return Lattice(
        base=float(nodes.bases.sum() + edges.bases.sum()),
        step=step,
        nodes=node_steps,
        edges=edge_steps,
        reach=np.concatenate([[0], np.cumsum(gathered)]),
        spread=spread,
    )


class _Excess:
    """Utilities above the least of their layer. `starts` says where each layer begins."""

    def __init__(self, utility: Floats, starts: Ints) -> None:
        self.starts = starts
        self.bases = np.minimum.reduceat(utility, starts) if utility.size else np.zeros(0)
        sizes = np.diff(np.append(starts, utility.size))
        self.excess = utility - np.repeat(self.bases, sizes)

    @property
    def peaks(self) -> Floats:
        """The largest excess in each layer."""
        return self.tops(self.excess)

    def steps(self, step: float, exact: bool) -> Ints:
        """The excess in whole steps, rounded down unless it is a whole number of them."""
        steps: Ints = (np.rint if exact else np.floor)(self.excess / step).astype(np.int64)
        return steps

    def lost(self, steps: Ints, step: float) -> float:
        """The most that rounding down has taken from one course."""
        return float(self.tops(self.excess - steps * step).sum())

    def tops(self, values: np.ndarray) -> np.ndarray:
        """The largest value in each layer."""
        return np.maximum.reduceat(values, self.starts) if values.size else values


def _first_edges(graph: Graph) -> Ints:
    """Where the edges of each layer start; the last layer has none."""
    return graph.edges[graph.layers[:-2]]


def common_step(differences: ArrayLike) -> float | None:
    """The largest number of which all differences are whole multiples, if there is a plain one.

    >>> common_step([3.0, 1.5, 0.0]), common_step([0.3, 0.1]), common_step([1.0, 2**0.5])
    (1.5, 0.1, None)
    """
    distinct = np.unique(np.asarray(differences, dtype=np.float64))
    largest = float(distinct[-1]) if distinct.size else 0.0
    if largest <= 0:
        return 1.0
    tolerance = ROUNDING * largest
    step = largest
    for difference in distinct[distinct > tolerance]:
        step = _common(float(difference), step, tolerance)
        if step * LARGEST_LATTICE < largest:
            return None
    multiples = distinct / step
    fits = np.abs(multiples - np.rint(multiples)) < ROUNDING * np.maximum(1.0, multiples)
    return step if fits.all() else None


def _common(a: float, b: float, tolerance: float) -> float:
    """Euclid's algorithm on floats: remainders below the tolerance are rounding."""
    while b > tolerance:
        remainder = a % b
        if b - remainder < tolerance:
            remainder = 0.0
        a, b = b, remainder
    return a


def measure(graph: Graph, on: Lattice, sequence: Codes) -> tuple[Floats, Floats]:
    """Utilities that occur, ascending, and their measure; of one action sequence, if not empty."""
    law: Floats = outcome_law(graph, on.nodes, on.edges, on.reach, sequence)
    occurring = np.flatnonzero(law)
    utilities: Floats = on.base + on.step * occurring.astype(np.float64)
    return utilities, law[occurring]
