"""Courses that a policy can take: the graph of all of them, and samples from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untaken.kernels import courses as kernels
from untaken.kernels.courses import Graph
from untaken.kernels.layout import Codes, Floats
from untaken.search import Problem


@dataclass(frozen=True, eq=False)
class Courses:
    """Everything that can happen under one policy, from one budget of changes."""

    problem: Problem
    policy: Codes
    """Action codes, `[t, s, c]`; `[t, s, 0]` where the policy does not count changes."""
    counting: bool = True
    """Whether changes are counted down on the way."""

    @cached_property
    def graph(self) -> Graph:
        """All of it, unfolded."""
        problem = self.problem
        graph: Graph = kernels.unfold(
            problem.process, problem.course, problem.worlds, self.policy, self.counting
        )
        return graph

    @cached_property
    def mass(self) -> Floats:
        """The probability of coming to each node of the graph."""
        mass: Floats = kernels.occupancy(self.graph)
        return mass

    @cached_property
    def layer(self) -> Codes:
        """The step of each node of the graph."""
        sizes = np.diff(self.graph.layers)
        return np.repeat(np.arange(sizes.size), sizes).astype(np.int32)

    @property
    def outcome(self) -> float:
        """The expected outcome."""
        return float(self.problem.sign * kernels.expected_utility(self.graph)[0])

    @cached_property
    def unavailable(self) -> float:
        """The probability that an action is played in a state where it is not available, on the
        way or more than once. Only kept or forced actions can be."""
        graph, available = self.graph, self.problem.mdp.available
        acting = graph.action >= 0
        offends = acting & ~available[graph.state, np.where(acting, graph.action, 0)]
        if not offends.any():
            return 0.0
        clean = graph._replace(
            weight=np.where(np.repeat(offends, np.diff(graph.edges)), 0.0, graph.weight)
        )
        last = self.layer == graph.layers.size - 2
        return float(1.0 - kernels.occupancy(clean)[last & ~offends].sum())

    def sample(self, draws: int, seed: int | np.random.Generator | None) -> Realizations:
        """Courses drawn by the paper's Algorithm 2."""
        graph = self.graph
        uniforms = np.random.default_rng(seed).random((draws, graph.layers.size - 2))
        nodes, utility = kernels.sample_courses(graph, uniforms)
        actions = graph.action[nodes[:, : self.problem.horizon]]
        return Realizations(
            states=graph.state[nodes],
            actions=actions,
            outcomes=self.problem.sign * utility,
            changes=(actions != self.problem.course.actions).sum(axis=1),
        )


@dataclass(frozen=True, eq=False)
class Realizations:
    """Sampled counterfactual courses, in codes, a row each."""

    states: Codes
    """The states at each step, and the last one where the episode saw it."""
    actions: Codes
    """The actions at each step."""
    outcomes: Floats
    """What each course is worth."""
    changes: np.ndarray
    """How many actions differ from the observed ones."""

    def __len__(self) -> int:
        return len(self.outcomes)
