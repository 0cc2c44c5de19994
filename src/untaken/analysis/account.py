"""All that a page about one answer shows, as plain data: written to JSON and read back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from untaken.analysis.change import Change
from untaken.analysis.law import Bracket
from untaken.episodes import Label
from untaken.episodes.labels import plain
from untaken.errors import InvalidFile

if TYPE_CHECKING:
    from untaken.analysis.counterfactual import Counterfactual
    from untaken.analysis.courses import Realization

FORMAT = "untaken-account-1"


@dataclass(frozen=True)
class ToldExplanation:
    """One alternative action sequence."""

    changes: tuple[Change, ...]
    probability: float
    mean_outcome: float
    """Expected where the policy chose it."""
    forced_outcome: float
    """Expected if it were played whatever happens."""
    better: Bracket
    """How probable it is that it beats what was observed, where the policy chose it."""


@dataclass(frozen=True)
class ToldCourse:
    """One course, in labels."""

    states: tuple[Label, ...]
    actions: tuple[Label, ...]
    outcome: float
    probability: float


@dataclass(frozen=True)
class Account:
    """What there is to tell about one episode, with at most so many changes. Labels throughout."""

    id: Label
    """Whose course it is, or None."""
    k: int
    minimise: bool
    mechanism: str
    state_names: tuple[Label, ...]
    action_names: tuple[Label, ...]
    observed: ToldCourse
    outcome: float
    frontier: tuple[float, ...]
    explanations: tuple[ToldExplanation, ...]
    covered: float
    """The probability of the explanations listed."""
    complete: bool
    """Whether there are no others."""
    outcomes: tuple[float, ...]
    """The outcomes that occur, ascending."""
    probabilities: tuple[float, ...]
    """How probable each of them is."""
    spread: float
    """How far above what is listed an outcome may lie; zero where the law is exact."""
    better: Bracket
    worse: Bracket
    changed: tuple[float, ...]
    """How probable a change is at each step."""
    replacements: tuple[tuple[tuple[Label, float], ...], ...]
    """What is done instead at each step, with its probability."""
    state_chances: tuple[tuple[float, ...], ...]
    """How probable each state is at each step."""
    best: ToldCourse
    worst: ToldCourse
    notes: tuple[str, ...]

    @property
    def gain(self) -> float:
        """By how much the outcome is better than what was observed."""
        gain = self.outcome - self.observed.outcome
        return -gain if self.minimise else gain

    @property
    def relative_gain(self) -> float | None:
        """The gain as a share of the observed outcome, where that is positive."""
        return self.gain / self.observed.outcome if self.observed.outcome > 0 else None

    @property
    def marginal_gains(self) -> tuple[float, ...]:
        """What each further change adds."""
        sign = -1.0 if self.minimise else 1.0
        pairs = zip(self.frontier, self.frontier[1:], strict=False)
        return tuple(sign * (after - before) for before, after in pairs)

    def to_json(self) -> str:
        """The account as JSON text."""
        return json.dumps({"format": FORMAT} | asdict(self), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Account:
        """The account that `to_json` wrote."""
        try:
            told = json.loads(text)
            if told.get("format") != FORMAT:
                raise InvalidFile(f"expected {FORMAT!r}; the text says {told.get('format')!r}")
            return cls(**{field.name: _read(field.name, told[field.name]) for field in fields(cls)})
        except (json.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
            raise InvalidFile(f"this is not an account written by untaken: {error!r}") from None


def _read(name: str, value: Any) -> Any:
    """A field from what JSON made of it."""
    if name in ("observed", "best", "worst"):
        return ToldCourse(
            tuple(plain(label) for label in value["states"]),
            tuple(plain(label) for label in value["actions"]),
            value["outcome"],
            value["probability"],
        )
    if name in ("better", "worse"):
        return Bracket(*value)
    if name == "explanations":
        return tuple(
            ToldExplanation(
                **(
                    item
                    | {"better": Bracket(*item["better"])}
                    | {"changes": tuple(_change(change) for change in item["changes"])}
                )
            )
            for item in value
        )
    return plain(value)


def _change(told: dict[str, Any]) -> Change:
    return Change(told["step"], plain(told["observed"]), plain(told["alternative"]))


def account(cf: Counterfactual, coverage: float = 0.99, limit: int = 50) -> Account:
    """Tell all there is about an answer, with so many explanations at most."""
    told = cf.explanations(coverage, limit)
    law, timeline, mdp = cf.outcomes(), cf.timeline(), cf.mdp
    course = cf.problem.course
    return Account(
        id=cf.episode.id,
        k=cf.k,
        minimise=mdp.minimise,
        mechanism=cf.problem.mechanism.name,
        state_names=mdp.states.names,
        action_names=mdp.actions.names,
        observed=ToldCourse(
            tuple(mdp.states[code] for code in course.states),
            tuple(mdp.actions[code] for code in course.actions),
            cf.observed,
            1.0,
        ),
        outcome=cf.outcome,
        frontier=tuple(cf.frontier.tolist()),
        explanations=tuple(
            ToldExplanation(e.changes, e.probability, e.mean_outcome, e.forced_outcome, e.better)
            for e in told
        ),
        covered=told.covered,
        complete=told.complete,
        outcomes=tuple(law.outcomes.tolist()),
        probabilities=tuple(law.probabilities.tolist()),
        spread=law.spread,
        better=law.better,
        worse=law.worse,
        changed=tuple(timeline.changed.tolist()),
        replacements=tuple(
            tuple(timeline.replacements(step)) for step in range(cf.episode.horizon)
        ),
        state_chances=tuple(tuple(row) for row in timeline.states.tolist()),
        best=_told(cf, cf.best()),
        worst=_told(cf, cf.worst()),
        notes=cf.notes,
    )


def _told(cf: Counterfactual, course: Realization) -> ToldCourse:
    return ToldCourse(
        tuple(cf.mdp.states[code] for code in course.states),
        tuple(cf.mdp.actions[code] for code in course.actions),
        course.outcome,
        course.probability,
    )
