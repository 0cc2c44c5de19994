"""The search over all causal models of a class at once: what is certain whichever is true."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from untaken.kernels import bounds as kernels
from untaken.kernels.layout import Codes, Floats
from untaken.mechanism import CausalClass, Independent
from untaken.search.policy import Policy
from untaken.search.problem import Problem

DENSE = 8
"""Rows that reach one state in so many, or more, are all poured in one order of the states."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Bounds:
    """What an outcome can be under the causal models of a class, for every budget 0..k.

    Under each of them the outcome lies between the two. They may be wider than need be: the
    extremes are reached by an adversary, or an ally, who may pick another model in each branch.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> cf.policy_bounds("none")
    Bounds('none', k=2, lower=1.2963, upper=1.55556)
    >>> cf.policy_bounds("none").certified.round(3)
    array([0.   , 0.988, 1.296])
    """

    causal_class: CausalClass
    """The causal models that are considered."""
    pessimistic: Floats
    """The outcome under the least favourable model, in the user's rewards or costs."""
    optimistic: Floats
    """The outcome under the most favourable model."""
    observed: float
    """What the observed course is worth, whatever the model."""
    sign: float
    """1 for rewards; -1 for costs, of which less is better."""

    @property
    def lower(self) -> Floats:
        """The smaller number of each interval."""
        return np.minimum(self.pessimistic, self.optimistic)

    @property
    def upper(self) -> Floats:
        """The larger number of each interval."""
        return np.maximum(self.pessimistic, self.optimistic)

    @property
    def certified(self) -> Floats:
        """The gain over the observed outcome whichever model of the class is true; negative where
        some model makes it a loss."""
        return self.sign * (self.pessimistic - self.observed)

    def __str__(self) -> str:
        lines = [
            f"class: {self.causal_class.value}",
            "budget      lower      upper  certified gain",
        ]
        rows = zip(self.lower, self.upper, self.certified, strict=True)
        lines += [f"{c:6d}  {a:9.4g}  {b:9.4g}  {g:14.4g}" for c, (a, b, g) in enumerate(rows)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.causal_class.value!r}, k={len(self.lower) - 1}, "
            f"lower={self.lower[-1]:.6g}, upper={self.upper[-1]:.6g})"
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OptimumBounds(Bounds):
    """Bounds on the best outcome that at most so many changes could have had. Their `certified`
    gain is never negative: to change nothing is certain to give what was observed.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> print(cf.bounds("none"))
    class: none
    budget      lower      upper  certified gain
         0          0          0               0
         1     0.9877      1.259          0.9877
         2      1.296      1.556           1.296
    """

    policy: Policy
    """The policy that gains what is certified, at least, under every model of the class."""

    def at(self, k: int) -> Self:
        """The same for the budgets 0..k."""
        return replace(
            self,
            pessimistic=self.pessimistic[: k + 1],
            optimistic=self.optimistic[: k + 1],
            policy=self.policy.at(k),
        )


def bound_optimum(problem: Problem, causal_class: CausalClass) -> OptimumBounds:
    """Between what the optimum lies, for all budgets 0..k; worked out once for a problem."""
    found = problem.bounds_found
    if causal_class not in found:
        found[causal_class] = _bound_optimum(problem, causal_class)
    return found[causal_class]


def _bound_optimum(problem: Problem, causal_class: CausalClass) -> OptimumBounds:
    """The same, from one backward pass."""
    # All that is possible under some model is possible with independent noise.
    widest = Independent().worlds(problem.mdp, problem.course.states, problem.course.actions)
    low, high, actions, fewest = kernels.solve_bounds(
        problem.process,
        problem.course,
        widest,
        problem.k,
        problem.tie,
        causal_class.kind,
        _dense(problem),
    )
    pessimistic, optimistic = (problem.sign * np.maximum.accumulate(u) for u in (low, high))
    for shared in (pessimistic, optimistic, actions, fewest):
        shared.setflags(write=False)
    return OptimumBounds(
        causal_class=causal_class,
        pessimistic=pessimistic,
        optimistic=optimistic,
        observed=float(pessimistic[0]),
        sign=problem.sign,
        policy=Policy(actions, fewest),
    )


def bound_policy(
    problem: Problem, policy: Codes, causal_class: CausalClass, *, counting: bool = True
) -> Bounds:
    """Between what the outcome of a policy `[t, s, c]` lies, for each budget to start with; or of
    one that does not count changes, as `[t, s, 0]`."""
    low, high = kernels.policy_bounds(
        problem.process,
        problem.course,
        np.ascontiguousarray(policy),
        counting,
        causal_class.kind,
        _dense(problem),
    )
    return Bounds(
        causal_class=causal_class,
        pessimistic=problem.sign * low,
        optimistic=problem.sign * high,
        observed=problem.observed,
        sign=problem.sign,
    )


def _dense(problem: Problem) -> bool:
    process = problem.process
    contexts, states = process.offsets.size - 1, process.final.size
    return process.arrival.size == 0 and process.successors.size * DENSE >= contexts * states
