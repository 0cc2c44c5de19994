"""The answer about one episode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from untaken.analysis import certify
from untaken.analysis.account import Account, account
from untaken.analysis.courses import Courses, Realization, Realizations
from untaken.analysis.credible import Credible, credible
from untaken.analysis.explanations import Explanations, explanations, unique_count
from untaken.analysis.influence import Influence, influence
from untaken.analysis.law import Bracket, OutcomeLaw, number
from untaken.analysis.notes import notes
from untaken.analysis.robustness import Robustness, robustness
from untaken.analysis.timeline import Timeline
from untaken.analysis.what_if import Choice, WhatIf, what_if
from untaken.episodes import Episode
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Codes, Floats
from untaken.mechanism import CausalClass
from untaken.model import MDP, Fit
from untaken.search import Bounds, OptimumBounds, Policy, Problem, Rules, Solution
from untaken.search.problem import budget, whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from untaken.present.words import Words


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactual:
    """The best that at most `k` changed actions could have done for one episode. Made by `explain`.

    One solve serves every budget: `at(c)` is the same answer with fewer changes.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> cf
    Counterfactual(k=2, observed=0, outcome=1.2963)
    >>> cf.frontier.round(3), round(cf.at(1).outcome, 3)
    (array([0.   , 0.988, 1.296]), 0.988)
    >>> print(cf.explanations())
    100.0%  step 0: wait → treat; step 1: wait → treat
    >>> print(cf.outcomes().better, cf.changes_needed(0.9))
    0.8025 1
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
        """By how much that is better than what was observed, also for costs. Never negative, unless
        an `InfluenceBonus` had its price."""
        return self.problem.sign * (self.outcome - self.observed)

    @property
    def relative_gain(self) -> float | None:
        """The gain as a share of the observed outcome, where that is positive."""
        return self.gain / self.observed if self.observed > 0 else None

    @property
    def frontier(self) -> Floats:
        """The best expected outcome for every budget 0..k."""
        return self.solution.frontier[: self.k + 1]

    @property
    def marginal_gains(self) -> Floats:
        """What each further change adds: the first one, the second one, up to the k-th."""
        return self.problem.sign * np.diff(self.frontier)

    def changes_needed(self, outcome: float) -> int | None:
        """The fewest changes whose best policy attains this expected outcome; None where k are
        not enough."""
        attained = self.problem.sign * (self.frontier - number(outcome)) >= -self.problem.tie
        return int(np.argmax(attained)) if attained.any() else None

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
        return notes(self.problem, self.courses, self.solution.influence)

    def at(self, k: int) -> Counterfactual:
        """The same answer with at most k changes."""
        if budget(k) > self.problem.k:
            raise InvalidQuestion(
                f"this answer holds the budgets 0 to {self.problem.k}; {k} came. "
                "Ask explain() for more changes"
            )
        return replace(self, k=int(k))

    def explanations(self, coverage: float = 0.99, limit: int = 1000) -> Explanations:
        """The distinct action sequences that the policy can produce, the most probable first,
        until they cover that much probability or are that many."""
        return explanations(self.courses, coverage, limit)

    def unique_count(self, draws: int = 1000, tolerance: float = 0.01) -> Bracket:
        """How many distinct changed sequences that many samples hold in expectation, as the paper
        counts them, to a relative tolerance."""
        return unique_count(self.courses, draws, tolerance)

    def outcomes(self) -> OutcomeLaw:
        """How the counterfactual outcome is distributed."""
        return self.courses.law

    def timeline(self) -> Timeline:
        """What the policy does at each step, and where it leads."""
        return self.courses.timeline()

    def best(self) -> Realization:
        """The best realization that can occur."""
        return self.courses.extreme(best=True)

    def worst(self) -> Realization:
        """The worst realization that can occur."""
        return self.courses.extreme(best=False)

    def what_if(self, choice: Choice) -> WhatIf:
        """What a choice of the user's would have led to: a sequence of actions, changes by step
        as a dictionary, a function of (step, state), or a policy as an array of codes."""
        return what_if(self.courses, choice, self.outcome)

    def bounds(self, causal_class: CausalClass | str) -> OptimumBounds:
        """Between what the best outcome lies, for every budget, under all causal models of a class
        ("none", "stable", "stable_everywhere" or "stable_monotone"), with the gain that is certain
        and the policy that has it. Influence is not asked for, also where the answer was."""
        return certify.bounds(self.problem, self.k, causal_class)

    def policy_bounds(self, causal_class: CausalClass | str) -> Bounds:
        """The same for the outcome of this answer's policy."""
        return certify.bounds_of(self.courses, causal_class)

    def influence(self) -> Influence:
        """How much each step of this answer still leans on what was observed."""
        return influence(self.courses)

    def credible(
        self,
        fit: Fit,
        draws: int = 200,
        seed: int | np.random.Generator = 0,
        sequences: Codes | None = None,
        limit: int = 20,
    ) -> Credible:
        """This answer under draws of the process from its posterior: what could be attained, what
        this policy yields, and each sequence, the most probable explanations unless others are
        given as rows of action codes."""
        if sequences is None:
            sequences = np.array([each.actions for each in self.explanations(limit=limit)])
        return credible(self.problem, self.policy, fit, sequences, draws, seed)

    def robustness(
        self,
        fit: Fit | None = None,
        limit: int = 10,
        draws: int = 200,
        seed: int | np.random.Generator = 0,
    ) -> Robustness:
        """How sure the gain is: under other causal models, under all of a class, and, where the
        fit is given, over the posterior of the process. One finding for the policy, and one for
        each of the most probable explanations that change something."""
        limit = whole(limit, "limit", "explanations", 0)
        found = np.array([each.actions for each in self.explanations(limit=limit + 1)])
        changed = found[(found != self.problem.course.actions).any(axis=1)][:limit]
        influenced = self.solution.influence is not None
        return robustness(self.courses, self.policy, changed, influenced, fit, draws, seed)

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> Realizations:
        """Realizations of the counterfactual by the paper's Algorithm 2."""
        return self.courses.sample(n, seed)

    def account(
        self, coverage: float = 0.99, limit: int = 50, robustness: Robustness | None = None
    ) -> Account:
        """All there is to tell about this answer, as plain data with labels; JSON out and in.
        What `robustness()` found is told too, where it is given."""
        return account(self, coverage, limit, robustness)

    def _sure_account(self, fit: Fit | None) -> Account:
        """The account that people are shown: with how sure its policy is. The conventions of the
        authors' code have no such answer."""
        ours = self.problem.rules == Rules()
        return self.account(robustness=self.robustness(fit, limit=0) if ours else None)

    def summary(self, words: Words | None = None, fit: Fit | None = None) -> str:
        """An account in plain text, for a reader who knows the patient and not the method. With
        the fit it also says how far the answer depends on the estimate of the process."""
        from untaken.present.text import summary

        return summary(self._sure_account(fit), words)

    def plot(self, words: Words | None = None, fit: Fit | None = None) -> Figure:
        """All figures of this answer on one page; `untaken.plots` has them one by one."""
        from untaken.present.plots import page

        figure: Figure = page(self._sure_account(fit), words)
        return figure

    def to_frame(self, backend: str | None = None, robustness: Robustness | None = None) -> Any:
        """The explanations as a frame of pandas, polars or pyarrow, a row each. What `robustness()`
        found stands beside those that it looked at, where it is given."""
        from untaken.present.frames import explanations_frame

        return explanations_frame(self.account(limit=1000, robustness=robustness), backend)

    def _repr_html_(self) -> str:
        from untaken.present.notebook import to_html

        return to_html(self._sure_account(None))

    def __repr__(self) -> str:
        return (
            f"Counterfactual(k={self.k}, observed={self.observed:.6g}, outcome={self.outcome:.6g})"
        )
