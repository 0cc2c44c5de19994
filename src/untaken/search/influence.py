"""Searches that stay close to what was observed, where the counterfactual is about this episode
and not about episodes in general."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Floats
from untaken.search.problem import Problem


@dataclass(frozen=True)
class InfluenceAtLeast:
    """Every counterfactual step, kept actions included, must lean on the observation by at least
    `epsilon`, the total variation between the rows with and without it. What was observed itself is
    always allowed, and so is a last step whose outcome was not seen.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> for epsilon in (0.0, 0.02, 0.05):
    ...     near = ut.explain(episode, mdp, k=2, influence=ut.InfluenceAtLeast(epsilon))
    ...     print(epsilon, near.frontier.round(3))
    0.0 [0.    0.988 1.296]
    0.02 [0.    0.988 1.235]
    0.05 [0. 0. 0.]
    """

    epsilon: float
    relative: bool = False
    """Whether `epsilon` is a share of the most there is at a step: 1 - p_y."""

    def __post_init__(self) -> None:
        if not is_number(self.epsilon) or not 0 <= self.epsilon <= 1:
            raise InvalidQuestion(f"epsilon must be a number from 0 to 1; {self.epsilon!r} came")

    def least(self, problem: Problem) -> Floats:
        """What each observed transition demands."""
        most = surprise(problem) if self.relative else np.ones(problem.transitions)
        demanded: Floats = self.epsilon * most
        if self.relative:  # where nothing could be learnt nothing leans on it
            demanded[most == 0] = np.inf if self.epsilon > 0 else 0.0
        return demanded

    @property
    def weight(self) -> float:
        """What influence is paid."""
        return 0.0

    @property
    def note(self) -> str:
        """What it means for an answer, as a sentence."""
        least = f"{self.epsilon:.0%} of the most there is" if self.relative else f"{self.epsilon:g}"
        return (
            "The search kept to courses whose every step leans on what was observed, by a total "
            f"variation of at least {least}. Bounds on the best outcome do not ask for that."
        )


@dataclass(frozen=True)
class InfluenceBonus:
    """Each step is paid `weight` times its influence in the search, and in the search only: the
    outcomes that are reported are plain.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> for weight in (0.0, 20.0):
    ...     near = ut.explain(episode, mdp, k=2, influence=ut.InfluenceBonus(weight))
    ...     print(weight, near.frontier.round(3), round(near.influence().overall, 2))
    0.0 [0.    0.988 1.296] 0.35
    20.0 [0. 0. 0.] 1.0
    """

    weight: float

    def __post_init__(self) -> None:
        if not is_number(self.weight) or not 0 <= self.weight < np.inf:
            raise InvalidQuestion(
                f"weight must be a finite number, 0 or more; {self.weight!r} came"
            )

    def least(self, problem: Problem) -> Floats:
        """Nothing is demanded."""
        return np.zeros(problem.transitions)

    @property
    def note(self) -> str:
        """What it means for an answer, as a sentence."""
        return (
            f"The search was paid {self.weight:g} times the influence of each step on top. The "
            "outcomes are plain, and bounds on the best outcome do not ask for influence."
        )


def is_number(value: object) -> bool:
    """Whether a demand can be compared with numbers. True and False are answers, not numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def surprise(problem: Problem) -> Floats:
    """1 - p_y for each observed transition: the influence of what was observed on itself, and the
    most that it can have anywhere."""
    rows, course = problem.mdp.transitions, problem.course
    steps = zip(
        course.states, course.actions[: problem.transitions], course.states[1:], strict=False
    )
    entries = np.array([rows.find(*(int(code) for code in step)) for step in steps], dtype=np.int64)
    missing: Floats = np.maximum(1.0 - rows.probabilities[entries], 0.0)
    return missing
