"""A cohort as a whole: means with intervals, distributions, and what recurs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from untaken.episodes import Label
from untaken.episodes.naming import quoted
from untaken.errors import InvalidQuestion, UnknownLabel
from untaken.kernels.layout import Floats
from untaken.study.summary import (
    CohortSummary,
    CountAt,
    GainsAt,
    MeanAt,
    RelativeGains,
    Replaced,
    StepChanged,
)

if TYPE_CHECKING:
    from untaken.study.study import Study

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
DRAWN_AT_ONCE = 4_000_000
"""How many counts of a bootstrap are in memory at once."""
_SAME = "s.position = e.position"


def summarise(study: Study, by: str | None, resamples: int, level: float) -> CohortSummary:
    """Summarise a study, seeded with its own seed."""
    if resamples < 1 or not 0 < level < 1:
        raise InvalidQuestion(
            f"resamples is a number from 1 and level a probability between 0 and 1; {resamples} "
            f"and {level} came"
        )
    groups = list(_groups(study, by))
    interval = _Interval(resamples, level, study.asked.seed)
    depth = study.asked.depth
    return CohortSummary(
        by=by,
        frontier=tuple(row for group in groups for row in group.means("outcome", interval)),
        gains=tuple(row for group in groups for row in group.gains()),
        relative=tuple(row for group in groups for row in group.relative()),
        explanations=tuple(row for group in groups for row in group.counts(interval)),
        unique=tuple(
            row
            for group in groups
            for row in (group.means("unique_lower", interval) if depth.draws else ())
        ),
        steps=_steps(study, by),
        replacements=_replacements(study, by, groups),
        minimise=study.minimise,
        coverage=depth.coverage,
        draws=depth.draws,
        episodes=study.done,
        failed=study.failed,
    )


@dataclass(frozen=True)
class _Interval:
    """A percentile bootstrap over episodes; the same resamples whatever is averaged."""

    resamples: int
    level: float
    seed: int

    def around_means(self, values: Floats) -> tuple[Floats, Floats]:
        """The ends of the interval for the mean of each column."""
        rng = np.random.default_rng(self.seed)
        episodes = len(values)
        chances = np.full(episodes, 1 / episodes)
        at_once = max(1, DRAWN_AT_ONCE // episodes)
        means = []
        for done in range(0, self.resamples, at_once):
            size = min(at_once, self.resamples - done)
            means.append(rng.multinomial(episodes, chances, size=size) @ values / episodes)
        tail = (1 - self.level) / 2
        lower, upper = np.quantile(np.concatenate(means), [tail, 1 - tail], axis=0)
        return lower, upper


@dataclass(frozen=True, eq=False)
class _Group:
    """The budgets table of some episodes, as `[episode, k]`."""

    name: Label
    columns: dict[str, Floats]
    counted: bool

    def means(self, column: str, interval: _Interval) -> Iterator[MeanAt]:
        values = self.columns[column]
        lower, upper = interval.around_means(values)
        for k, mean in enumerate(values.mean(axis=0).tolist()):
            yield MeanAt(self.name, k, mean, float(lower[k]), float(upper[k]), len(values))

    def gains(self) -> Iterator[GainsAt]:
        for relative in self.relative():
            values, k = relative.values, relative.k
            known = np.quantile(values, LEVELS) if values.size else np.full(len(LEVELS), np.nan)
            low, quarter, median, three_quarters, high = (float(value) for value in known)
            improved = float((self.columns["gain"][:, k] > 0).mean())
            undefined = len(self.columns["gain"]) - values.size
            yield GainsAt(
                self.name, k, low, quarter, median, three_quarters, high,
                improved, undefined, values.size,
            )  # fmt: skip

    def relative(self) -> Iterator[RelativeGains]:
        for k, values in enumerate(self.columns["relative_gain"].T):
            yield RelativeGains(self.name, k, values[~np.isnan(values)])

    def counts(self, interval: _Interval) -> Iterator[CountAt]:
        if not self.counted:
            return
        censored = self.columns["censored"].sum(axis=0).astype(int).tolist()
        for at in self.means("explanations", interval):
            yield CountAt(at.group, at.k, at.mean, at.lower, at.upper, censored[at.k], at.episodes)


def _nothing_answered(study: Study) -> str:
    """Why there is nothing to summarise."""
    text = "no episode of this study has an answer; study.failures holds the reasons"
    first = study.failures.order("position").project("episode, error").limit(1).fetchall()
    return text if not first else f"{text}, the first that of {first[0][0]}: {first[0][1]}"


def _groups(study: Study, by: str | None) -> Iterator[_Group]:
    """The episodes that have an answer, group by group."""
    names = ("outcome", "gain", "relative_gain", "explanations", "censored", "unique_lower")
    numbers = ", ".join(f"b.{name}::DOUBLE AS {name}" for name in names)
    budgets, episodes = study.budgets.set_alias("b"), _grouped(study, by).set_alias("e")
    rows = (
        budgets.join(episodes, "b.position = e.position")
        .project(f"e.grp, b.position, b.k, {numbers}")
        .order("grp, position, k")
    ).fetchnumpy()
    group, width = rows["grp"].tolist(), study.asked.k + 1  # as a list, masked values are None
    if not group:
        raise InvalidQuestion(_nothing_answered(study))
    members: dict[Label, list[int]] = {}
    for place, name in enumerate(group[::width]):
        members.setdefault(name, []).append(place)
    tabled = {name: np.ma.filled(rows[name], np.nan).reshape(-1, width) for name in names}
    for name, mine in members.items():
        columns = {column: values[mine] for column, values in tabled.items()}
        yield _Group(name, columns, study.asked.depth.explanations > 0 and _policies(study))


def _policies(study: Study) -> bool:
    return study.asked.depth.policy or study.asked.detail


def _grouped(study: Study, by: str | None) -> Any:
    """Positions of the episodes that have an answer, and the group of each."""
    known = [kept.name for kept in study.store.manifest.forms.kept]
    if by is not None and by not in known:
        raise UnknownLabel(
            f"no column {by!r} was kept; kept are: {', '.join(map(repr, known)) or 'none'}. "
            f"Read the episodes with keep=[{by!r}]"
        )
    group = "NULL::VARCHAR" if by is None else f"kept.{quoted(by)}"
    answered = study.episodes.filter("error IS NULL")
    return answered.project(f"position, steps, {group} AS grp")


def _steps(study: Study, by: str | None) -> tuple[StepChanged, ...]:
    if not _policies(study):
        return ()
    found = study.steps.set_alias("s").join(_grouped(study, by).set_alias("e"), _SAME)
    rows = found.aggregate("e.grp, s.k, s.step, avg(s.changed), count(*)", "e.grp, s.k, s.step")
    return tuple(StepChanged(*row) for row in rows.order("1, 2, 3").fetchall())


def _replacements(study: Study, by: str | None, groups: list[_Group]) -> tuple[Replaced, ...]:
    if not _policies(study):
        return ()
    read = study.store.manifest.forms.actions.read
    sizes = {group.name: len(group.columns["gain"]) for group in groups}
    found = study.replacements.set_alias("s").join(_grouped(study, by).set_alias("e"), _SAME)
    rows = found.aggregate(
        "e.grp, s.k, s.observed, s.alternative, sum(s.probability) AS total, "
        "count(DISTINCT s.position)",
        "e.grp, s.k, s.observed, s.alternative",
    ).order("1, 2, total DESC, 3, 4")
    return tuple(
        Replaced(group, k, read(observed), read(instead), total / sizes[group], episodes)
        for group, k, observed, instead, total, episodes in rows.fetchall()
    )
