"""All that a page about one answer shows, as plain data: written to JSON and read back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from untaken.analysis.change import Change
from untaken.analysis.law import Bracket
from untaken.analysis.robustness import Finding, Robustness
from untaken.episodes import Label
from untaken.episodes.labels import plain
from untaken.errors import InvalidFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from untaken.analysis.counterfactual import Counterfactual
    from untaken.analysis.courses import Realization
    from untaken.episodes.labels import Labels

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
    likely_states: tuple[Label, ...]
    """The most probable state at each step, where it is played."""


@dataclass(frozen=True)
class ToldCourse:
    """One course, in labels."""

    states: tuple[Label, ...]
    actions: tuple[Label, ...]
    outcome: float
    probability: float


@dataclass(frozen=True)
class ToldFinding:
    """How sure one alternative is to be better: the policy, or a sequence played whatever
    happens."""

    changes: tuple[Change, ...] | None
    """What the sequence does differently; None for the policy."""
    gains: tuple[float, ...]
    """The expected gain under each mechanism."""
    certified: tuple[float, ...]
    """The gain that is certain under each class of causal models."""
    influence: float
    """Which share of the most there is the course leans on the observation."""
    posterior: tuple[float, float, float] | None
    """The probability, over the posterior of the process, of beating what was observed, and the
    ends of the 90 % interval of the outcome."""
    verdict: str
    """How much must be assumed: the name of a `Verdict`, in small letters."""


@dataclass(frozen=True)
class ToldCertainty:
    """How far the answer rests on what nobody can check."""

    sentence: str
    """All of it in one sentence, to be quoted."""
    mechanisms: tuple[str, ...]
    classes: tuple[str, ...]
    attainable: tuple[float, ...]
    """The gain that some policy within the budget is certain to have, for each class."""
    findings: tuple[ToldFinding, ...]
    """The policy's first, then those of the explanations."""


@dataclass(frozen=True)
class Account:
    """What there is to tell about one episode, with at most so many changes. Labels throughout.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> account = cf.account()
    >>> account.frontier[-1] == cf.outcome, account.state_names
    (True, ('ill', 'well'))
    >>> ut.Account.from_json(account.to_json()) == account
    True
    """

    id: Label
    """Whose course it is, or None."""
    k: int
    minimise: bool
    mechanism: str
    """The name of the causal model."""
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
    exact: bool
    """Whether these are the outcomes, or only the least that each may be, on a fine grid."""
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
    certainty: ToldCertainty | None = None
    """How sure the gain is, where that was asked."""

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
    if name == "certainty":
        return None if value is None else _certainty(value)
    if name == "explanations":
        return tuple(
            ToldExplanation(
                **(
                    item
                    | {"better": Bracket(*item["better"])}
                    | {"changes": _changes(item["changes"])}
                    | {"likely_states": tuple(plain(label) for label in item["likely_states"])}
                )
            )
            for item in value
        )
    return plain(value)


def _changes(told: list[dict[str, Any]]) -> tuple[Change, ...]:
    return tuple(
        Change(each["step"], plain(each["observed"]), plain(each["alternative"])) for each in told
    )


def _certainty(told: dict[str, Any]) -> ToldCertainty:
    findings = tuple(
        ToldFinding(
            changes=None if each["changes"] is None else _changes(each["changes"]),
            gains=tuple(each["gains"]),
            certified=tuple(each["certified"]),
            influence=each["influence"],
            posterior=None if each["posterior"] is None else tuple(each["posterior"]),
            verdict=each["verdict"],
        )
        for each in told["findings"]
    )
    return ToldCertainty(
        told["sentence"],
        tuple(told["mechanisms"]),
        tuple(told["classes"]),
        tuple(told["attainable"]),
        findings,
    )


def account(
    cf: Counterfactual,
    coverage: float = 0.99,
    limit: int = 50,
    robustness: Robustness | None = None,
) -> Account:
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
            _named(mdp.states, course.states),
            _named(mdp.actions, course.actions),
            cf.observed,
            1.0,
        ),
        outcome=cf.outcome,
        frontier=tuple(cf.frontier.tolist()),
        explanations=tuple(
            ToldExplanation(
                changes=e.changes,
                probability=e.probability,
                mean_outcome=e.mean_outcome,
                forced_outcome=e.forced_outcome,
                better=e.better,
                likely_states=_named(mdp.states, e.states.argmax(axis=1)),
            )
            for e in told
        ),
        covered=told.covered,
        complete=told.complete,
        outcomes=tuple(law.outcomes.tolist()),
        probabilities=tuple(law.probabilities.tolist()),
        exact=law.exact,
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
        certainty=None if robustness is None else tell(robustness),
    )


def _named(labels: Labels, codes: NDArray[Any]) -> tuple[Label, ...]:
    names = labels.names
    return tuple([names[code] for code in codes.tolist()])


def tell(robustness: Robustness) -> ToldCertainty:
    """What robustness found, as plain data."""

    def told(finding: Finding) -> ToldFinding:
        spread = finding.posterior
        return ToldFinding(
            changes=finding.changes,
            gains=tuple(finding.gains.tolist()),
            certified=tuple(finding.certified.tolist()),
            influence=finding.influence,
            posterior=None if spread is None else (spread.beats_observed, *spread.interval()),
            verdict=finding.verdict.name.lower(),
        )

    return ToldCertainty(
        sentence=robustness.sentence,
        mechanisms=tuple(mechanism.name for mechanism in robustness.mechanisms),
        classes=tuple(each.value for each in robustness.classes),
        attainable=tuple(robustness.attainable.tolist()),
        findings=tuple(told(finding) for finding in robustness.findings),
    )


def _told(cf: Counterfactual, course: Realization) -> ToldCourse:
    return ToldCourse(
        _named(cf.mdp.states, course.states),
        _named(cf.mdp.actions, course.actions),
        course.outcome,
        course.probability,
    )
