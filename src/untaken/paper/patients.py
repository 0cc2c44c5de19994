"""Figures 5 and 8 of the paper: single patients."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from untaken.analysis import Account, Counterfactual
from untaken.datasets import CbtTrial, published_patient
from untaken.paper.findings import Claim, Finding
from untaken.paper.published_values import PATIENT_EXPLANATIONS, PATIENT_GAIN, PATIENT_STEPS
from untaken.paper.sections import Cell, Panel, Section, Table, table
from untaken.paper.settings import Settings
from untaken.paper.style import NOT_PUBLIC, PAGE, simulated
from untaken.paper.therapy import MODES, ask, instructive, load, process
from untaken.paper.therapy_section import MADE_UP
from untaken.present import plots
from untaken.present.words import Words

NAME = "patients"
CHANGES = 3
WORDS = Words(outcome="outcome", step="session", first_step=0)
PROCESS_NOTICE = "a process fitted to SIMULATED patients: the trial of the paper is not public"
THE_PATIENT = (
    "The course of the one patient whom the paper shows in full can be read off its figure, but "
    "the process that the other patients speak for cannot. Here it is fitted to {others}."
)


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    trial = load(settings)
    mdp = process(trial, MODES[0])
    patient = published_patient()
    also = (patient,) if trial.simulated else ()
    answer = ask(patient, process(trial, MODES[0], also), CHANGES)
    others = instructive(trial, mdp, CHANGES)[: 1 if settings.quick else None]
    whose = "the simulated patients and this course" if trial.simulated else "the real trial"
    made_up = trial.simulated
    theirs, others_are = (PROCESS_NOTICE, NOT_PUBLIC) if made_up else (None, None)
    return Section(
        name=NAME,
        title=f"Single patients (figures 5 and 8){', SIMULATED process' if made_up else ''}",
        text=(THE_PATIENT.format(others=whose), _chosen(others)),
        panels=(
            _panel("published_patient", "The published patient (figure 5)", answer, theirs),
            *(
                _panel(f"patient_{place}", f"Patient {cf.episode.id} (figure 8)", cf, others_are)
                for place, cf in enumerate(others, start=1)
            ),
        ),
        findings=_findings(answer, made_up),
        claims=_claims(answer, others, trial),
    )


def _chosen(others: tuple[Counterfactual, ...]) -> str:
    names = ", ".join(str(cf.episode.id) for cf in others)
    return (
        f"Then, with k = {CHANGES}, the patients {names}. The first is the one with the greatest "
        "chance of a worse outcome; others stand at the lower quartile, the median, the upper "
        "quartile and the top of the gains."
    )


def _panel(name: str, title: str, cf: Counterfactual, notice: str | None) -> Panel:
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
        name, title, caption, partial(patient_page, told, WORDS, notice), account_table(told)
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


def _findings(answer: Counterfactual, made_up: bool) -> tuple[Finding, ...]:
    """The paper counts 1,000 draws, so that its shares have that error; its process is theirs."""
    how = MADE_UP if made_up else "the real trial: within the error of 1,000 draws"
    gain = 100 * (answer.relative_gain or 0.0)
    found = [
        Finding("relative gain, k = 3", PATIENT_GAIN, gain, None if made_up else 0.5, how, "%")
    ]
    ours = answer.explanations(coverage=0.999, limit=len(PATIENT_EXPLANATIONS))
    ranked = sorted(PATIENT_EXPLANATIONS, key=lambda theirs: -theirs.share)
    for place, (theirs, mine) in enumerate(zip(ranked, ours, strict=False), start=1):
        share = theirs.share / 100
        error = 100 * 1.96 * float(np.sqrt(share * (1 - share) / 1000)) + 0.05
        what = f"explanation {place} by probability"
        found += [
            Finding(f"{what}: share", theirs.share, 100 * mine.probability,
                    None if made_up else error, how, "%"),
            Finding(f"{what}: mean outcome", theirs.mean, mine.mean_outcome,
                    None if made_up else 0.5, how),
        ]  # fmt: skip
    return tuple(found)


def _claims(
    answer: Counterfactual, others: tuple[Counterfactual, ...], trial: CbtTrial
) -> tuple[Claim, ...]:
    patients = "Simulated process: " if trial.simulated else ""
    changed = answer.timeline().changed
    likely = np.argsort(-changed, kind="stable")[:3]
    at_start = dict(answer.timeline().replacements(PATIENT_STEPS[0]))
    near = [dict(answer.timeline().replacements(step)) for step in (9, 10, 11)]
    activation = sum(row.get("BHA", 0.0) for row in near)
    risk = [cf.outcomes().worse.middle for cf in others]
    three = [float(np.sort(cf.timeline().changed)[-3:].sum()) for cf in others]
    total = [float(cf.timeline().changed.sum()) for cf in others]
    return (
        Claim(
            "For the published patient, changes are overrepresented at steps 10, 13 and 16.",
            f"{patients}the three likeliest steps are "
            f"{', '.join(f'{step} ({changed[step]:.0%})' for step in sorted(likely))}.",
            set(likely.tolist()) == set(PATIENT_STEPS),
            NAME,
        ),
        Claim(
            "There, CRT is replaced by BHA at the start of the worsening (step 10).",
            f"{patients}BHA at step 10 with probability {at_start.get('BHA', 0.0):.0%}; at one of "
            f"the CRT sessions 9 to 11, {activation:.0%} in sum.",
            at_start.get("BHA", 0.0) > 0.5,
            NAME,
        ),
        Claim(
            "Changes are concentrated in a few steps.",
            f"{patients}among these patients the three likeliest steps hold at least "
            f"{min(a / b for a, b in zip(three, total, strict=True)):.0%} of all changes.",
            min(a / b for a, b in zip(three, total, strict=True)) > 0.5,
            NAME,
        ),
        Claim(
            "For a few patients there is a small chance of a worse outcome.",
            f"{patients}up to {max(risk):.1%} for patient {others[int(np.argmax(risk))].episode.id}"
            ".",
            0 < max(risk) < 0.25,
            NAME,
        ),
    )
