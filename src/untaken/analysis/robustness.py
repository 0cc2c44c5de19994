"""How far an answer's gain depends on the causal model, and on the estimate of the process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from untaken.analysis.change import Change
from untaken.analysis.courses import Courses
from untaken.analysis.credible import Spread, credible
from untaken.analysis.influence import influence
from untaken.kernels.evaluate import policy_utility
from untaken.kernels.layout import Codes, Floats
from untaken.kernels.sequences import forced_utilities
from untaken.mechanism import (
    CausalClass,
    GumbelMax,
    Independent,
    InverseCDF,
    MaximalCoupling,
    Mechanism,
)
from untaken.model import Fit
from untaken.search import Policy, Problem, bound_optimum, bound_policy

MECHANISMS: tuple[Mechanism, ...] = (
    GumbelMax(),
    InverseCDF(),
    MaximalCoupling(),
    Independent(),
)
"""The causal models that are always tried. The inverse CDF counts on the order of the states."""


COMPATIBLE = "compatible with the estimated process, assuming no unmeasured confounding"
"""What qualifies a strong word. Said once in a sentence."""


class Verdict(Enum):
    """How much must be assumed for a gain, from least to most. Stability with monotonicity is no
    step of this ladder, because Gumbel-max need not obey it.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> cf.robustness().policy.verdict.name
    'CERTAIN'
    """

    CERTAIN = f"better on average under every causal model {COMPATIBLE}"
    """`CausalClass.NONE` bounds the gain from below by more than zero."""
    STABLE = f"better on average under every counterfactually stable causal model {COMPATIBLE}"
    """`CausalClass.STABLE` does."""
    STABLE_EVERYWHERE = (
        "better on average under every causal model compatible with the estimated process in which "
        "all outcomes are counterfactually stable, assuming no unmeasured confounding"
    )
    """`CausalClass.STABLE_EVERYWHERE` does."""
    TRIED = (
        "better on average under each of the causal models that were tried, but not certain to be "
        "under every one compatible with the estimated process"
    )
    """The gain is positive under each mechanism of `Robustness.mechanisms`."""
    ASSUMED = "rests on the {mechanism} assumption"
    """The gain is positive under the mechanism of the answer, and not under all of the others."""
    NONE = "no better on average than what was observed, under the {mechanism} assumption"
    """No gain, not even under the mechanism of the answer."""


LADDER = (
    (CausalClass.NONE, Verdict.CERTAIN),
    (CausalClass.STABLE, Verdict.STABLE),
    (CausalClass.STABLE_EVERYWHERE, Verdict.STABLE_EVERYWHERE),
)


@dataclass(frozen=True, eq=False)
class Finding:
    """How sure one alternative is to be better than what was observed.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> finding = ut.explain(episode, mdp, k=2).robustness().policy
    >>> finding.gains.round(3), finding.certified.round(3)
    (array([1.296, 1.296, 1.296, 1.38 ]), array([1.296, 1.296, 1.296, 1.296]))
    """

    changes: tuple[Change, ...] | None
    """What a fixed sequence does differently; None for the policy."""
    gains: Floats
    """The expected gain under each mechanism."""
    certified: Floats
    """The gain that is sure under each class of models; negative where it may be a loss."""
    posterior: Spread | None
    """The outcome over the posterior of the process, where a fit was given."""
    influence: float
    """Which share of the most there is the course leans on the observation, from 0 to 1."""
    verdict: Verdict
    """What must be assumed."""

    def __str__(self) -> str:
        if self.changes is None:
            return "this policy"
        return "; ".join(str(change) for change in self.changes) or "no change"


@dataclass(frozen=True, eq=False)
class Robustness:
    """One finding for the policy, and one for each explanation played whatever happens.

    Each finding has the `gains` under the mechanisms that were tried, the `certified` gain under
    the classes of causal models, the outcome over the `posterior` of the process where a fit was
    given, the `influence` of the observation, and a `verdict`.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> sure = cf.robustness()
    >>> sure.policy.verdict.name
    'CERTAIN'
    >>> [mechanism.name for mechanism in sure.mechanisms]
    ['Gumbel-max', 'inverse-CDF', 'maximal-coupling', 'independent-noise']
    >>> sure.policy.gains.round(3), sure.policy.certified.round(3)
    (array([1.296, 1.296, 1.296, 1.38 ]), array([1.296, 1.296, 1.296, 1.296]))
    """

    assumed: Mechanism
    """The causal model of the answer: the first of those tried."""
    mechanisms: tuple[Mechanism, ...]
    """The causal models tried, in the order of `gains`."""
    classes: tuple[CausalClass, ...]
    """The classes of models, in the order of `certified`."""
    policy: Finding
    """About the policy, which adapts as things turn out."""
    explanations: tuple[Finding, ...]
    """About the most probable sequences, each played whatever happens."""
    attainable: Floats
    """The gain that some policy within the budget is certain to have, for each class."""
    influenced: bool = False
    """Whether the answer was asked to stay influenced. What is `attainable` was not."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, the policy's first."""
        return (self.policy, *self.explanations)

    @property
    def sentence(self) -> str:
        """What can be said of the policy, to be quoted."""
        verdict = self.policy.verdict
        text = f"This policy is {verdict.value}"
        if verdict is Verdict.ASSUMED:
            text = f"That this policy is better on average {verdict.value}"
        text = text.format(mechanism=self.assumed.name)
        return text + self._over_draws() + self._elsewhere() + "."

    def _over_draws(self) -> str:
        """How often it is better over the posterior, and under which causal model."""
        posterior, verdict = self.policy.posterior, self.policy.verdict
        if posterior is None:
            return ""
        draws = len(posterior.outcomes)
        won = round(posterior.beats_observed * draws)
        named = verdict in (Verdict.ASSUMED, Verdict.NONE)
        under = "it" if named else f"the {self.assumed.name} assumption"
        return (
            f"; under {under} this policy's expected outcome beats the observed one in {won} of "
            f"{draws} draws of the process"
        )

    def _elsewhere(self) -> str:
        """The policy that is certain to gain, where this one is not."""
        verdict, gain = self.policy.verdict, float(self.attainable[0])
        if verdict is Verdict.CERTAIN or gain <= 0:
            return ""
        other = "another policy within the budget"
        if self.influenced:
            other += ", of which no influence is asked,"
        every = "causal model " + COMPATIBLE
        if verdict in (Verdict.STABLE, Verdict.STABLE_EVERYWHERE):  # it has been said
            every = "compatible one, stable or not"
        return f"; {other} gains at least {gain:.3g} on average under every {every}"

    def to_frame(self, backend: str | None = None) -> Any:
        """A row for the policy and for each explanation, as a frame of pandas, polars or
        pyarrow."""
        from untaken.analysis.account import tell
        from untaken.present.frames import findings_frame

        return findings_frame(tell(self), backend)

    def __str__(self) -> str:
        head = [mechanism.name for mechanism in self.mechanisms]
        head += [f"sure: {each.value}" for each in self.classes] + ["influence", "P(better)"]
        lines = ["  ".join([*head, "gain of"])]
        for finding in self.findings:
            cells = [f"{value:.4g}" for value in (*finding.gains, *finding.certified)]
            chance = "" if finding.posterior is None else f"{finding.posterior.beats_observed:.1%}"
            cells += [f"{finding.influence:.0%}", chance]
            placed = [cell.rjust(len(title)) for cell, title in zip(cells, head, strict=True)]
            lines.append("  ".join([*placed, str(finding)]))
        return "\n".join([*lines, self.sentence])


def robustness(
    courses: Courses,
    policy: Policy,
    sequences: Codes,
    influenced: bool,
    fit: Fit | None,
    draws: int,
    seed: int | np.random.Generator,
) -> Robustness:
    """Ask how sure a policy and some sequences are to be better than what was observed."""
    problem = courses.problem
    assumed = problem.mechanism
    mechanisms = (assumed, *(each for each in MECHANISMS if each.name != assumed.name))
    classes = tuple(CausalClass)
    plans = [courses, *(courses.forced(actions) for actions in sequences)]
    gains = np.array([_gains(problem, each, policy, sequences) for each in mechanisms]).T
    certified = [
        [
            bound_policy(problem, plan.policy, each, counting=plan.counting).certified[-1]
            for each in classes
        ]
        for plan in plans
    ]
    spreads: Sequence[Spread | None] = [None] * len(plans)
    if fit is not None:
        answer = credible(problem, policy, fit, sequences, draws, seed)
        spreads = [answer.policy, *answer.sequences]
    findings = [
        Finding(
            changes=courses.changes(sequences[i - 1]) if i else None,
            gains=gains[i],
            certified=np.array(certified[i]),
            posterior=spreads[i],
            influence=influence(plans[i]).overall,
            verdict=_verdict(gains[i], certified[i], classes, problem.tie),
        )
        for i in range(len(plans))
    ]
    optima = [bound_optimum(problem, each).at(policy.budget).certified[-1] for each in classes]
    return Robustness(
        assumed,
        mechanisms,
        classes,
        findings[0],
        tuple(findings[1:]),
        np.array(optima),
        influenced,
    )


def _gains(problem: Problem, mechanism: Mechanism, policy: Policy, sequences: Codes) -> Floats:
    """The gain of the policy, then of each sequence, under one mechanism."""
    process, course, worlds = problem.process, problem.course, problem.worlds
    if mechanism != problem.mechanism:
        worlds = mechanism.worlds(problem.mdp, course.states, course.actions)
    of_policy = policy_utility(process, course, worlds, np.ascontiguousarray(policy.actions))[-1]
    of_sequences = forced_utilities(process, course, worlds, sequences)
    observed = problem.sign * problem.observed
    gains: Floats = np.array([of_policy, *of_sequences]) - observed
    return gains


def _verdict(
    gains: Floats, certified: Sequence[float], classes: Sequence[CausalClass], tie: float
) -> Verdict:
    sure = dict(zip(classes, certified, strict=True))
    for each, verdict in LADDER:
        if sure[each] > tie:
            return verdict
    if np.all(gains > tie):
        return Verdict.TRIED
    return Verdict.ASSUMED if gains[0] > tie else Verdict.NONE
