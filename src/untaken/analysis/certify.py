"""What holds under every causal model of a class."""

from __future__ import annotations

from untaken.analysis.courses import Courses
from untaken.mechanism import CausalClass
from untaken.search import Bounds, OptimumBounds, Problem, bound_optimum, bound_policy


def bounds(problem: Problem, k: int, causal_class: CausalClass | str) -> OptimumBounds:
    """Between what the best outcome with at most k changes lies, for every budget up to k."""
    return bound_optimum(problem, CausalClass.of(causal_class)).at(k)


def bounds_of(courses: Courses, causal_class: CausalClass | str) -> Bounds:
    """Between what the outcome of a policy or a sequence lies."""
    return bound_policy(
        courses.problem, courses.policy, CausalClass.of(causal_class), counting=courses.counting
    )
