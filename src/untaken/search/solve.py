"""The best policy for every budget at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.errors import InvalidQuestion
from untaken.kernels import search as kernels
from untaken.kernels.influence import solve_influenced
from untaken.kernels.layout import Floats
from untaken.search.influence import InfluenceAtLeast, InfluenceBonus
from untaken.search.policy import Policy
from untaken.search.problem import Problem


@dataclass(frozen=True, eq=False)
class Solution:
    """What the search finds."""

    frontier: Floats
    """The best expected outcome for every budget 0..k, in the user's rewards or costs."""
    policy: Policy
    """The policy that attains it, for every budget."""
    influence: InfluenceAtLeast | InfluenceBonus | None = None
    """What influence was asked of it."""


def solve(problem: Problem, influence: InfluenceAtLeast | InfluenceBonus | None = None) -> Solution:
    """Algorithm 1 of the paper, exact, for all budgets 0..k from one backward pass; or the same
    among policies that stay influenced by what was observed."""
    if influence is not None:
        if not isinstance(influence, (InfluenceAtLeast, InfluenceBonus)):
            raise InvalidQuestion(
                "influence must be InfluenceAtLeast(epsilon) or InfluenceBonus(weight); "
                f"{influence!r} came"
            )
        return _solve_influenced(problem, influence)
    ties = kernels.OBSERVED_FIRST
    if problem.rules.first_action_wins:
        ties = kernels.LOWEST_CODE_FIRST
    utility, actions, fewest = kernels.solve(
        problem.process, problem.course, problem.worlds, problem.k, problem.tie, ties
    )
    # A change that ties with none is not made, so more changes may seem worse by a tie.
    frontier = problem.sign * np.maximum.accumulate(utility)
    frontier.setflags(write=False)
    return Solution(frontier, Policy(actions, fewest))


def _solve_influenced(problem: Problem, influence: InfluenceAtLeast | InfluenceBonus) -> Solution:
    utility, actions, fewest = solve_influenced(
        problem.process,
        problem.course,
        problem.worlds,
        problem.k,
        problem.tie,
        influence.least(problem),
        influence.weight,
    )
    frontier = problem.sign * utility
    frontier.setflags(write=False)
    return Solution(frontier, Policy(actions, fewest), influence)
