"""How much an answer still leans on what was observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.analysis.courses import Courses
from untaken.kernels.influence import influence_of_nodes
from untaken.kernels.layout import Floats
from untaken.search.influence import surprise


@dataclass(frozen=True, eq=False)
class Influence:
    """The total variation between counterfactual rows and those that would hold without the
    observation, expected along a policy's course: one number for each observed transition.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> influence = cf.influence()
    >>> influence.expected.round(3), influence.most.round(3), round(influence.overall, 2)
    (array([0.044, 0.026]), array([0.1, 0.1]), 0.35)
    """

    expected: Floats
    """From 0, an answer about episodes in general, up to `most`."""
    most: Floats
    """1 - p_y: what the observed step itself has. Little where what happened was to be expected."""

    @property
    def relative(self) -> Floats:
        """The share of the most there is; zero where nothing could be learnt."""
        shares = np.zeros_like(self.expected)
        np.divide(self.expected, self.most, out=shares, where=self.most > 0)
        return shares

    @property
    def overall(self) -> float:
        """The share over the whole course: 1 for what was observed, 0 for an answer that would be
        the same whatever had happened."""
        most = float(self.most.sum())
        return float(self.expected.sum()) / most if most > 0 else 0.0

    def __str__(self) -> str:
        lines = ["step  influence  of at most  share"]
        rows = zip(self.expected, self.most, self.relative, strict=True)
        lines += [f"{t:4d}  {x:9.3f}  {y:10.3f}  {z:5.0%}" for t, (x, y, z) in enumerate(rows)]
        return "\n".join(lines)


def influence(courses: Courses) -> Influence:
    """The influence along the courses of a policy."""
    problem, graph = courses.problem, courses.graph
    of_nodes = influence_of_nodes(problem.process, problem.course, problem.worlds, graph)
    expected: Floats = np.bincount(courses.layer, courses.mass * of_nodes).astype(np.float64)
    return Influence(expected[: problem.transitions], surprise(problem))
