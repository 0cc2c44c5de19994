"""The answer about one episode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from untaken.analysis.courses import Courses, Realizations
from untaken.analysis.notes import notes
from untaken.episodes import Episode
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Floats
from untaken.model import MDP
from untaken.search import Policy, Problem, Solution
from untaken.search.problem import budget


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactual:
    """The best that at most `k` changed actions could have done for one episode.

    One solve serves every budget: `at(c)` is the same answer with fewer changes.
    """

    problem: Problem
    """The question."""
    solution: Solution
    """What the search found, for every budget up to the largest that was asked for."""
    k: int
    """The budget at which this answer looks."""

    @property
    def episode(self) -> Episode:
        """The observed course."""
        return self.problem.episode

    @property
    def mdp(self) -> MDP:
        """The process that produced it."""
        return self.problem.mdp

    @property
    def observed(self) -> float:
        """What the observed course is worth: the model's rewards along it."""
        return float(self.solution.frontier[0])

    @property
    def outcome(self) -> float:
        """The expected outcome of the best policy with at most k changes."""
        return float(self.solution.frontier[self.k])

    @property
    def gain(self) -> float:
        """By how much that is better than what was observed; never negative, also for costs."""
        return self.problem.sign * (self.outcome - self.observed)

    @property
    def relative_gain(self) -> float | None:
        """The gain as a share of the observed outcome, where that is positive."""
        return self.gain / self.observed if self.observed > 0 else None

    @property
    def frontier(self) -> Floats:
        """The best expected outcome for every budget 0..k."""
        return self.solution.frontier[: self.k + 1]

    @cached_property
    def policy(self) -> Policy:
        """The best policy: `policy[t, s, c]` is the code of the action at step t in state s with c
        changes left."""
        return self.solution.policy.at(self.k)

    @cached_property
    def courses(self) -> Courses:
        """Everything that can happen under that policy."""
        return Courses(self.problem, self.policy.actions)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the question, in whole sentences."""
        return notes(self.problem, self.courses)

    def at(self, k: int) -> Counterfactual:
        """The same answer with at most k changes."""
        if budget(k) > self.problem.k:
            raise InvalidQuestion(
                f"this answer holds the budgets 0 to {self.problem.k}; {k} came. "
                "Ask explain() for more changes"
            )
        return replace(self, k=int(k))

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> Realizations:
        """Realizations of the counterfactual by the paper's Algorithm 2."""
        return self.courses.sample(n, seed)

    def __repr__(self) -> str:
        return (
            f"Counterfactual(k={self.k}, observed={self.observed:.6g}, outcome={self.outcome:.6g})"
        )
