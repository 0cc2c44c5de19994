"""What the page tells of the cohort: figures, and a row for each episode."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from untaken._version import __version__
from untaken.analysis import Bracket
from untaken.episodes import Label
from untaken.episodes.naming import quoted
from untaken.present.doubts import kept_doubts
from untaken.present.page.numbers import bracket, short
from untaken.present.words import Words, named
from untaken.study import CohortSummary, Study

REPLACEMENTS = 12
"""How many replacements that recur in the cohort are listed."""
GROUPS = 6
"""A kept column with more values than this is no grouping for a figure."""

Document = dict[str, Any]


def cohort_document(study: Study, words: Words, title: str, redact: bool = False) -> Document:
    """What the page tells of all episodes together, and a row for each of them. Labels are named
    here once; everything else holds codes."""
    mdp, summary = study.mdp, study.summary()
    return {
        "version": __version__,
        "title": title,
        "words": {
            "outcome": words.outcome,
            "step": words.step,
            "steps": words.plural,
            "first": words.first_step,
        },
        "k": study.asked.k,
        "minimise": study.minimise,
        "mechanism": study.asked.mechanism.name,
        "doubts": kept_doubts(study),
        "total": study.total,
        "states": [named(state) for state in mdp.states],
        "actions": [named(action) for action in mdp.actions],
        "frontier": _means(summary.frontier),
        "groups": _groups(study),
        "steps": _steps(summary, study.asked.k),
        "replacements": _replacements(summary, study),
        "coverage": summary.coverage,
        "rows": _rows(study, redact),
    }


def _means(rows: Sequence[Any]) -> Document:
    return {
        "mean": [short(row.mean) for row in rows],
        "lower": [short(row.lower) for row in rows],
        "upper": [short(row.upper) for row in rows],
        "episodes": rows[0].episodes,
    }


def _groups(study: Study) -> list[Document]:
    """Mean frontiers by each kept column that has few values."""
    found = []
    for column in study.store.manifest.forms.kept:
        ((values,),) = study.episodes.aggregate(
            f"count(DISTINCT kept.{quoted(column.name)})"
        ).fetchall()
        if values > GROUPS:
            continue
        by = study.summary(by=column.name).frontier
        groups = [list(rows) for _, rows in groupby(by, key=lambda row: row.group)]
        if 1 < len(groups) <= GROUPS:
            told = [{"name": _group_name(rows[0].group), **_means(rows)} for rows in groups]
            found.append({"by": column.name, "groups": told})
    return found


def _group_name(value: Label) -> str:
    return "none given" if value is None else named(value)


def _steps(summary: CohortSummary, k: int) -> list[list[Any]]:
    """How often each step is changed, for every budget."""
    steps: list[list[Any]] = [[] for _ in range(k + 1)]
    for at in summary.steps:
        steps[at.k].append(short(at.changed))
    return steps


def _replacements(summary: CohortSummary, study: Study) -> list[list[Any]]:
    """Which actions stand in for which, for every budget, the most common first."""
    actions = study.mdp.actions
    replaced: list[list[Any]] = [[] for _ in range(study.asked.k + 1)]
    for each in summary.replacements:
        if len(replaced[each.k]) < REPLACEMENTS:
            codes = actions.code(each.observed), actions.code(each.alternative)
            replaced[each.k].append([*codes, short(each.expected), each.episodes])
    return replaced


def _rows(study: Study, redact: bool) -> Document:
    """A column for each thing that is told of every episode, in the order of the cohort."""
    forms = study.store.manifest.forms
    wanted = "position, episode, steps, observed, error"
    kept = [column.name for column in forms.kept]
    told = study.episodes.order("position")
    positions, ids, steps, observed, errors = _columns(told.project(wanted).fetchall(), 5)
    values = told.project("kept").fetchall() if kept else []
    answered = _answers(study)
    courses = _courses(study)
    return {
        "position": positions,
        "id": [f"episode {position + 1}" for position in positions]
        if redact
        else distinct_names([forms.ids.read(id) for id in ids]),
        "names": kept,
        "kept": {
            name: [None if row[0][name] is None else str(row[0][name]) for row in values]
            for name in kept
        },
        "steps": steps,
        "observed": [short(value) for value in observed],
        "states": [courses[position][0] for position in positions],
        "actions": [courses[position][1] for position in positions],
        "outcome": [_outcomes(answered.get(p)) for p in positions],
        "better": [_chances(answered.get(p)) for p in positions],
        "explanations": [_counts(answered.get(p)) for p in positions],
        "error": [_without_id(error, redact) for error in errors],
    }


def _without_id(error: str | None, redact: bool) -> str | None:
    """Why there is no answer; only the kind of reason where the words may tell whose it is."""
    return error.partition(":")[0] if error and redact else error


def distinct_names(ids: Sequence[Label]) -> list[str]:
    """Ids as a page shows them; where two would look alike, as they are spelt in JSON.

    >>> distinct_names(["a", "b"]), distinct_names([1, "1"])
    (['a', 'b'], ['1', '"1"'])
    """
    names = [named(id) for id in ids]
    if len(set(names)) == len(names):
        return names
    return [json.dumps(id, ensure_ascii=False) for id in ids]


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _answers(study: Study) -> dict[int, list[Any]]:
    """The rows of all budgets, by position."""
    budgets = study.budgets.order("position, k").project(
        "position, outcome, better_lower, better_upper, explanations, censored"
    )
    found = groupby(budgets.fetchall(), key=lambda row: row[0])
    return {position: list(rows) for position, rows in found}


def _outcomes(rows: list[Any] | None) -> list[Any] | None:
    return None if rows is None else [short(row[1]) for row in rows]


def _chances(rows: list[Any] | None) -> list[Any] | None:
    """P(better) for every budget; a pair where it is only known to lie between two."""
    if rows is None or rows[0][2] is None:
        return None
    return [bracket(Bracket(row[2], row[3])) for row in rows]


def _counts(rows: list[Any] | None) -> list[Any] | None:
    """How many explanations there are; negative where there are more than that."""
    if rows is None or rows[0][4] is None:
        return None
    return [-row[4] if row[5] else row[4] for row in rows]


def _courses(study: Study) -> dict[int, tuple[list[int], list[int]]]:
    """What was observed, in codes, by position; -1 for what the process does not know."""
    forms, mdp = study.store.manifest.forms, study.mdp
    state = _codes(forms.states.write, mdp.states)
    action = _codes(forms.actions.write, mdp.actions)
    rows = study.decisions.order("position, step").project("position, state, action").fetchall()
    courses = {}
    for position, decisions in groupby(rows, key=lambda row: row[0]):
        taken = list(decisions)
        courses[position] = (
            [state.get(row[1], -1) for row in taken],
            [action.get(row[2], -1) for row in taken if row[2] is not None],
        )
    return courses


def _codes(write: Any, labels: Iterable[Label]) -> dict[Any, int]:
    return {write(label): code for code, label in enumerate(labels)}
