"""Section 5 of the paper and its appendix E as a page shows them: all patients."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from untaken.datasets import CbtTrial
from untaken.paper import therapy_figures as figures
from untaken.paper.findings import Claim, Finding, of_patients
from untaken.paper.published_values import (
    NOTABLE,
    SHARE_BUDGET,
    SHARE_ERROR,
    SHARE_GAINING,
    SYNTHETIC_COUNTS,
    THERAPY_COUNT_ERROR,
    THERAPY_COUNTS,
    THERAPY_OUTCOME_ERROR,
    THERAPY_OUTCOMES,
)
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings
from untaken.paper.therapy import DRAWS, MODES, MOST_CHANGES, Answers, Mode, cohort, load

NAME = "therapy"
READ = "the real trial, within what reading the figure leaves open"
MADE_UP = "simulated patients"
SOME = "the real trial, of which a quick run counts every eighth patient only"
WHY = "published rows are estimated from 1,000 draws, under one of the three sets of rules only"
REWARDS = "5 minus the severity"
SAME = 1e-9
EVERY_MODE = "; ".join(f"{mode.name}: ties to {mode.ties}" for mode in MODES)


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    trial = load(settings)
    answers = cohort(trial, settings)
    return Section(
        name=NAME,
        title=f"Therapy (section 5){', SIMULATED patients' if trial.simulated else ''}",
        text=(*about(trial), *_modes(), _closest(answers, trial.simulated)),
        panels=_panels(answers, trial.simulated),
        claims=of_patients(_claims(answers[0]), trial.simulated),
    )


def about(trial: CbtTrial) -> tuple[str, ...]:
    """Whose data these are."""
    if not trial.simulated:
        return (f"{trial}.",)
    return (
        f"{trial}. The trial of the paper is not public: its shape and mean outcome are imitated, "
        "nothing here was ever observed, and nothing follows from it about therapy. The published "
        "numbers stand beside what is found, and are not judged by it; give the real file with "
        "--trial to have them judged.",
    )


def _modes() -> tuple[str, ...]:
    return (
        "Rewards are 5 minus the severity. Pairs of severity and theme that no patient shows are "
        "not chosen here; the text gives them minus infinity, which is dearer only where a kept "
        "theme meets an unseen severity. The published code has, besides, a sixth, absorbing "
        "state next to the most severe, takes the first action at ties, and its 1,000 draws miss "
        "rare transitions (dropped here below 1/1,000). All three are shown.",
    )


def _closest(answers: tuple[Answers, ...], made_up: bool) -> str:
    """Which mode the published curves follow, as far as that can be told."""
    if made_up:
        return (
            "Which of the three the published curves follow cannot be told from simulated "
            "patients. The text states the second; the code that was published with it does the "
            "third."
        )
    off = {one.mode.name: _distance(one) for one in answers}
    told = "; ".join(f"{name}, {far:.2f}" for name, far in sorted(off.items(), key=lambda o: o[1]))
    return (
        "Which of the three the published curves follow: mean distance from the published "
        f"outcomes and counts, in units of what reading leaves open, the closest first: {told}."
    )


def _distance(answers: Answers) -> float:
    found = [finding for kind in (_outcomes, _counts) for finding in kind((answers,), False)]
    return float(np.mean([abs(f.difference) / f.allowance for f in found if f.allowance]))


def _panels(answers: tuple[Answers, ...], made_up: bool) -> tuple[Panel, ...]:
    patients = "SIMULATED patients. " if made_up else ""
    return (
        Panel(
            "therapy_gains",
            "Relative gain of each patient (figures 4a and 7)",
            f"{patients}For at most 1, 2, 3 and 5 changed themes. Filled: {MODES[0].name}; "
            f"outlined: {MODES[-1].name}. {_text_mode(answers)}",
            figures.gain_histograms,
            figures.gain_table(answers, made_up),
            f"{REWARDS}; {EVERY_MODE}.",
            tuple(_shares(answers, made_up)),
        ),
        Panel(
            "therapy_outcomes",
            "Outcome against budget (figure 4b)",
            f"{patients}Mean outcome of the best policies, with 95 % intervals over patients. "
            f"{_text_mode(answers)}",
            figures.outcomes_against_budget,
            figures.outcome_table(answers, made_up),
            f"{REWARDS}; {EVERY_MODE}.",
            tuple(_outcomes(answers, made_up)),
        ),
        Panel(
            "therapy_explanations",
            "Unique explanations (figure 4c)",
            f"{patients}Distinct explanations among 1,000 draws, in exact expectation.",
            figures.explanations_against_budget,
            figures.count_table(answers, made_up),
            f"{REWARDS}; {EVERY_MODE}.",
            tuple(_counts(answers, made_up)),
        ),
    )


def _text_mode(answers: tuple[Answers, ...]) -> str:
    """How far the mode of the text is from the first, which it may hide in a figure."""
    apart = float(np.abs(answers[0].frontiers - answers[1].frontiers).max())
    differ = f"differs by more than {apart:.2g}" if apart > SAME else "differs"
    return f"With {MODES[1].name}, no patient's outcome {differ} from that of the first mode."


def how_judged(mode: Mode, made_up: bool, judged_by: str = READ) -> str:
    """Whose patients these are, and by which rules they were solved."""
    return f"{MADE_UP if made_up else judged_by}; {mode.name}, ties to {mode.ties}"


def _outcomes(answers: tuple[Answers, ...], made_up: bool) -> Iterator[Finding]:
    allowed = None if made_up else THERAPY_OUTCOME_ERROR
    for point, one in product(THERAPY_OUTCOMES, answers):
        what, how = f"mean outcome, k = {point.k}", how_judged(one.mode, made_up)
        yield Finding(what, point.value, one.mean(point.k).value, allowed, how, reason=WHY)


def _counts(answers: tuple[Answers, ...], made_up: bool) -> Iterator[Finding]:
    for point, one in product(THERAPY_COUNTS, answers):
        whole = len(one.counts) == len(one.frontiers)
        allowed = THERAPY_COUNT_ERROR if whole and not made_up else None
        what = f"unique explanations, k = {point.k}"
        how = how_judged(one.mode, made_up, READ if whole else SOME)
        yield Finding(what, point.value, one.count(point.k).value, allowed, how, reason=WHY)


def _shares(answers: tuple[Answers, ...], made_up: bool) -> Iterator[Finding]:
    what = f"patients who gain {NOTABLE} % or more, k = {SHARE_BUDGET}"
    for one in answers:
        share, allowed = one.share_gaining(NOTABLE, SHARE_BUDGET), None if made_up else SHARE_ERROR
        how = how_judged(one.mode, made_up)
        yield Finding(what, SHARE_GAINING, share, allowed, how, "%", reason=WHY)


def _claims(answers: Answers) -> tuple[Claim, ...]:
    start, end = answers.mean(0).value, answers.mean(10).value
    few = [answers.count(k).value for k in answers.counted if k <= 4]
    many = answers.count(MOST_CHANGES).value
    synthetic = next(point.value for point in SYNTHETIC_COUNTS if point.at == 0.1)
    return (
        Claim(
            "Most patients would have gained modestly.",
            f"half of them gain no more than {np.median(answers.gains[:, 3]):.1f} % with "
            f"k = 3; {answers.share_gaining(10, 3):.0f} % gain 10 % or more. Less than 5 % counts "
            "as modest.",
            bool(np.median(answers.gains[:, 3]) < 5),
            NAME,
        ),
        Claim(
            "Themes were almost optimal in retrospect: the mean outcome hardly rises with k.",
            f"from {start:.1f} to {end:.1f}, {100 * (end / start - 1):.1f} % (published: "
            "3.9 %). Less than 5 % counts as hardly.",
            end / start < 1.05,
            NAME,
        ),
        Claim(
            "There are fewer than 10 unique explanations up to k = 4.",
            f"at most {max(few):.1f} on average.",
            max(few) < 10,
            NAME,
        ),
        Claim(
            "The number of explanations grows more weakly with k than on synthetic data.",
            f"at k = {MOST_CHANGES} {many:.0f} of {DRAWS:,} draws are distinct "
            f"explanations; on synthetic data {synthetic:.0f} of 100 (published, alpha = 0.1).",
            many / DRAWS < synthetic / 100,
            NAME,
        ),
    )
