"""The distinct action sequences that the optimal policy can produce, each an explanation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from untaken.analysis.change import Change
from untaken.analysis.courses import Courses
from untaken.analysis.law import Bracket, OutcomeLaw
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Codes, Floats
from untaken.kernels.sequences import followed_sequence, forced_utilities, sequences_above
from untaken.search.problem import whole

FIRST_THRESHOLD = 1 / 64
FINER = 1 / 4
"""Each round looks for sequences this much rarer than the last one did."""
EFFORT = 100_000_000
"""A round that walks more edges of the graph than this is the last one, and so is"""
MOST = 200_000
"""one that finds more sequences than this, or, where they are long, sequences of more than"""
MOST_STEPS = 20_000_000
"""this many steps in all: time and memory are bounded."""
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Details:
    """What explanations of one policy share."""

    courses: Courses
    actions: Codes
    """The sequences, a row each."""

    @cached_property
    def forced_outcomes(self) -> Floats:
        """What each sequence would yield if it were played whatever happens."""
        problem = self.courses.problem
        utilities: Floats = forced_utilities(
            problem.process, problem.course, problem.worlds, self.actions
        )
        return problem.sign * utilities


@dataclass(frozen=True, eq=False)
class Explanation:
    """One alternative action sequence.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [[0, -0.3], [1, 0.7]], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> first = cf.explanations()[0]
    >>> print(first)
    55.6%  step 0: wait → treat
    >>> first.changes
    (Change(step=0, observed='wait', alternative='treat'),)
    >>> round(first.mean_outcome, 3), round(first.forced_outcome, 3)
    (1.478, 0.688)
    """

    actions: Codes
    """The codes of its actions."""
    changes: tuple[Change, ...]
    """Where it differs from what was done; empty for the unchanged sequence."""
    probability: float
    """How probable it is that the policy plays exactly this sequence."""
    mean_outcome: float
    """The expected outcome given that the policy chose it."""
    details: Details
    """What is worked out only when somebody asks, for all explanations at once."""
    position: int
    """Which of them this is."""

    @property
    def forced_outcome(self) -> float:
        """The expected outcome of playing this sequence whatever happens: not the same as the mean
        given that the policy chose it. A sequence that is chosen where things go well has less; one
        that is chosen where they go badly has more."""
        return float(self.details.forced_outcomes[self.position])

    @property
    def better(self) -> Bracket:
        """The probability that the outcome beats the observed one, given that the policy chose
        it."""
        return self.law.better

    @cached_property
    def law(self) -> OutcomeLaw:
        """How the outcome is distributed, given that the policy chose it."""
        return self.details.courses.law_of(self.actions, self.mean_outcome)

    @cached_property
    def states(self) -> Floats:
        """How probable each state is at each step, given that the policy chose it, `[t, s]`."""
        return self.details.courses.states_given(self.actions)

    def __str__(self) -> str:
        what = "; ".join(str(change) for change in self.changes) or "no change"
        return f"{self.probability:.1%}  {what}"


@dataclass(frozen=True, eq=False)
class Explanations(Sequence[Explanation]):
    """Explanations, the most probable first.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [[0, -0.3], [1, 0.7]], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> found = cf.explanations(coverage=1.0)
    >>> print(found)
    55.6%  step 0: wait → treat
    44.4%  step 0: wait → treat; step 1: wait → treat
    >>> len(found), round(found.covered, 6), found.complete
    (2, 1.0, True)
    """

    items: tuple[Explanation, ...]
    covered: float
    """The probability that one of them is what the policy plays."""
    threshold: float
    """Every sequence more probable than this is among them."""
    complete: bool
    """Whether there is no other sequence."""

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Explanation]: ...
    def __getitem__(self, index: int | slice) -> Explanation | Sequence[Explanation]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.items)

    def __str__(self) -> str:
        return "\n".join(str(item) for item in self.items)


@dataclass(frozen=True, eq=False)
class Found:
    """Sequences in decreasing probability, as a search leaves them."""

    actions: Codes
    probabilities: Floats
    means: Floats
    threshold: float
    """Nothing more probable than this is missing."""
    cut: bool
    """Whether the search gave up before it had found all above its own threshold."""

    @property
    def covered(self) -> float:
        """Their mass."""
        return min(float(self.probabilities.sum()), 1.0)


def explanations(courses: Courses, coverage: float, limit: int) -> Explanations:
    """The most probable sequences, until they cover so much or are so many."""
    if not 0 < coverage <= 1:
        raise InvalidQuestion(f"coverage is a probability above 0, up to 1; {coverage} came")
    limit = whole(limit, "limit", "explanations", 1)
    found = next(
        found
        for found in rounds(courses)
        if found.cut or len(found.probabilities) >= limit or _covers(found, coverage)
    )
    needed = 1 + int(np.searchsorted(np.cumsum(found.probabilities), coverage - ROUNDING))
    if coverage == 1:
        needed = len(found.probabilities)
    kept = min(limit, needed, len(found.probabilities))
    details = Details(courses, found.actions[:kept])
    left_out = found.probabilities[kept:]
    return Explanations(
        items=tuple(
            Explanation(
                actions=found.actions[i],
                changes=courses.changes(found.actions[i]),
                probability=float(found.probabilities[i]),
                mean_outcome=float(found.means[i]),
                details=details,
                position=i,
            )
            for i in range(kept)
        ),
        covered=min(float(found.probabilities[:kept].sum()), 1.0),
        threshold=float(left_out[0]) if left_out.size else found.threshold,
        complete=found.threshold == 0 and not left_out.size,
    )


def needed_count(courses: Courses, coverage: float, limit: int) -> Bracket:
    """How many sequences, the most probable first, it takes to cover so much. Not followed beyond
    the limit: then the upper end is infinite."""
    found = next(
        found
        for found in rounds(courses)
        if found.cut or len(found.probabilities) > limit or _covers(found, coverage)
    )
    cumulative = np.cumsum(found.probabilities[:limit])
    if not cumulative.size or cumulative[-1] < coverage - ROUNDING:
        return Bracket(float(min(limit, len(found.probabilities))), float("inf"))
    needed = 1.0 + float(np.searchsorted(cumulative, coverage - ROUNDING))
    return Bracket(needed, needed)


def unique_count(courses: Courses, draws: int, tolerance: float) -> Bracket:
    """How many distinct changed sequences `draws` samples hold in expectation."""
    draws = whole(draws, "draws", "samples", 1)
    if not tolerance >= 0:
        raise InvalidQuestion(
            f"the tolerance is a share of the number, 0 or more; {tolerance} came"
        )
    unchanged = courses.problem.course.actions
    bracket = Bracket(0.0, float(draws))
    for found in rounds(courses):
        changed = (found.actions != unchanged).any(axis=1)
        listed = float(_seen(found.probabilities[changed], draws).sum())
        rest = 1.0 - float(found.probabilities[changed].sum()) - courses.chance_of(unchanged)
        rest = 0.0 if found.threshold == 0 else max(rest, 0.0)
        # The chance of being seen is concave in the probability, and what is not listed has at
        # most the threshold: mass counts most in crumbs, least in pieces of that size.
        least = rest if not rest else rest * float(_seen(found.threshold, draws)) / found.threshold
        bracket = Bracket(listed + least, listed + rest * draws)
        if found.cut or bracket.upper - bracket.lower <= tolerance * max(1.0, bracket.lower):
            break
    return bracket


def _seen(probability: Floats | float, draws: int) -> Floats:
    """The chance to be among so many draws, also for tiny probabilities."""
    chance: Floats = -np.expm1(draws * np.log1p(-np.minimum(probability, 1.0 - 1e-16)))
    return chance


def rounds(courses: Courses) -> Iterator[Found]:
    """Searches for ever rarer sequences; the last one finds all there are, or was cut short."""
    threshold = FIRST_THRESHOLD
    found = _search(courses, threshold)
    yield found
    while not found.cut and found.threshold > 0:
        # Where hardly anything is left it is found as fast as it is looked for.
        threshold = 0.0 if found.covered > 1 - ROUNDING else threshold * FINER
        before, found = found, _search(courses, threshold)
        yield _joined(before, found) if found.cut else found


def _search(courses: Courses, threshold: float) -> Found:
    steps = courses.problem.horizon
    actions, probabilities, means, cut = sequences_above(
        courses.graph, steps, threshold, max(min(MOST, MOST_STEPS // steps), 1), EFFORT
    )
    if cut and not len(actions):  # all are rarer than a search can tell: one of them, at least
        one, probability, mean = followed_sequence(courses.graph, steps)
        actions, probabilities, means = one[None], np.array([probability]), np.array([mean])
    order = np.argsort(-probabilities, kind="stable")  # they come in the order of their codes
    return Found(
        actions=actions[order],
        probabilities=probabilities[order],
        means=courses.problem.sign * means[order],
        threshold=1.0 if cut else threshold,
        cut=cut,
    )


def _joined(before: Found, cut_short: Found) -> Found:
    """What two rounds have found, the second of which has given up: only what the first one
    looked for is sure to be there."""
    known = {sequence.tobytes() for sequence in before.actions}
    new = [i for i, sequence in enumerate(cut_short.actions) if sequence.tobytes() not in known]
    actions = np.concatenate([before.actions, cut_short.actions[new]])
    probabilities = np.concatenate([before.probabilities, cut_short.probabilities[new]])
    means = np.concatenate([before.means, cut_short.means[new]])
    order = np.argsort(-probabilities, kind="stable")
    return Found(actions[order], probabilities[order], means[order], before.threshold, cut=True)


def _covers(found: Found, coverage: float) -> bool:
    if coverage == 1:
        return found.threshold == 0
    return found.covered >= coverage - ROUNDING
