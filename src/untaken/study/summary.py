"""What a study says of its cohort: tables of small records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untaken.episodes import Label
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from untaken.present.words import Words

PARTS = ("frontier", "gains", "explanations", "unique", "steps", "replacements")
"""Those parts of a summary that are tables of single values."""


@dataclass(frozen=True)
class MeanAt:
    """A mean over episodes at one budget, with its bootstrap interval."""

    group: Label
    """The value of the column by which episodes are grouped; None for all of them."""
    k: int
    mean: float
    lower: float
    upper: float
    episodes: int


@dataclass(frozen=True)
class GainsAt:
    """How relative gains are distributed over episodes at one budget."""

    group: Label
    k: int
    quantile_05: float
    quantile_25: float
    median: float
    quantile_75: float
    quantile_95: float
    improved: float
    """The share of episodes that gain anything."""
    undefined: int
    """Episodes whose observed outcome is not positive: no share of it can be gained."""
    episodes: int
    """Those with a relative gain."""


@dataclass(frozen=True)
class CountAt:
    """How many explanations it takes to cover 99 % at one budget."""

    group: Label
    k: int
    mean: float
    """At least: where counting stopped at the limit, the limit counts."""
    lower: float
    upper: float
    censored: int
    """Episodes for which counting stopped."""
    episodes: int


@dataclass(frozen=True)
class StepChanged:
    """How often the policy changes the action at one step."""

    group: Label
    k: int
    step: int
    changed: float
    """The mean probability over the episodes that have this step."""
    episodes: int


@dataclass(frozen=True)
class Replaced:
    """An action that stands in for another one."""

    group: Label
    k: int
    observed: Label
    alternative: Label
    expected: float
    """How many such changes an episode of the group has, on average."""
    episodes: int
    """In how many episodes the policy may make this change."""


@dataclass(frozen=True)
class RelativeGains:
    """The relative gains themselves, one an episode, for histograms."""

    group: Label
    k: int
    values: Floats


@dataclass(frozen=True, eq=False)
class CohortSummary:
    """What a study says of its cohort. Each part is a table of records; `to_frame` makes a frame of
    one, `plot` draws them.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> summary = ut.explain_all([episode], mdp, k=1).summary()
    >>> [(at.k, round(at.mean, 3)) for at in summary.frontier]
    [(0, 0.0), (1, 0.988)]
    >>> [(row.k, row.observed, row.alternative, row.expected) for row in summary.replacements]
    [(1, 'wait', 'treat', 1.0)]
    """

    by: str | None
    frontier: tuple[MeanAt, ...]
    """The mean best outcome for every budget."""
    gains: tuple[GainsAt, ...]
    """How relative gains are distributed, for every budget."""
    relative: tuple[RelativeGains, ...]
    """The relative gains themselves."""
    explanations: tuple[CountAt, ...]
    """How many explanations there are, for every budget; empty where they were not counted."""
    unique: tuple[MeanAt, ...]
    """How many distinct ones are in so many samples; empty where that was not asked for."""
    steps: tuple[StepChanged, ...]
    """Which steps the policies change; empty where policies were not looked at."""
    replacements: tuple[Replaced, ...]
    """Which replacements recur, the most common first; empty likewise."""
    minimise: bool
    coverage: float
    """How much the counted explanations cover."""
    draws: int
    """In how many samples distinct ones were counted."""
    episodes: int
    failed: int

    def to_frame(self, part: str = "frontier", backend: str | None = None) -> Any:
        """One part as a frame of pandas, polars or pyarrow, a row for each of its records."""
        if part not in PARTS:
            raise InvalidQuestion(f"part must be one of {', '.join(PARTS)}; {part!r} came")
        from untaken.present.frames import records_frame

        return records_frame(getattr(self, part), backend)

    def plot(self, k: int | None = None, words: Words | None = None) -> Figure:
        """Gains with k changes (3, if there are as many), the frontier, and how many explanations
        there are, on one page; `untaken.plots` has these and other figures one by one."""
        from untaken.present.cohort_plots import page

        figure: Figure = page(self, k, words)
        return figure
