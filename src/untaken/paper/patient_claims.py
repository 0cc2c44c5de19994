"""What the paper says in words about single patients, put to the test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from untaken.analysis import Counterfactual
from untaken.paper.findings import Claim
from untaken.paper.published_values import NOTABLE, PATIENT_STEPS

NAME = "patients"
CHANGES = 3
WORSENING = PATIENT_STEPS[0]
"""The step at which the published patient begins to fare worse again."""
SEVERE = 3
NEGLIGIBLE, SMALL = 0.001, 0.25
"""Chances of a worse outcome below which there is none to speak of, or a small one."""


def claims(
    answer: Counterfactual,
    others: Sequence[Counterfactual],
    everyone: Sequence[Counterfactual],
) -> tuple[Claim, ...]:
    """What is said of the published patient, of five others, and of all."""
    return (
        _steps(answer),
        _activation(answer),
        _mostly_better(answer),
        _worsening_avoided(answer),
        _concentrated(others),
        _at_the_ends(others),
        _few_fare_worse(everyone),
        _single_courses(everyone),
    )


def _steps(answer: Counterfactual) -> Claim:
    changed = answer.timeline().changed
    likely = sorted(np.argsort(-changed, kind="stable")[:CHANGES].tolist())
    return Claim(
        "For the published patient, changes are overrepresented at steps 10, 13 and 16.",
        f"the three likeliest steps are "
        f"{', '.join(f'{step} ({changed[step]:.0%})' for step in likely)}.",
        set(likely) == set(PATIENT_STEPS),
        NAME,
    )


def _activation(answer: Counterfactual) -> Claim:
    timeline = answer.timeline()
    at_start = dict(timeline.replacements(WORSENING)).get("BHA", 0.0)
    near = sum(
        dict(timeline.replacements(step)).get("BHA", 0.0)
        for step in (WORSENING - 1, WORSENING, WORSENING + 1)
    )
    return Claim(
        "There, CRT is replaced by BHA at the start of the worsening (step 10).",
        f"BHA at step 10 with probability {at_start:.0%}; at one of the CRT sessions 9 to "
        f"11, {near:.0%} in sum.",
        at_start > 0.5,
        NAME,
    )


def _mostly_better(answer: Counterfactual) -> Claim:
    better = answer.outcomes().better.middle
    return Claim(
        "For the published patient, the outcome is better in most counterfactual courses.",
        f"with probability {better:.0%}.",
        better > 0.5,
        NAME,
    )


def _worsening_avoided(answer: Counterfactual) -> Claim:
    observed, best = (
        sum(int(str(severity)) >= SEVERE for severity in course.states[WORSENING:])
        for course in (answer.episode, answer.best())
    )
    return Claim(
        "In the best course that can happen to this patient, the worsening is mostly avoided.",
        f"from session {WORSENING} on, severity is {SEVERE} or more in {observed} sessions "
        f"as observed, and in {best} of the best course.",
        best < observed / 2,
        NAME,
    )


def _concentrated(others: Sequence[Counterfactual]) -> Claim:
    changed = _changed(others)
    least = min((float(np.sort(one)[-CHANGES:].sum() / one.sum()) for one in changed), default=0.0)
    return Claim(
        "Changes are concentrated in a few steps.",
        f"among {len(changed)} patients the three likeliest steps hold at least {least:.0%} "
        "of all changes. More than half counts as concentrated.",
        least > 0.5 if changed else None,
        NAME,
    )


def _at_the_ends(others: Sequence[Counterfactual]) -> Claim:
    shares = [_outer_share(changed) for changed in _changed(others)]
    outside = sum(share > 2 / 3 for share in shares)
    return Claim(
        "These steps are usually at the beginning or the end.",
        f"for {outside} of {len(shares)} patients the first and the last third of the "
        "sessions hold more of the changes than the two thirds that chance would give them.",
        outside > len(shares) / 2 if shares else None,
        NAME,
    )


def _changed(others: Sequence[Counterfactual]) -> list[np.ndarray]:
    """How often each step changes, for the patients to whom a change brings anything."""
    found = (cf.timeline().changed for cf in others)
    return [changed for changed in found if changed.any()]


def _outer_share(changed: np.ndarray) -> float:
    """How much of the changes falls into the first or the last third."""
    third = len(changed) / 3
    steps = np.arange(len(changed))
    outer = (steps < third) | (steps >= len(changed) - third)
    return float(changed[outer].sum() / changed.sum())


def _few_fare_worse(everyone: Sequence[Counterfactual]) -> Claim:
    risks = np.array([cf.outcomes().worse.middle for cf in everyone])
    some = risks > NEGLIGIBLE
    worst = everyone[int(risks.argmax())].episode.id
    return Claim(
        "Most patients cannot fare worse than observed; a few have a small chance to.",
        f"{some.sum()} of {len(risks)} patients have a chance of more than "
        f"{NEGLIGIBLE:.1%}, at most {risks.max():.1%} (patient {worst}). Less than "
        f"{SMALL:.0%} counts as small.",
        bool(some.any() and some.mean() < 0.5 and risks.max() < SMALL),
        NAME,
    )


def _single_courses(everyone: Sequence[Counterfactual]) -> Claim:
    gains = np.array([100 * (cf.best().outcome / cf.observed - 1) for cf in everyone])
    return Claim(
        f"Single counterfactual courses improve by much more than {NOTABLE} %.",
        f"the best course that can happen improves by {np.median(gains):.0f} % for half of "
        "the patients or more, however improbable it is.",
        bool(np.median(gains) > 2 * NOTABLE),
        NAME,
    )
