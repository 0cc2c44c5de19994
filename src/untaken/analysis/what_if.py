"""What a sequence, or a policy, of the user's choice would have led to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.analysis.certify import bounds_of
from untaken.analysis.change import Change
from untaken.analysis.courses import Courses, Realization, Realizations
from untaken.analysis.law import OutcomeLaw
from untaken.analysis.timeline import Timeline
from untaken.episodes import Label
from untaken.errors import InvalidPolicy
from untaken.kernels.layout import Codes
from untaken.mechanism import CausalClass
from untaken.search import Bounds, Policy, Problem

Choice = Mapping[int, Any] | Sequence[Any] | np.ndarray | Policy | Callable[[int, Label], Any]


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """What the user's own choice would have led to, in the same counterfactual worlds.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> cf.what_if({0: "treat"})
    WhatIf(outcome=0.987654, expected_changes=1)
    >>> cf.what_if(lambda step, state: "treat" if state == "ill" else "wait")
    WhatIf(outcome=1.23457, expected_changes=1.77)
    """

    courses: Courses
    """Everything that can happen under it."""
    changes: tuple[Change, ...]
    """Where a fixed sequence differs from the observed one; empty for a policy."""
    optimum: float
    """What the best policy of the answer attains, for comparison."""

    @property
    def outcome(self) -> float:
        """The expected outcome."""
        return self.courses.outcome

    @property
    def gain(self) -> float:
        """By how much that is better than what was observed."""
        return self.courses.problem.sign * (self.outcome - self.courses.problem.observed)

    @property
    def shortfall(self) -> float:
        """By how much the best policy would have been better still; negative where the user's
        choice changes more than that policy may."""
        return self.courses.problem.sign * (self.optimum - self.outcome)

    @property
    def expected_changes(self) -> float:
        """How many actions differ from the observed ones, on average."""
        return float(self.timeline().changed.sum())

    @property
    def unavailable(self) -> float:
        """The probability that it plays an action where it is not available."""
        return self.courses.unavailable

    def outcomes(self) -> OutcomeLaw:
        """How the outcome is distributed."""
        return self.courses.law

    def timeline(self) -> Timeline:
        """What happens at each step, and how often."""
        return self.courses.timeline()

    def best(self) -> Realization:
        """The best course that can happen."""
        return self.courses.extreme(best=True)

    def worst(self) -> Realization:
        """The worst course that can happen."""
        return self.courses.extreme(best=False)

    def bounds(self, causal_class: CausalClass | str) -> Bounds:
        """Between what its outcome lies under all causal models of a class."""
        return bounds_of(self.courses, causal_class)

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> Realizations:
        """Realizations of it."""
        return self.courses.sample(n, seed)

    def __repr__(self) -> str:
        return f"WhatIf(outcome={self.outcome:.6g}, expected_changes={self.expected_changes:.3g})"


def what_if(courses: Courses, choice: Choice, optimum: float) -> WhatIf:
    """Evaluate a choice in the counterfactual worlds of an answer."""
    problem = courses.problem
    if isinstance(choice, Policy):
        return WhatIf(_from_array(problem, choice.actions), (), optimum)
    if callable(choice):
        return WhatIf(Courses(problem, _tabulated(problem, choice), counting=False), (), optimum)
    if isinstance(choice, np.ndarray) and choice.ndim > 1:
        return WhatIf(_from_array(problem, choice), (), optimum)
    actions = sequence(problem, choice)
    return WhatIf(courses.forced(actions), courses.changes(actions), optimum)


def sequence(problem: Problem, plan: Mapping[int, Any] | Sequence[Any] | np.ndarray) -> Codes:
    """The action codes of a fixed sequence, given whole or as changes by step."""
    names, steps = problem.mdp.actions, problem.horizon
    if isinstance(plan, Mapping):
        actions = problem.course.actions.copy()
        for step, label in plan.items():
            whole = isinstance(step, (int, np.integer)) and not isinstance(step, bool)
            if not whole or not -steps <= step < steps:
                raise InvalidPolicy(
                    f"step {step!r} is not one of the episode's, 0 to {steps - 1} (or -{steps} to "
                    "-1, counted from its end)"
                )
            if step < 0 and step + steps in plan:
                raise InvalidPolicy(f"step {step} is step {step + steps}, which is given as well")
            actions[step] = names.code(label, f"step {step}")
        return actions
    unordered = isinstance(plan, (str, Set)) or not isinstance(plan, Sized)
    if unordered or len(plan) != steps:
        raise InvalidPolicy(
            f"a sequence must name one action for each of the {steps} steps; {plan!r:.60} came. "
            "To change a few of them, give a dictionary of step to action"
        )
    return names.codes(plan, "step").astype(np.int32)


def _tabulated(problem: Problem, act: Callable[[int, Label], Any]) -> Codes:
    """A user's function of (step, state label), asked once for each."""
    mdp = problem.mdp
    table = [
        [
            mdp.actions.code(act(step, state), f"step {step}, state {state!r}")
            for state in mdp.states
        ]
        for step in range(problem.horizon)
    ]
    return np.array(table, dtype=np.int32)[:, :, None]


def _from_array(problem: Problem, plan: np.ndarray) -> Courses:
    """Action codes as `[t, s]`, or as `[t, s, c]` with changes counted down."""
    shape = (problem.horizon, len(problem.mdp.states))
    if plan.shape[:2] != shape or plan.ndim > 3 or not plan.size or plan.dtype.kind not in "iu":
        steps, states = shape
        raise InvalidPolicy(
            f"a policy must hold whole action codes as [t, s] or [t, s, c], of shape ({steps}, "
            f"{states}) or ({steps}, {states}, changes + 1); {plan.dtype} of shape {plan.shape} "
            "came"
        )
    if plan.min() < 0 or plan.max() >= len(problem.mdp.actions):
        raise InvalidPolicy(
            f"action codes run from 0 to {len(problem.mdp.actions) - 1}; "
            f"{plan.min()} to {plan.max()} came"
        )
    codes = np.ascontiguousarray(plan, dtype=np.int32)
    if codes.ndim == 2:
        return Courses(problem, codes[:, :, None], counting=False)
    if (codes[:, :, 0] != problem.course.actions[:, None]).any():
        step, state = np.argwhere(codes[:, :, 0] != problem.course.actions[:, None])[0]
        raise InvalidPolicy(
            f"with no changes left the observed action must be kept; at step {step} in state "
            f"{problem.mdp.states[int(state)]!r} another one stands in policy[t, s, 0]"
        )
    return Courses(problem, codes)
