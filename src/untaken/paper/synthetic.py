"""Section 4 of the paper: synthetic processes, solved exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from untaken.analysis import Bracket, Counterfactual, explain
from untaken.kernels.courses import sample_courses
from untaken.kernels.layout import Floats
from untaken.paper.processes import ALPHAS, COURSES, PROCESSES, Process, fresh, published
from untaken.paper.published_noise import PublishedNoise
from untaken.paper.settings import Settings, each
from untaken.search import Rules

MOST_CHANGES = 10
DRAWS = 100
TOLERANCE = 0.05
"""Counts of explanations are known to this share; they come as brackets."""
COUNTED_ALPHAS = (0.0, 0.01, 0.05, 0.1, 0.5)
NOISE_ALPHAS = (0.05, 0.1, 0.5)
FIRST_ACTION = Rules(first_action_wins=True)
Source = Callable[[float, int], Process]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The frontiers of all courses at one level of uncertainty."""

    alpha: float
    frontiers: Floats
    """`[process, course, k]`."""

    @property
    def gains(self) -> Floats:
        """Relative gains in per cent, `[process, course, k]`."""
        observed = self.frontiers[:, :, :1]
        return np.asarray(100 * (self.frontiers - observed) / observed)


@dataclass(frozen=True, eq=False)
class Count:
    """How many distinct explanations 100 draws hold, for one uncertainty, budget and tie rule."""

    alpha: float
    k: int
    first_action_wins: bool
    expected: Floats
    """`[process, course, 2]`: between which numbers the exact expectation lies."""
    drawn: Floats
    """`[process, course]`: with the published draws, the same 100 seeds for every course."""

    @property
    def lower(self) -> float:
        """What the mean expectation is certain to exceed."""
        return float(self.expected[..., 0].mean())

    @property
    def upper(self) -> float:
        """What it is certain not to exceed."""
        return float(self.expected[..., 1].mean())

    @property
    def middles(self) -> Floats:
        """One number for each course, `[process, course]`."""
        return np.asarray(self.expected.mean(axis=-1))


@dataclass(frozen=True, eq=False)
class NoiseShift:
    """What the published noise adds on some courses, ties to the first action as in its code."""

    alpha: float
    shifts: Floats
    """`[course, k]`: estimated less exact relative gain, in points."""
    counts: Floats
    """`[course]`: the same of the distinct explanations that the published draws hold."""


@dataclass(frozen=True, eq=False)
class Synthetic:
    """All results of the section."""

    published: tuple[Sweep, ...]
    """On the ten processes of the published figures."""
    fresh: tuple[Sweep, ...]
    """On ten others."""
    counts: tuple[Count, ...]
    fresh_counts: tuple[Count, ...]
    noise: tuple[NoiseShift, ...]
    counted_courses: int
    """On how many courses of each published process the expected count rests."""
    drawn_courses: int
    """On how many of them the drawn one rests."""

    @property
    def alphas(self) -> tuple[float, ...]:
        """The levels of uncertainty, ascending."""
        return tuple(sweep.alpha for sweep in self.published)

    def sweep(self, alpha: float, fresh: bool = False) -> Sweep:
        """The frontiers at one level of uncertainty."""
        sweeps = self.fresh if fresh else self.published
        return next(sweep for sweep in sweeps if sweep.alpha == alpha)


def run(settings: Settings) -> Synthetic:
    """Solve all courses of both sets of processes."""
    quick, threads = settings.quick, settings.threads
    alphas = (0.1, 0.4, 0.5) if quick else ALPHAS
    budgets = (2, MOST_CHANGES) if quick else (1, 2, 3, 4, 6, 8, MOST_CHANGES)
    expected, drawn = (2, 2) if quick else (20, COURSES)
    observed_first = Counting(Rules(), budgets, expected, drawn)
    first_action = Counting(FIRST_ACTION, budgets[-1:], expected, drawn)
    few = Counting(Rules(), budgets[-1:], min(expected, 10), min(drawn, 10))
    return Synthetic(
        published=tuple(sweep(published, alpha, threads) for alpha in alphas),
        fresh=tuple(sweep(fresh, alpha, threads) for alpha in alphas),
        counts=(
            *counts(published, observed_first, threads),
            *counts(published, first_action, threads),
        ),
        fresh_counts=counts(fresh, few, threads),
        noise=tuple(noise_shift(alpha, 1 if quick else 30, threads) for alpha in NOISE_ALPHAS),
        counted_courses=expected,
        drawn_courses=drawn,
    )


def sweep(source: Source, alpha: float, threads: int) -> Sweep:
    """All frontiers at one level of uncertainty."""

    def frontiers(number: int) -> Floats:
        process = source(alpha, number)
        answers = (explain(course, process.mdp, MOST_CHANGES) for course in process.courses)
        return np.array([cf.frontier for cf in answers])

    found = each(frontiers, range(PROCESSES), threads, f"frontiers, alpha = {alpha:g}")
    return Sweep(alpha, np.array(found))


@dataclass(frozen=True)
class Counting:
    """How explanations are counted."""

    rules: Rules
    budgets: tuple[int, ...]
    expected: int
    """The courses of each process of which the expected count is worked out."""
    drawn: int
    """The courses of which draws are counted."""


def counts(source: Source, counting: Counting, threads: int) -> tuple[Count, ...]:
    """How many distinct explanations 100 draws hold, for every uncertainty and budget."""
    return tuple(
        count for alpha in COUNTED_ALPHAS for count in _counts_at(source, alpha, counting, threads)
    )


def _counts_at(source: Source, alpha: float, counting: Counting, threads: int) -> list[Count]:
    """The same at one level of uncertainty."""

    def counted(number: int) -> list[tuple[list[Bracket], list[int]]]:
        process = source(alpha, number)
        answers = [
            explain(course, process.mdp, MOST_CHANGES, rules=counting.rules)
            for course in process.courses[: counting.drawn]
        ]
        return [
            _counts_within([cf.at(k) for cf in answers], counting.expected)
            for k in counting.budgets
        ]

    told = f"explanations, alpha = {alpha:g}"
    by_process = each(counted, range(PROCESSES), threads, told)
    return [
        Count(
            alpha=alpha,
            k=k,
            first_action_wins=counting.rules.first_action_wins,
            expected=np.array([process[place][0] for process in by_process]),
            drawn=np.array([process[place][1] for process in by_process], dtype=np.float64),
        )
        for place, k in enumerate(counting.budgets)
    ]


def _counts_within(answers: list[Counterfactual], expected: int) -> tuple[list[Bracket], list[int]]:
    """The expected counts of the first answers, and of all what the published draws hold."""
    brackets = [cf.unique_count(DRAWS, TOLERANCE) for cf in answers[:expected]]
    return brackets, [drawn_count(cf) for cf in answers]


def drawn_count(cf: Counterfactual) -> int:
    """The distinct changed sequences among 100 draws from the seeds 1 to 100."""
    graph, observed = cf.courses.graph, cf.problem.course.actions
    nodes, _ = sample_courses(graph, _published_uniforms(graph.layers.size - 2))
    actions = graph.action[nodes[:, : observed.size]]
    changed = actions[(actions != observed).any(axis=1)]
    return len(np.unique(changed, axis=0))


@cache
def _published_uniforms(steps: int) -> Floats:
    """One generator for each draw, as the published code has it."""
    return np.array([np.random.default_rng(seed).random(steps) for seed in range(1, DRAWS + 1)])


def noise_shift(alpha: float, courses: int, threads: int) -> NoiseShift:
    """Answers with the published noise less exact ones, on courses spread over the processes."""

    def shift(number: int) -> tuple[Floats, int]:
        process = published(alpha, number % PROCESSES)
        course = process.courses[(7 * number) % len(process.courses)]
        exact = explain(course, process.mdp, MOST_CHANGES, rules=FIRST_ACTION)
        noisy = explain(
            course, process.mdp, MOST_CHANGES, mechanism=PublishedNoise(), rules=FIRST_ACTION
        )
        gains = 100 * (noisy.frontier - exact.frontier) / exact.observed
        return gains, drawn_count(noisy) - drawn_count(exact)

    found = each(shift, range(courses), threads, f"published noise, alpha = {alpha:g}")
    gains, counted = zip(*found, strict=True)
    return NoiseShift(alpha, np.array(gains), np.array(counted, dtype=np.float64))
