"""The paper's baseline policies (its appendix D), to see what optimality is worth.

Each acts in its own way while changes remain, and keeps the observed actions after that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

import numpy as np

from untaken.errors import InvalidQuestion
from untaken.kernels.baselines import evaluate_chances, sample_chances
from untaken.kernels.layout import Floats
from untaken.search.problem import Problem


class Baseline(ABC):
    """A policy that ignores how many changes are left, as long as there are any.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> problem = ut.explain(episode, mdp, k=2).problem
    >>> for baseline in (ut.Random(), ut.Greedy(), ut.NoisyGreedy(nerve=0.5)):
    ...     print(baseline.frontier(problem).round(3))
    [0.    0.633 0.71 ]
    [0.    0.988 1.296]
    [0.    0.633 0.71 ]
    """

    @abstractmethod
    def chances(self, problem: Problem) -> Floats:
        """`[t, s, a]`: with what probability each action is taken while changes remain."""

    def frontier(self, problem: Problem) -> Floats:
        """Its expected outcome for every budget 0..k, exact."""
        utility: Floats = evaluate_chances(
            problem.process, problem.course, problem.worlds, self.chances(problem), problem.k
        )
        return problem.sign * utility

    def sample(
        self, problem: Problem, draws: int, seed: int | np.random.Generator | None = None
    ) -> Floats:
        """Outcomes of courses sampled under it, with k changes."""
        uniforms = np.random.default_rng(seed).random((draws, problem.horizon, 2))
        utility: Floats = sample_chances(
            problem.process,
            problem.course,
            problem.worlds,
            self.chances(problem),
            problem.k,
            uniforms,
        )
        return problem.sign * utility


@dataclass(frozen=True)
class Random(Baseline):
    """Any allowed action, the observed one included, with equal probability.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> problem = ut.explain(episode, mdp, k=2).problem
    >>> ut.Random().frontier(problem).round(3)
    array([0.   , 0.633, 0.71 ])
    >>> ut.Random().sample(problem, draws=5, seed=0)
    array([2., 0., 2., 0., 1.])
    """

    def chances(self, problem: Problem) -> Floats:
        """Uniform over the allowed actions."""
        allowed = np.array([problem.allowed(t) for t in range(problem.horizon)], dtype=np.float64)
        chances: Floats = allowed / allowed.sum(axis=2, keepdims=True)
        return chances


class Lookahead(Enum):
    """How the greedy policy values where an action leads; the paper leaves a' open.

    >>> import untaken as ut
    >>> ut.Greedy().lookahead.name, ut.Greedy(ut.Lookahead.STATE_REWARD).lookahead.name
    ('NEXT_OBSERVED', 'STATE_REWARD')
    """

    NEXT_OBSERVED = "this step's reward, and the next one's under the next observed action"
    """A reward that depends on the action counts as if the next action were kept."""
    STATE_REWARD = "only what the next state pays under the first action, as in the authors' code"
    """What this step itself pays is left out."""


@dataclass(frozen=True)
class Greedy(Baseline):
    """The action that is best one step ahead; ties go to the observed one.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> problem = ut.explain(episode, mdp, k=2).problem
    >>> ut.Greedy().frontier(problem).round(3)
    array([0.   , 0.988, 1.296])
    """

    lookahead: Lookahead = Lookahead.NEXT_OBSERVED

    def chances(self, problem: Problem) -> Floats:
        """All on one action."""
        steps, shape = problem.horizon, problem.mdp.available.shape
        chances = np.zeros((steps, *shape))
        states = np.arange(shape[0])
        for t in range(steps):
            scores = np.where(problem.allowed(t), self._scores(problem, t), -np.inf)
            kept = int(problem.course.actions[t])
            best = np.argmax(scores, axis=1)
            gains = scores[states, best] > scores[:, kept] + problem.tie
            chances[t, states, np.where(gains, best, kept)] = 1.0
        return chances

    def _scores(self, problem: Problem, t: int) -> Floats:
        """`[s, a]`: the worth of acting at step t, one step ahead."""
        process, steps = problem.process, problem.horizon
        here = process.utility
        if self.lookahead is Lookahead.STATE_REWARD:
            here = np.zeros_like(here)
        if t == problem.transitions:
            return here
        ahead = process.final if t + 1 == steps else process.utility[:, self._next(problem, t)]
        weights, worth = problem.weights(t), process.discount * ahead[process.successors]
        if process.arrival.size:
            worth = worth + process.arrival
        entries = np.zeros_like(weights)  # what cannot happen counts nothing, were it infinite
        np.multiply(weights, worth, out=entries, where=weights > 0)
        return here + np.add.reduceat(entries, process.offsets[:-1]).reshape(here.shape)

    def _next(self, problem: Problem, t: int) -> int:
        observed_next = self.lookahead is Lookahead.NEXT_OBSERVED
        return int(problem.course.actions[t + 1]) if observed_next else 0


@dataclass(frozen=True)
class NoisyGreedy(Baseline):
    """The greedy action with probability `nerve`, the observed one otherwise.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> problem = ut.explain(episode, mdp, k=2).problem
    >>> for nerve in (0.0, 0.5, 1.0):
    ...     print(nerve, ut.NoisyGreedy(nerve).frontier(problem).round(3))
    0.0 [0. 0. 0.]
    0.5 [0.    0.633 0.71 ]
    1.0 [0.    0.988 1.296]
    """

    nerve: float = 0.5
    greedy: Greedy = Greedy()

    def __post_init__(self) -> None:
        if not 0 <= self.nerve <= 1:
            raise InvalidQuestion(f"nerve is a probability, from 0 to 1; {self.nerve} came")

    def chances(self, problem: Problem) -> Floats:
        """A mixture of two actions."""
        chances = self.nerve * self.greedy.chances(problem)
        for t in range(problem.horizon):
            chances[t, :, problem.course.actions[t]] += 1 - self.nerve
        return chances
