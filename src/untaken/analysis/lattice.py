"""The lattice on which the worth of courses lies, and what courses there are on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidQuestion
from untaken.kernels.courses import Graph
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.kernels.sequences import outcome_law

ROUNDING = 1e-13
"""Utilities lie on a lattice up to this share of the largest of them: some hundred times what
floats make of it, and little enough that a course of such errors stays below a tie."""
EUCLID = 1e-9
"""Remainders below this share of the largest difference end the search for a step. It must be more
than what that search makes of rounding; what it finds is checked with `ROUNDING`."""
SLACK = 1e-12
"""What lies on the grid, up to this share of its step, stays there."""
LARGEST_LATTICE = 1 << 16
"""Finer lattices than this many steps from end to end are not followed exactly."""
GRID = 1 << 12
"""The steps into which the range of outcomes is cut where there is no lattice."""


class Steps(NamedTuple):
    """Utilities as whole steps above the least of each layer."""

    nodes: Ints
    """What each node adds."""
    edges: Ints
    """What each edge adds."""
    reach: Ints
    """The most that a course can have gathered before each layer, and at the end."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Utilities on a lattice; or on a grid, rounded down and up to it."""

    base: float
    """What every course has in common."""
    step: float
    """The utility of one step."""
    down: Steps
    up: Steps
    """The same as `down` where nothing was rounded."""

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded."""
        return self.up is self.down


def lattice(graph: Graph) -> Lattice:
    """The lattice on which the utilities of a graph lie, or a grid to which they are rounded."""
    if not np.isfinite(graph.utility).all():
        raise InvalidQuestion(
            "a course may be worth minus infinity under these rules, so that the outcome has no "
            "law to speak of; leave Rules(minus_infinity=True) out"
        )
    nodes = _Excess(graph.utility, graph.layers[:-1])
    edges = _Excess(graph.paid, _first_edges(graph))
    width = float(nodes.tops(nodes.excess).sum() + edges.tops(edges.excess).sum())
    scale = max(float(np.abs(each).max(initial=0.0)) for each in (graph.utility, graph.paid))
    step = common_step(np.concatenate([nodes.excess, edges.excess]), scale)
    exact = step is not None and width <= LARGEST_LATTICE * step
    if step is None or not exact:
        step = width / GRID

    def steps(rounding: np.ufunc, slack: float) -> Steps:
        of_nodes, of_edges = (
            rounding(each.excess / step + slack).astype(np.int64) for each in (nodes, edges)
        )
        gathered = nodes.tops(of_nodes)
        gathered[: edges.starts.size] += edges.tops(of_edges)
        return Steps(of_nodes, of_edges, np.concatenate([[0], np.cumsum(gathered)]))

    down = steps(np.rint, 0.0) if exact else steps(np.floor, SLACK)
    return Lattice(
        base=float(nodes.bases.sum() + edges.bases.sum()),
        step=step,
        down=down,
        up=down if exact else steps(np.ceil, -SLACK),
    )


class _Excess:
    """Utilities above the least of their layer. `starts` says where each layer begins."""

    def __init__(self, utility: Floats, starts: Ints) -> None:
        self.starts = starts
        self.bases = np.minimum.reduceat(utility, starts) if utility.size else np.zeros(0)
        sizes = np.diff(np.append(starts, utility.size))
        self.excess = utility - np.repeat(self.bases, sizes)

    def tops(self, values: np.ndarray) -> np.ndarray:
        """The largest value in each layer."""
        return np.maximum.reduceat(values, self.starts) if values.size else values


def _first_edges(graph: Graph) -> Ints:
    """Where the edges of each layer start; the last layer has none."""
    return graph.edges[graph.layers[:-2]]


def common_step(differences: ArrayLike, scale: float | None = None) -> float | None:
    """The largest number of which all differences are whole multiples, if there is a plain one.
    They are as inexact as numbers of that scale, the largest difference unless it is given.

    >>> common_step([3.0, 1.5, 0.0]), round(common_step([0.3, 0.1]), 12), common_step([1, 2**0.5])
    (1.5, 0.1, None)
    >>> common_step([1, 1e-10]), common_step([1, 1e-10], scale=1e6)
    (None, 1.0)
    """
    distinct = np.unique(np.asarray(differences, dtype=np.float64))
    largest = float(distinct[-1]) if distinct.size else 0.0
    rounding = ROUNDING * (largest if scale is None else scale)
    if largest <= rounding:
        return 1.0
    tolerance = EUCLID * largest
    step = largest
    for difference in distinct[distinct > tolerance]:
        step = _common(float(difference), step, tolerance)
        if step * LARGEST_LATTICE < largest:
            return None
    multiples = np.rint(distinct / step)
    step = float(distinct @ multiples / (multiples @ multiples))  # without what Euclid has gathered
    fits = np.abs(distinct - step * multiples) <= rounding
    return step if fits.all() else None


def _common(a: float, b: float, tolerance: float) -> float:
    """Euclid's algorithm on floats: remainders below the tolerance are rounding."""
    while b > tolerance:
        remainder = a % b
        if b - remainder < tolerance:
            remainder = 0.0
        a, b = b, remainder
    return a


def measure(graph: Graph, on: Lattice, steps: Steps, sequence: Codes) -> tuple[Floats, Floats]:
    """Utilities that occur, ascending, and their measure; of one action sequence, if not empty."""
    law: Floats = outcome_law(graph, steps.nodes, steps.edges, steps.reach, sequence)
    occurring = np.flatnonzero(law)
    utilities: Floats = on.base + on.step * occurring.astype(np.float64)
    return utilities, law[occurring]
