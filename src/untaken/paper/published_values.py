"""Numbers of the paper, read off its figures or taken from its text, each with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """A number at a point of a figure."""

    at: float
    """Where on the horizontal axis: a budget, or a level of uncertainty."""
    k: int
    value: float


ONE_HUNDREDTH = 0.01
"""A value is read off a printed figure to about this share of its axis, and then rounded."""


def reading_error(axis: float, rounded_to: float) -> float:
    """How far a value read off a figure may be from the one that was drawn.

    >>> reading_error(axis=100, rounded_to=1)
    1.5
    """
    return ONE_HUNDREDTH * axis + rounded_to / 2


SYNTHETIC_GAINS = (
    Published(0.1, 2, 3.5),
    Published(0.1, 5, 6.9),
    Published(0.1, 10, 9.5),
    Published(0.5, 2, 4.9),
    Published(0.5, 5, 8.4),
    Published(0.5, 10, 11.1),
)
"""Figure 3(b): mean relative gain in per cent against alpha."""
GAIN_ERROR = reading_error(axis=12, rounded_to=0.1)

SYNTHETIC_OUTCOMES = (
    Published(0.0, 0, 343),
    Published(0.01, 0, 327),
    Published(0.05, 0, 291),
    Published(0.1, 0, 268),
    Published(0.5, 0, 223),
    Published(1.0, 0, 217),
)
"""Figure 3(a): mean outcome with no change, for several alpha."""
OUTCOME_ERROR = reading_error(axis=160, rounded_to=1)

SYNTHETIC_COUNTS = (
    Published(0.0, 10, 1),
    Published(0.01, 10, 24),
    Published(0.05, 10, 70),
    Published(0.1, 10, 86),
    Published(0.5, 10, 97),
)
"""Figure 3(c): mean number of unique explanations among 100 draws, k = 10."""
COUNT_ERROR = reading_error(axis=100, rounded_to=1)

THERAPY_OUTCOMES = (Published(0, 0, 59.6), Published(10, 10, 61.9))
"""Figure 4(b): mean outcome of the patients."""
THERAPY_OUTCOME_ERROR = reading_error(axis=5, rounded_to=0.1)

THERAPY_COUNTS = (Published(1, 1, 1), Published(2, 2, 3), Published(10, 10, 38))
"""Figure 4(c): mean number of unique explanations among 1,000 draws."""
THERAPY_COUNT_ERROR = reading_error(axis=40, rounded_to=1)

NOTABLE, SHARE_BUDGET = 3, 3
SHARE_GAINING = 20.0
"""Per cent of patients who gain 3 % or more with k = 3 (section 5)."""
SHARE_ERROR = 0.5


@dataclass(frozen=True)
class PublishedBaseline:
    """The mean outcome of a policy with k = 10 (appendix D)."""

    policy: str
    value: float


BASELINES = (
    PublishedBaseline("optimal", 68.2),
    PublishedBaseline("greedy", 67.3),
    PublishedBaseline("noisy greedy", 63.8),
    PublishedBaseline("random", 56.2),
)
BASELINE_ERROR = reading_error(axis=14, rounded_to=0.1)

PATIENT_GAIN = 9.5
"""Per cent, with k = 3 (section 5)."""
PATIENT_STEPS = (10, 13, 16)


@dataclass(frozen=True)
class PublishedExplanation:
    """One row of figure 5(c)."""

    share: float
    """Per cent of 1,000 draws."""
    mean: float


PATIENT_EXPLANATIONS = (
    PublishedExplanation(30.7, 39.0),
    PublishedExplanation(51.3, 40.5),
    PublishedExplanation(12.4, 48.6),
    PublishedExplanation(2.6, 44.2),
    PublishedExplanation(3.0, 52.0),
)
SECONDS_AN_EPISODE = 62.0
"""What the paper reports for the noise of one synthetic course (its footnote)."""
SECONDS_A_SWEEP = 11.0
"""What the authors' procedure was measured to need for one course and all budgets on one core of
the machine on which this project is developed, d = 1,000, loops compiled into array operations."""
