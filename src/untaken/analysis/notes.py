"""What a reader should know about a question before trusting its answer."""

from __future__ import annotations

import warnings

import numpy as np

from untaken.analysis.courses import Courses
from untaken.errors import HorizonWarning
from untaken.search import InfluenceAtLeast, InfluenceBonus, Problem


def notes(
    problem: Problem,
    courses: Courses,
    influence: InfluenceAtLeast | InfluenceBonus | None = None,
) -> tuple[str, ...]:
    """Whole sentences, the most important first."""
    found = [
        open_end(problem),
        None if influence is None else influence.note,
        _unseen_end(problem),
        _other_rewards(problem),
        _unavailable_observed(problem),
        _unavailable_kept(courses),
    ]
    return tuple(note for note in found if note)


def warn(problem: Problem) -> None:
    """Warn where forgetting what happens after T would decide the answer."""
    note = open_end(problem)
    if note:
        warnings.warn(note, HorizonWarning, stacklevel=3)


def open_end(problem: Problem) -> str | None:
    mdp, last = problem.mdp, int(problem.course.states[-1])
    going = ~mdp.absorbing
    if not mdp.absorbing[last] or not going.any() or np.any(mdp.final_reward[going] != 0):
        return None
    return (
        f"The episode ends in the absorbing state {mdp.states[last]!r}, but a counterfactual "
        "course that still runs then is worth nothing more: states that go on have no "
        "final_reward. "
        "Consider mdp.replace(final_reward=untaken.continuation(mdp, policy)); it is paid where "
        "the episode holds the state after its last action."
    )


def _unseen_end(problem: Problem) -> str | None:
    mdp = problem.mdp
    if problem.transitions == problem.horizon:
        return None
    if not mdp.pays_on_arrival and not np.any(mdp.final_reward != 0):
        return None
    return (
        "The state after the last action was not seen: what that last transition pays, and the "
        "final reward, are left out of the observed and of the counterfactual outcome alike."
    )


def _other_rewards(problem: Problem) -> str | None:
    """The log's own rewards are never used, but a reader may know them."""
    logged = problem.episode.rewards
    if logged is None:
        return None
    worth = float(np.dot(logged, problem.mdp.discount ** np.arange(problem.horizon)))
    same = abs(worth - problem.observed) <= 1e-6 * max(1.0, abs(problem.observed))
    if same or np.isnan(worth):
        return None
    return (
        f"The rewards in the log come to {worth:.6g} for this episode. The outcomes here are those "
        f"of the process, in which it is worth {problem.observed:.6g}."
    )


def _unavailable_observed(problem: Problem) -> str | None:
    states, actions = problem.course.states[: problem.horizon], problem.course.actions
    steps = np.flatnonzero(~problem.mdp.available[states, actions])
    if not steps.size:
        return None
    listed = ", ".join(str(step) for step in steps[:5]) + (", ..." if steps.size > 5 else "")
    return (
        f"At {steps.size} of {problem.horizon} steps ({listed}) the observed action counts as not "
        "available in the observed state. It may be kept, but would not be chosen."
    )


def _unavailable_kept(courses: Courses) -> str | None:
    if courses.unavailable < 0.0005:
        return None
    return (
        f"With probability {courses.unavailable:.1%} the policy keeps an observed action in a "
        "counterfactual state where it is not available."
    )
