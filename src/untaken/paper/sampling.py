"""Beyond the paper: what sampling costs, in truth and in time, next to the exact answer."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from untaken.analysis import Counterfactual, explain
from untaken.kernels.layout import Codes, Floats
from untaken.mechanism import GumbelMaxSampled, Mechanism
from untaken.paper.processes import Process, published
from untaken.paper.published_noise import PublishedNoise
from untaken.paper.settings import Settings, each
from untaken.paper.spread import student_quantile

ALPHA, CHANGES = 0.4, 5
LARGEST_BUDGET = 20
"""The published sweep goes through all budgets from 0 to T."""


@dataclass(frozen=True)
class Effort:
    """How often each number of draws is repeated on each course."""

    draws: int
    repeats: int


THOROUGH = (
    Effort(10, 60),
    Effort(30, 60),
    Effort(100, 40),
    Effort(300, 20),
    Effort(1000, 12),
    Effort(3000, 8),
    Effort(10_000, 5),
)
BRIEF = (Effort(10, 20), Effort(100, 10), Effort(1000, 2))


@dataclass(frozen=True)
class Trial:
    """One Monte Carlo answer about one course."""

    course: int
    draws: int
    repeat: int
    exact: float
    claimed: float
    """What the optimum on the estimated rows believes to attain."""
    reference: float
    """What the exact optimum's policy is worth on the same estimated rows. With fresh draws at each
    step its mean is the exact optimum, so that it takes out luck that has nothing to do with
    choosing: `claimed` is never below it, and on average as far above it as above the truth."""
    attained: float
    """What its policy attains in the exact worlds."""
    published_noise: bool
    """Whether the draws are those of the published code, the same at every step."""


@dataclass(frozen=True)
class Timing:
    """Seconds for one course and all budgets, and how they were come by."""

    route: str
    seconds: float
    measured: bool
    """Whether in this run; else it is a figure from elsewhere."""


def trials(settings: Settings) -> tuple[Trial, ...]:
    """Monte Carlo answers on a few episodes of one process, every one from a seed of its own."""
    process, efforts = published(ALPHA, 0), BRIEF if settings.quick else THOROUGH
    courses = range(2) if settings.quick else range(3)
    answers = {c: explain(process.courses[c], process.mdp, CHANGES) for c in courses}

    def attempt(task: tuple[int, Mechanism, int, int, bool]) -> Trial:
        course, mechanism, draws, repeat, theirs = task
        return _trial(answers[course], mechanism, Trial(course, draws, repeat, 0, 0, 0, 0, theirs))

    tasks: list[tuple[int, Mechanism, int, int, bool]] = [
        (
            course,
            GumbelMaxSampled(effort.draws, _seed(course, effort.draws, repeat)),
            effort.draws,
            repeat,
            False,
        )
        for course, effort in product(courses, efforts)
        for repeat in range(effort.repeats)
    ]
    tasks += [(course, PublishedNoise(1000), 1000, 0, True) for course in courses]
    return tuple(each(attempt, tasks, settings.threads, "sampled answers"))


def _seed(*answer: int) -> int:
    """A seed for each answer: with one for all d, answers would share their first draws."""
    return int(np.random.SeedSequence(answer).generate_state(1)[0])


def _trial(exact: Counterfactual, mechanism: Mechanism, task: Trial) -> Trial:
    noisy = explain(exact.episode, exact.mdp, CHANGES, mechanism=mechanism)
    return Trial(
        task.course,
        task.draws,
        task.repeat,
        exact=exact.outcome,
        claimed=noisy.outcome,
        reference=noisy.what_if(exact.policy).outcome,
        attained=exact.what_if(noisy.policy).outcome,
        published_noise=task.published_noise,
    )


def timings(settings: Settings, cited: tuple[Timing, ...]) -> tuple[Timing, ...]:
    """Both routes on the same courses in this run, and figures from elsewhere."""
    process, quick = published(ALPHA, 0), settings.quick
    exact = _seconds(process, 3 if quick else 10, None)
    sampled = _seconds(process, 1 if quick else 3, GumbelMaxSampled(1000, 0))
    return (
        Timing("exact", exact, True),
        Timing("sampled, d = 1,000, compiled", sampled, True),
        *cited,
    )


def _seconds(process: Process, courses: int, mechanism: Mechanism | None) -> float:
    """Processor time for a course and all budgets, since others may be using the machine."""
    times = []
    for _ in range(2):  # the first time round everything gets ready
        start = time.thread_time()
        for course in process.courses[:courses]:
            explain(course, process.mdp, LARGEST_BUDGET, mechanism=mechanism)
        times.append((time.thread_time() - start) / courses)
    return min(times)


@dataclass(frozen=True)
class Error:
    """How far Monte Carlo answers lie from the exact one, with so many draws."""

    draws: int
    bias: float
    """Mean of claimed less reference, which estimates that of claimed less exact far better."""
    bias_error: float
    """Half of its 95 % interval."""
    shortfall: float
    """Mean of attained less exact: what choosing on noise costs; never positive."""
    shortfall_error: float
    """Half of its 95 % interval."""
    spread: float
    """Standard deviation of what is claimed, about its mean on each course."""
    spread_error: float
    """Half of its 95 % interval, as for normal errors."""
    answers: int


def errors(all_trials: Iterable[Trial]) -> tuple[Error, ...]:
    """The errors for each number of fresh draws."""
    fresh = [trial for trial in all_trials if not trial.published_noise]
    return tuple(
        _error(draws, [trial for trial in fresh if trial.draws == draws])
        for draws in sorted({trial.draws for trial in fresh})
    )


def _error(draws: int, same: list[Trial]) -> Error:
    claimed = np.array([trial.claimed - trial.exact for trial in same])
    chosen = np.array([trial.claimed - trial.reference for trial in same])
    attained = np.array([trial.attained - trial.exact for trial in same])
    course = np.array([trial.course for trial in same])
    freedom = claimed.size - len(set(course.tolist()))
    spread, luck, loss = (
        _spread(values, course, freedom) for values in (claimed, chosen, attained)
    )
    width = student_quantile(freedom)
    return Error(
        draws=draws,
        bias=float(chosen.mean()),
        bias_error=width * luck / math.sqrt(claimed.size),
        shortfall=float(attained.mean()),
        shortfall_error=width * loss / math.sqrt(claimed.size),
        spread=spread,
        spread_error=width * spread / math.sqrt(2 * freedom) if freedom else math.nan,
        answers=claimed.size,
    )


def _spread(values: Floats, course: Codes, freedom: int) -> float:
    """The standard deviation about the mean on each course; unknown from one answer each."""
    residuals = values - np.array([values[course == c].mean() for c in course])
    return math.sqrt((residuals**2).sum() / freedom) if freedom else math.nan
