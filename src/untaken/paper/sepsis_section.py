"""Intensive care as a page shows it: the same panels as for therapy, survival as the outcome."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from untaken.analysis import Account
from untaken.analysis.change import Change
from untaken.episodes import Label
from untaken.paper.findings import Claim
from untaken.paper.patients import account_table, patient_page
from untaken.paper.sections import Panel, Section, Table, table
from untaken.paper.sepsis import COUNTED, MOST_CHANGES, SHOWN, Group, Sepsis, run
from untaken.paper.settings import Settings
from untaken.paper.spread import mean_of
from untaken.paper.style import BLUE, INK, SERIES, STYLES, VERMILION, band, letter, sheet
from untaken.present import plots
from untaken.present.words import Words

NAME = "sepsis"
SHOWN_BUDGETS = (1, 2, 3, 5)
DRAWN = "Patients drawn from the ICU-Sepsis process. "
RULES = (
    "1 to who survives, 0 to who dies, and to who is still in care the chance to survive; actions "
    "too rare to be estimated are not chosen; ties to the observed action."
)
WORDS = Words(outcome="chance to survive", step="step")


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    results = run(settings)
    return Section(
        name=NAME,
        title="Intensive care (a second process)",
        text=(
            f"{len(results.everyone.frontiers)} patients drawn from the ICU-Sepsis process, which "
            "was estimated from MIMIC-III by its authors: 715 states, 25 doses of fluids and "
            "vasopressors, at most 20 steps. Real estimates, drawn patients. The outcome is "
            "survival; a patient who is still in care at the end counts the chance to survive "
            "under the clinicians' policy. The paper has no such section, so that nothing is "
            "published to compare with.",
            f"{len(results.died.frontiers)} of them died. Their observed outcome is zero, so that "
            "gains are in percentage points: a relative gain is not defined.",
        ),
        panels=(*_cohort(results), _one(results)),
        claims=_claims(results),
    )


def _cohort(results: Sepsis) -> tuple[Panel, ...]:
    return (
        Panel(
            "sepsis_gains",
            "Survival gained by those who died",
            f"{DRAWN}For at most 1, 2, 3 and 5 changed actions.",
            draw_gains,
            _gain_table(results.died),
            RULES,
        ),
        Panel(
            "sepsis_outcomes",
            "Survival against budget",
            f"{DRAWN}Mean chance to survive, with 95 % intervals over patients.",
            draw_lines,
            _line_table((results.everyone, results.died)),
            RULES,
        ),
        Panel(
            "sepsis_explanations",
            "Unique explanations",
            f"{DRAWN}Distinct explanations among 1,000 draws, in expectation (within 10 %), for "
            f"{len(results.counts)} of those whom a change could have helped.",
            draw_counts,
            _count_table(results),
            RULES,
        ),
        Panel(
            "sepsis_baselines",
            "Optimum and baselines",
            f"{DRAWN}Mean chance to survive, with 95 % intervals over patients, of "
            f"{len(results.compared[0].frontiers)} who died and whom a change could have helped. "
            "Greedy looks one step ahead, where nothing is paid "
            "until the last step.",
            draw_lines,
            _line_table(results.compared),
            RULES,
        ),
    )


def _one(results: Sepsis) -> Panel:
    told = _brief(results.one.account(limit=plots.ROWS_SHOWN))
    return Panel(
        "sepsis_patient",
        "A single patient",
        f"{DRAWN}The one to whom a second and a third change add most: at most {SHOWN} changed "
        f"actions raise the chance to survive from {told.observed.outcome:.0%} to "
        f"{told.outcome:.0%} (one alone to {told.frontier[1]:.0%}). Panels as for the patients of "
        "the trial; F and V are the doses, 0 to 4, of fluids and vasopressors; states are ordered "
        f"by organ failure. The explanations shown make up {told.covered:.0%} of the probability.",
        partial(_page, told),
        account_table(told),
        RULES,
    )


def _brief(told: Account) -> Account:
    """The same with actions that fit into a narrow table."""
    explanations = tuple(
        replace(one, changes=tuple(_brief_change(change) for change in one.changes))
        for one in told.explanations
    )
    observed, best = (
        replace(course, actions=tuple(_dose(action) for action in course.actions))
        for course in (told.observed, told.best)
    )
    return replace(told, explanations=explanations, observed=observed, best=best)


def _brief_change(change: Change) -> Change:
    return Change(change.step, _dose(change.observed), _dose(change.alternative))


def _dose(action: Label) -> str:
    """Doses in brief.

    >>> _dose("fluids 2, vasopressors 0")
    'F2 V0'
    """
    fluids, vasopressors = (dose.rsplit(" ", 1)[1] for dose in str(action).split(", "))
    return f"F{fluids} V{vasopressors}"


def _page(told: Account, data: Table) -> Any:
    """The panels of one patient, and which colour stands for which of so many states."""
    figure = patient_page(told, WORDS, None, data)
    timeline = figure.axes[1]
    bar = figure.colorbar(timeline.images[-1], ax=timeline, fraction=0.03, pad=0.015)
    bar.set_ticks([0, len(told.state_names) - 1], labels=["survived", "died"])
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return figure


def _gain_table(died: Group) -> Table:
    gains = died.gains
    rows = [(p, k, gains[p, k]) for k in SHOWN_BUDGETS for p in range(len(gains))]
    return table(("patient", "k", "gain_points"), rows)


def draw_gains(data: Table) -> Any:
    """How much survival each patient who died would have gained, for four budgets."""
    figure, axes = sheet(2.2, columns=len(SHOWN_BUDGETS), sharey=True, sharex=True)
    gains, budgets = np.array(data.column("gain_points")), np.array(data.column("k"))
    for ax, k, name in zip(axes[0], SHOWN_BUDGETS, "abcd", strict=True):
        shown = gains[budgets == k]
        ax.hist(shown, np.arange(0, 101, 5), color=BLUE, alpha=0.8, linewidth=0)
        ax.axvline(shown.mean(), color=VERMILION, linestyle="--", linewidth=1.0)
        ax.annotate(f"mean {shown.mean():.0f} points", (0.97, 0.97), xycoords="axes fraction",
                    ha="right", va="top", fontsize=7, color=VERMILION)  # fmt: skip
        letter(ax, name)
        ax.set_title(f"k = {k}")
    axes[0, 0].margins(y=0.2)
    axes[0, 0].set_ylabel("patients who died")
    figure.supxlabel("survival gained (percentage points)", fontsize=8)
    return figure


def _line_table(groups: tuple[Group, ...]) -> Table:
    rows = []
    for group in groups:
        for k in range(MOST_CHANGES + 1):
            mean = group.mean(k)
            rows.append((group.name, k, mean.value, mean.lower, mean.upper))
    return table(("who", "k", "mean", "lower95", "upper95"), rows)


def draw_lines(data: Table) -> Any:
    """Mean chances to survive against k, a line for each group or policy."""
    figure, axes = sheet(2.8, width=4.6)
    ax = axes[0, 0]
    for name, colour, style in zip(dict.fromkeys(data.column("who")), SERIES, STYLES, strict=False):
        rows = np.array([row[1:] for row in data.rows if row[0] == name], dtype=np.float64)
        k, mean, lower, upper = rows.T
        ax.plot(k, mean, style, color=colour, label=str(name))
        band(ax, k, lower, upper, colour)
    ax.set_xlim(0, MOST_CHANGES)
    ax.set_ylim(0, 1)
    ax.set_xlabel("changed actions at most, k")
    ax.set_ylabel("mean chance to survive")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4)
    return figure


def _count_table(results: Sepsis) -> Table:
    rows = [
        (patient, k, *counts[place])
        for patient, counts in enumerate(results.counts)
        for place, k in enumerate(COUNTED)
    ]
    return table(("patient", "k", "at_least", "at_most"), rows)


def draw_counts(data: Table) -> Any:
    """Distinct explanations against k: a thin line for each patient, and the mean."""
    figure, axes = sheet(3.0, width=4.6)
    ax = axes[0, 0]
    rows = np.array(data.rows, dtype=np.float64)
    lines = rows[:, 2:].mean(axis=1).reshape(-1, len(COUNTED))
    ax.plot(COUNTED, lines.T, color=BLUE, alpha=0.35, linewidth=0.8)
    ax.plot([], [], color=BLUE, alpha=0.35, linewidth=0.8, label="one patient")
    ax.plot(COUNTED, lines.mean(axis=0), "o-", color=INK, label="mean")
    ax.set_xticks(COUNTED)
    ax.set_ylim(0)
    ax.set_xlabel("changed actions at most, k")
    ax.set_ylabel("distinct explanations among 1,000 draws")
    ax.legend(loc="upper left")
    return figure


def _claims(results: Sepsis) -> tuple[Claim, ...]:
    died, best = results.died, results.compared[0].frontiers.mean(axis=0)
    others = np.array([group.frontiers.mean(axis=0) for group in results.compared[1:]])
    lead = (best - others.max(axis=0))[1:]
    gain = mean_of(died.gains[:, 1])
    few = float((died.gains[:, 1] > 1).mean())
    return (
        Claim(
            "(Ours) For patients who died, one changed action could have mattered.",
            f"Drawn patients: {gain.value:.0f} points of survival on average with k = 1; more than "
            f"one point for {few:.0%} of them.",
            gain.lower > 0,
            NAME,
        ),
        Claim(
            "(Of therapy) The optimal policy outperforms all baselines for every k.",
            f"In intensive care: its least lead, for k from 1, is {100 * lead.min():.1f} points.",
            bool((lead > 0).all()),
            NAME,
        ),
    )
