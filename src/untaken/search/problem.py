"""The question: an episode, the process that produced it, and what may be changed."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from untaken.episodes import Episode, Label
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Course, Flags, Floats, Process, Worlds
from untaken.kernels.worlds import TABULATED, step_weights
from untaken.mechanism import CausalClass, GumbelMax, Mechanism
from untaken.model import MDP

if TYPE_CHECKING:
    from untaken.search.bounds import OptimumBounds

TIE = 1e-12
"""Two values are equal when they differ by less than this, times the scale of the rewards, times
the number of steps."""
MOST_CHANGES = 10_000
"""A larger budget is a slip of the pen, whose policy would fill the memory."""


@dataclass(frozen=True)
class Rules:
    """Conventions of the authors' code, for reproduction only. The defaults are untaken's own.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2, rules=ut.Rules(drop_below=1e-3))
    >>> cf.frontier.round(3)
    array([0.   , 0.988, 1.296])
    """

    first_action_wins: bool = False
    """Ties go to the lowest action code, observed or not, instead of to the observed action."""
    minus_infinity: bool = False
    """Being in an unavailable context pays minus infinity, kept actions included, instead of
    unavailable actions not being chosen."""
    drop_below: float = 0.0
    """Counterfactual transitions rarer than this are dropped and their rows rescaled, as d draws
    would miss them."""

    def __post_init__(self) -> None:
        if not 0 <= self.drop_below < 1:
            raise InvalidQuestion(
                f"drop_below is a probability, from 0 to below 1; {self.drop_below} came"
            )


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked question, with all that a search needs in codes."""

    episode: Episode
    mdp: MDP
    k: int
    """The largest number of changed actions."""
    mechanism: Mechanism
    rules: Rules
    pinned: tuple[int, ...]
    """Steps at which the action must stay, counted from 0."""
    excluded: tuple[Label, ...]
    """Actions that may not be chosen in place of another."""
    course: Course

    @property
    def horizon(self) -> int:
        """The number of decisions, T."""
        return int(self.course.actions.size)

    @property
    def transitions(self) -> int:
        """The number of observed transitions: T where the last state was seen, else T - 1."""
        return int(self.course.states.size) - 1

    @property
    def sign(self) -> float:
        """What turns utilities into the user's rewards, or costs."""
        return -1.0 if self.mdp.minimise else 1.0

    @cached_property
    def observed(self) -> float:
        """What the observed course is worth: the model's rewards along it."""
        mdp, (states, actions) = self.mdp, self.course[:2]
        discounts = mdp.discount ** np.arange(self.horizon + 1)
        paid = mdp.rewards.departure[states[: self.horizon], actions] @ discounts[:-1]
        if mdp.pays_on_arrival:
            steps = zip(states[:-1], actions[: self.transitions], states[1:], strict=True)
            entries = np.array([mdp.transitions.find(*step) for step in steps], dtype=np.int64)
            paid += mdp.rewards.arrival[entries] @ discounts[: self.transitions]
        if self.transitions == self.horizon:
            paid += discounts[-1] * mdp.final_reward[states[-1]]
        return float(paid)

    @property
    def tie(self) -> float:
        """Values closer than this are equal."""
        final = np.abs(self.mdp.final_reward).max() if self.transitions == self.horizon else 0.0
        return TIE * float(max(self.mdp.rewards.scale, final)) * self.horizon

    @cached_property
    def process(self) -> Process:
        """The process in kernel form, under the rules."""
        arrays = self.mdp.arrays
        if not self.rules.minus_infinity:
            return arrays
        return arrays._replace(utility=np.where(self.mdp.available, arrays.utility, -np.inf))

    @cached_property
    def worlds(self) -> Worlds:
        """The causal model in kernel form, for the transitions of this course, under the rules."""
        worlds = self.mechanism.worlds(self.mdp, self.course.states, self.course.actions)
        if not self.rules.drop_below:
            return worlds
        table = [self._without_rare(self._weights(worlds, t)) for t in range(self.transitions)]
        entries = self.process.successors.size
        return Worlds(TABULATED, np.array(table).reshape(self.transitions, entries))

    def _without_rare(self, weights: Floats) -> Floats:
        """Counterfactual weights with the rare ones dropped, each row rescaled to one."""
        kept = np.where(weights < self.rules.drop_below, 0.0, weights)
        starts, lengths = self.process.offsets[:-1], np.diff(self.process.offsets)
        sums = np.add.reduceat(kept, starts)
        if not sums.all():
            raise InvalidQuestion(
                f"drop_below={self.rules.drop_below:g} leaves nothing of {int((sums == 0).sum())} "
                f"of {sums.size} counterfactual rows; give a smaller one"
            )
        rescaled: Floats = kept / np.repeat(sums, lengths)
        return rescaled

    @cached_property
    def bounds_found(self) -> dict[CausalClass, OptimumBounds]:
        """What `bound_optimum` has found about this question, for all budgets: the answers at each
        of them share it."""
        return {}

    def weights(self, step: int) -> Floats:
        """The counterfactual weight of every entry of the process at one observed transition."""
        return self._weights(self.worlds, step)

    def _weights(self, worlds: Worlds, step: int) -> Floats:
        states, action = self.course.states, int(self.course.actions[step])
        observed = int(states[step]) * len(self.mdp.actions) + action
        weights: Floats = step_weights(self.process, worlds, step, observed, states[step + 1])
        return weights

    def allowed(self, step: int) -> Flags:
        """`[s, a]`: which actions may be taken at a step, the observed one always."""
        allowed = self.course.alternatives & (not self.course.pinned[step])
        allowed[:, self.course.actions[step]] = True
        return allowed


def pose(
    episode: Episode,
    mdp: MDP,
    k: int,
    *,
    mechanism: Mechanism | None = None,
    pinned: Iterable[int] = (),
    excluded: Iterable[Any] = (),
    rules: Rules | None = None,
) -> Problem:
    """Check a question, once."""
    rules = rules or Rules()
    must_be(episode, Episode, "the episode", "an Episode(states, actions)")
    must_be(mdp, MDP, "the process", "an MDP (that of a fit is fit.mdp)")
    must_be(rules, Rules, "rules", "Rules(...)")
    states, actions = mdp.codes(episode)
    k = budget(k)
    steps = _steps(pinned, episode.horizon)
    excluded = listed(excluded, "excluded")
    held = np.zeros(episode.horizon, dtype=np.bool_)
    held[list(steps)] = True
    alternatives = mdp.available
    if rules.minus_infinity:
        alternatives = np.ones_like(alternatives)
    if excluded:
        alternatives = alternatives.copy()
        alternatives[:, mdp.actions.codes(excluded, "excluded, position")] = False
    return Problem(
        episode=episode,
        mdp=mdp,
        k=k,
        mechanism=_model(mechanism),
        rules=rules,
        pinned=steps,
        excluded=excluded,
        course=Course(states, actions, held, alternatives),
    )


def _model(mechanism: Any) -> Mechanism:
    """A causal model, or a complaint."""
    if mechanism is None:
        return GumbelMax()
    if isinstance(mechanism, Mechanism):
        return mechanism
    advice = "give an object such as GumbelMax(), InverseCDF() or Custom(function)"
    if isinstance(mechanism, type) and issubclass(mechanism, Mechanism):
        advice = f"write {mechanism.__name__}()"
    elif callable(mechanism):
        advice = "a function of (p, y, q) is wrapped as Custom(function)"
    raise InvalidQuestion(f"mechanism must be a causal model; {_told(mechanism)} came; {advice}")


def budget(k: Any) -> int:
    """A number of changes, or a complaint."""
    changes = whole(k, "k", "changes", 0)
    if changes > MOST_CHANGES:
        raise InvalidQuestion(
            f"k must be at most {MOST_CHANGES:,}; {k} came. A change more than there are steps "
            "remains idle"
        )
    return changes


def whole(value: Any, name: str, things: str, least: int) -> int:
    """A number of things, or a complaint."""
    number = _index(value)
    if number is None or number < least:
        raise InvalidQuestion(
            f"{name} must be a whole number of {things}, {least} or more; {value!r} came"
        )
    return number


def _index(value: Any) -> int | None:
    """A whole number as such. True is none: a mask is no list of steps."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _steps(pinned: Iterable[int], horizon: int) -> tuple[int, ...]:
    steps = []
    for step in listed(pinned, "pinned"):
        position = _index(step)
        if position is None:
            raise InvalidQuestion(f"pinned steps are whole numbers; {step!r} came")
        if not -horizon <= position < horizon:
            raise InvalidQuestion(
                f"pinned step {step} is outside the episode, which has the steps 0 to "
                f"{horizon - 1} (or -{horizon} to -1, counted from its end)"
            )
        steps.append(position % horizon)
    return tuple(sorted(set(steps)))


def listed(values: Any, name: str) -> tuple[Any, ...]:
    """Many values. A single one is no list, and a text no list of its letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidQuestion(f"{name} must be a list, as in {name}=[{values!r}]; {values!r} came")
    return tuple(values)


def must_be(value: Any, kind: type | tuple[type, ...], name: str, example: str) -> None:
    """The right kind of thing, or a complaint."""
    if not isinstance(value, kind):
        raise InvalidQuestion(f"{name} must be {example}; {_told(value)} came")


def _told(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"{value!r:.60}"
