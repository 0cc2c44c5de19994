"""Section 5 of the paper and its appendix E as a page shows them: all patients."""

from __future__ import annotations

from collections.abc import Iterator

from untaken.datasets import CbtTrial
from untaken.paper import therapy_figures as figures
from untaken.paper.findings import Claim, Finding
from untaken.paper.published_values import (
    SHARE_ERROR,
    SHARE_GAINING,
    THERAPY_COUNT_ERROR,
    THERAPY_COUNTS,
    THERAPY_OUTCOME_ERROR,
    THERAPY_OUTCOMES,
)
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings
from untaken.paper.therapy import Answers, cohort, load

NAME = "therapy"
READ = "the real trial: within what reading the figure leaves open"
MADE_UP = "not judged: these patients are simulated, in the published shape only"


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    trial = load(settings)
    answers = cohort(trial, settings)
    return Section(
        name=NAME,
        title=f"Therapy (section 5){', SIMULATED patients' if trial.simulated else ''}",
        text=(*about(trial), *_modes()),
        panels=_panels(answers, trial.simulated),
        findings=tuple(finding for one in answers for finding in _findings(one, trial.simulated)),
        claims=_claims(answers[0], trial.simulated),
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


def _panels(answers: tuple[Answers, ...], made_up: bool) -> tuple[Panel, ...]:
    patients = "SIMULATED patients. " if made_up else ""
    return (
        Panel(
            "therapy_gains",
            "Relative gain of each patient (figures 4a and 7)",
            f"{patients}For at most 1, 2, 3 and 5 changed themes; unseen pairs are not chosen.",
            figures.gain_histograms,
            figures.gain_table(answers[0], made_up),
        ),
        Panel(
            "therapy_outcomes",
            "Outcome against budget (figure 4b)",
            f"{patients}Mean outcome of the best policies, with 95 % intervals over patients; the "
            "first two modes all but coincide.",
            figures.outcomes_against_budget,
            figures.outcome_table(answers, made_up),
        ),
        Panel(
            "therapy_explanations",
            "Unique explanations (figure 4c)",
            f"{patients}Distinct explanations among 1,000 draws, in exact expectation.",
            figures.explanations_against_budget,
            figures.count_table(answers, made_up),
        ),
    )


def _findings(answers: Answers, made_up: bool) -> Iterator[Finding]:
    how = f"{MADE_UP if made_up else READ}; {answers.mode.name}"
    for point in THERAPY_OUTCOMES:
        value, allowed = answers.mean(point.k).value, None if made_up else THERAPY_OUTCOME_ERROR
        yield Finding(f"mean outcome, k = {point.k}", point.value, value, allowed, how)
    for point in THERAPY_COUNTS:
        if point.k in answers.counted:
            value, allowed = answers.count(point.k).value, None if made_up else THERAPY_COUNT_ERROR
            yield Finding(f"unique explanations, k = {point.k}", point.value, value, allowed, how)
    share, allowed = answers.share_gaining(3, 3), None if made_up else SHARE_ERROR
    yield Finding("patients who gain 3 % or more, k = 3", SHARE_GAINING, share, allowed, how, "%")


def _claims(answers: Answers, made_up: bool) -> tuple[Claim, ...]:
    patients = "Simulated patients: " if made_up else ""
    start, end = answers.mean(0).value, answers.mean(10).value
    few = [answers.count(k).value for k in answers.counted if k <= 4]
    return (
        Claim(
            "Themes were almost optimal in retrospect: the mean outcome hardly rises with k.",
            f"{patients}from {start:.1f} to {end:.1f}, {100 * (end / start - 1):.1f} % (published: "
            "3.9 %). Less than 5 % counts as hardly.",
            end / start < 1.05,
            NAME,
        ),
        Claim(
            "There are fewer than 10 unique explanations up to k = 4.",
            f"{patients}at most {max(few):.1f} on average.",
            max(few) < 10,
            NAME,
        ),
    )
