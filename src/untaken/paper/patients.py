"""Figures 5 and 8 of the paper: single patients."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from untaken.analysis import Account, Counterfactual
from untaken.datasets import published_patient
from untaken.paper.findings import Finding, of_patients
from untaken.paper.patient_claims import CHANGES, NAME, claims
from untaken.paper.published_values import PATIENT_EXPLANATIONS, PATIENT_GAIN
from untaken.paper.sections import Cell, Panel, Section, Table, table
from untaken.paper.settings import Settings
from untaken.paper.style import NOT_PUBLIC, PAGE, simulated
from untaken.paper.therapy import DRAWS, MODES, answer_all, ask, instructive, load, process
from untaken.paper.therapy_section import REWARDS, WHY, how_judged
from untaken.present import plots
from untaken.present.words import Words

GAIN_ERROR = 0.5
"""Per cent: rounding, and the error of rows that are estimated from 1,000 draws."""
ROUNDING = 0.05
COUNTED = "the real trial, within the error of 1,000 draws"
WORDS = Words(outcome="outcome", step="session", first_step=0)
PROCESS_NOTICE = "a process fitted to SIMULATED patients: the trial of the paper is not public"
THE_PATIENT = (
    "The episode of the one patient whom the paper shows in full can be read off its figure, but "
    "the process that the other patients speak for cannot. Here it is fitted to {others}."
)


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    trial = load(settings)
    made_up = trial.simulated
    patient = published_patient()
    also = (patient,) if made_up else ()
    answers = tuple(ask(patient, process(trial, mode, also), CHANGES, mode) for mode in MODES)
    everyone = answer_all(trial, process(trial, MODES[0]), CHANGES, settings.threads)
    others = instructive(everyone)
    whose = "the simulated patients and this episode" if made_up else "the real trial"
    theirs, others_are = (PROCESS_NOTICE, NOT_PUBLIC) if made_up else (None, None)
    return Section(
        name=NAME,
        title=f"Single patients (figures 5 and 8){', SIMULATED process' if made_up else ''}",
        text=(THE_PATIENT.format(others=whose), _chosen(others)),
        panels=(
            _panel(
                "published_patient",
                "The published patient (figure 5)",
                answers[0],
                theirs,
                tuple(_findings(answers, made_up)),
            ),
            *(
                _panel(f"patient_{place}", f"Patient {cf.episode.id} (figure 8)", cf, others_are)
                for place, cf in enumerate(others[: 1 if settings.quick else None], start=1)
            ),
        ),
        claims=of_patients(claims(answers[0], others, everyone), made_up),
    )


def _chosen(others: tuple[Counterfactual, ...]) -> str:
    names = ", ".join(str(cf.episode.id) for cf in others)
    return (
        f"Then, with k = {CHANGES}, the patients {names}. The first is the one with the greatest "
        "chance of a worse outcome; others stand at the lower quartile, the median, the upper "
        "quartile and the top of the gains."
    )


def _panel(
    name: str,
    title: str,
    cf: Counterfactual,
    notice: str | None,
    findings: tuple[Finding, ...] = (),
) -> Panel:
    told = cf.account(coverage=0.999, limit=plots.ROWS_SHOWN)
    process_of = f"{notice}; " if notice else ""
    relative = 100 * (cf.relative_gain or 0.0)
    caption = (
        f"At most {CHANGES} changed themes; {process_of}observed outcome {cf.observed:g}, "
        f"expected {cf.outcome:.2f} ({relative:+.1f} %). (a) The exact law of the outcome. (b) How "
        "often each session's theme changes, the observed severity, and that of the best course "
        "that can happen. (c) The most probable explanations: mean, the outcome where the policy "
        "chooses it; forced, the outcome of playing it whatever happens."
    )
    return Panel(
        name,
        title,
        caption,
        partial(patient_page, told, WORDS, notice),
        account_table(told),
        f"{REWARDS}; {MODES[0].name}; ties to {MODES[0].ties}.",
        findings,
    )


def account_table(told: Account) -> Table:
    """All that the three panels show, one number a row."""
    rows: list[tuple[Cell, ...]] = [
        ("law", outcome, chance, "")
        for outcome, chance in zip(told.outcomes, told.probabilities, strict=True)
    ]
    rows += [("changed", step, chance, "") for step, chance in enumerate(told.changed)]
    rows += [("observed", t, s, "") for t, s in enumerate(told.observed.states)]  # type: ignore[misc]
    rows += [("best", t, s, "") for t, s in enumerate(told.best.states)]  # type: ignore[misc]
    for place, item in enumerate(told.explanations):
        changes = "; ".join(str(change) for change in item.changes)
        rows += [
            ("explanation_probability", place, item.probability, changes),
            ("explanation_mean", place, item.mean_outcome, changes),
            ("explanation_forced", place, item.forced_outcome, changes),
        ]
    return table(("panel", "at", "value", "changes"), rows)


def patient_page(told: Account, words: Words, notice: str | None, data: Table) -> Any:
    """The three panels of one patient, with a notice above them where one is needed."""
    from matplotlib.figure import Figure

    del data  # the account holds the same
    rows = min(len(told.explanations), plots.ROWS_SHOWN)
    figure = Figure(figsize=(PAGE, 3.2 + 0.24 * rows), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=[2.2, 0.6 + 0.24 * rows], width_ratios=[1, 1.9])
    axes = [figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1]),
            figure.add_subplot(grid[1, :])]  # fmt: skip
    plots.outcome_law(told, axes[0], words)
    plots.timeline(told, axes[1], words)
    plots.explanation_table(told, axes[2], words)
    for ax, name, left in zip(axes, "abc", (-0.2, 0.0, 0.0), strict=True):
        ax.set_title(name, loc="left", fontweight="bold", x=left)
    simulated(figure, notice is not None, notice or "")
    return figure


def _findings(answers: tuple[Counterfactual, ...], made_up: bool) -> Iterator[Finding]:
    """The gain, and explanations beside those that the paper counts among 1,000 draws."""
    for mode, cf in zip(MODES, answers, strict=True):
        gain, allowed = 100 * (cf.relative_gain or 0.0), None if made_up else GAIN_ERROR
        how = how_judged(mode, made_up, COUNTED)
        yield Finding(
            f"relative gain, k = {CHANGES}", PATIENT_GAIN, gain, allowed, how, "%", reason=WHY
        )
    for mode, cf in zip(MODES, answers, strict=True):
        if cf is answers[0] or cf.outcome != answers[0].outcome:
            yield from _ranked(cf, how_judged(mode, made_up, COUNTED), made_up)


def _ranked(cf: Counterfactual, how: str, made_up: bool) -> Iterator[Finding]:
    """Explanations beside the published ones, the most probable with the most frequent."""
    ours = cf.explanations(coverage=0.999, limit=len(PATIENT_EXPLANATIONS))
    ranked = sorted(PATIENT_EXPLANATIONS, key=lambda theirs: -theirs.share)
    law = cf.outcomes()
    spread = float(np.sqrt(law.probabilities @ (law.outcomes - law.mean) ** 2))
    for place, (theirs, mine) in enumerate(zip(ranked, ours, strict=False), start=1):
        share, what = theirs.share / 100, f"explanation {place} by probability"
        error = 100 * 1.96 * float(np.sqrt(share * (1 - share) / DRAWS)) + ROUNDING
        mean_error = 1.96 * spread / float(np.sqrt(share * DRAWS)) + ROUNDING
        yield Finding(f"{what}: share", theirs.share, 100 * mine.probability,
                      None if made_up else error, how, "%", reason=WHY)  # fmt: skip
        yield Finding(f"{what}: mean outcome", theirs.mean, mine.mean_outcome,
                      None if made_up else mean_error, how, reason=WHY)  # fmt: skip
