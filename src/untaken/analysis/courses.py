"""Courses that a policy can take: the graph of all of them, and samples from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untaken.analysis.change import Change
from untaken.analysis.lattice import Lattice, Steps, lattice, measure
from untaken.analysis.law import OutcomeLaw
from untaken.analysis.timeline import Timeline
from untaken.kernels import courses as kernels
from untaken.kernels.courses import Graph
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.kernels.sequences import outcome_law
from untaken.search import Problem
from untaken.search.problem import whole


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

    def forced(self, actions: Codes) -> Courses:
        """What playing one fixed sequence would lead to, whatever happens."""
        states = len(self.problem.mdp.states)
        plan = np.repeat(np.asarray(actions, dtype=np.int32)[:, None, None], states, axis=1)
        return Courses(self.problem, plan, counting=False)

    def changes(self, actions: Codes) -> tuple[Change, ...]:
        """Where a sequence differs from the observed one, in labels."""
        names, observed = self.problem.mdp.actions.names, self.problem.course.actions
        steps = np.flatnonzero(actions != observed)
        codes = zip(steps.tolist(), observed[steps].tolist(), actions[steps].tolist(), strict=True)
        return tuple(Change(step, names[before], names[after]) for step, before, after in codes)

    @cached_property
    def _lattice(self) -> Lattice:
        return lattice(self.graph)

    @cached_property
    def law(self) -> OutcomeLaw:
        """How the outcome is distributed."""
        return self._law(np.empty(0, dtype=np.int32), self.outcome)

    def law_of(self, actions: Codes, mean: float) -> OutcomeLaw:
        """How the outcome is distributed, given that this sequence is played."""
        return self._law(actions, mean)

    def _law(self, sequence: Codes, mean: float) -> OutcomeLaw:
        on, problem = self._lattice, self.problem
        low = self._measured(on.down, sequence)
        high = low if on.exact else self._measured(on.up, sequence)
        if problem.sign < 0:  # rounding a utility down rounds the cost up
            low, high = high, low
        return OutcomeLaw(
            *low,
            *high,
            mean=mean,
            observed=problem.observed,
            minimise=problem.mdp.minimise,
            tie=problem.tie,
        )

    def _measured(self, steps: Steps, sequence: Codes) -> tuple[Floats, Floats]:
        """Outcomes, ascending, and their probabilities."""
        utility, mass = measure(self.graph, self._lattice, steps, sequence)
        mass /= mass.sum()
        if self.problem.sign < 0:
            return -utility[::-1], mass[::-1]
        return utility, mass

    def chance_of(self, actions: Codes) -> float:
        """The probability that exactly this sequence is played."""
        graph = self.graph
        nowhere = np.zeros(graph.layers.size, dtype=np.int64)
        still = np.zeros(graph.target.size, dtype=np.int64)
        return float(outcome_law(graph, np.zeros_like(graph.edges), still, nowhere, actions).sum())

    def timeline(self) -> Timeline:
        """What happens at each step, and how often."""
        graph, mdp, course = self.graph, self.problem.mdp, self.problem.course
        steps = self.problem.horizon
        states = self._spread(graph.state, len(mdp.states), self.mass)
        actions = self._spread(np.maximum(graph.action, 0), len(mdp.actions), self.mass)
        return Timeline(
            state_names=mdp.states,
            action_names=mdp.actions,
            observed_states=course.states,
            observed_actions=course.actions,
            states=states,
            actions=actions[:steps],
        )

    def _spread(self, codes: Codes, kinds: int, mass: Floats) -> Floats:
        """Mass on the nodes of the graph as `[layer, code]`."""
        layers = self.graph.layers.size - 1
        spread = np.bincount(self.layer * kinds + codes, mass, layers * kinds)
        return spread.astype(float, copy=False).reshape(layers, kinds)

    def extreme(self, best: bool) -> Realization:
        """The best or the worst course that can happen; the most probable one among equals."""
        direction = 1.0 if best else -1.0
        return self._along(*kernels.extreme_course(self.graph, direction, self.problem.tie))

    def states_given(self, actions: Codes) -> Floats:
        """How probable each state is at each step, given that exactly this sequence is played."""
        chances = kernels.chances_given(self.graph, actions)
        return self._spread(self.graph.state, len(self.problem.mdp.states), chances)

    def _along(self, path: Ints, utility: float, chance: float) -> Realization:
        """The course through these nodes."""
        graph = self.graph
        actions = graph.action[path[: self.problem.horizon]]
        return Realization(
            states=graph.state[path],
            actions=actions,
            changes=self.changes(actions),
            outcome=float(self.problem.sign * utility),
            probability=float(chance),
        )

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
        graph, draws = self.graph, whole(draws, "n", "realizations", 0)
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
class Realization:
    """One course that can happen, in codes.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> best = cf.best()
    >>> best.outcome, round(best.probability, 3), best.states.tolist(), best.actions.tolist()
    (2.0, 0.494, [0, 1, 1], [1, 1, 0])
    """

    states: Codes
    """The state at each step, and the last one where the episode saw it."""
    actions: Codes
    """The action at each step."""
    changes: tuple[Change, ...]
    """Where the actions differ from the observed ones."""
    outcome: float
    """What the course is worth."""
    probability: float
    """How probable exactly this course is."""


@dataclass(frozen=True, eq=False)
class Realizations:
    """Sampled counterfactual courses, in codes, a row each.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> drawn = cf.sample(1000, seed=0)
    >>> drawn.actions.shape, round(float(drawn.outcomes.mean()), 1), int(drawn.changes.max())
    ((1000, 3), 1.3, 2)
    """

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
