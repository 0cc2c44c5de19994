"""What the page tells, as JSON documents: one about the cohort, one about each episode.

Labels are named once, in the document about the cohort; everything else holds codes. Probabilities
are whole numbers of `UNIT`, other numbers have six digits: a page shows fewer, and this packs well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from untaken._version import __version__
from untaken.analysis import Account, Bracket
from untaken.analysis.account import ToldCertainty, ToldCourse, ToldExplanation
from untaken.episodes import Label
from untaken.present.drawn import bars, states_that_occur
from untaken.present.words import CLASSES, Words, named
from untaken.study import Study

UNIT = 10_000
"""A probability of one."""
EXPLANATIONS = 12
"""How many explanations of each budget are listed."""
REPLACEMENTS = 12
"""How many replacements that recur in the cohort are listed."""
GROUPS = 6
"""A kept column with more values than this is no grouping for a figure."""

Document = dict[str, Any]


def cohort_document(study: Study, words: Words, title: str) -> Document:
    """What the page tells of all episodes together, and a row for each of them."""
    mdp, summary = study.mdp, study.summary()
    steps: list[list[Any]] = [[] for _ in range(study.asked.k + 1)]
    for at in summary.steps:
        steps[at.k].append(_short(at.changed))
    replaced: list[list[Any]] = [[] for _ in steps]
    for each in summary.replacements:
        if len(replaced[each.k]) < REPLACEMENTS:
            codes = mdp.actions.code(each.observed), mdp.actions.code(each.alternative)
            replaced[each.k].append([*codes, _short(each.expected), each.episodes])
    return {
        "version": __version__,
        "title": title,
        "words": {
            "outcome": words.outcome,
            "step": words.step,
            "steps": words.steps or f"{words.step}s",
            "first": words.first_step,
        },
        "k": study.asked.k,
        "minimise": study.minimise,
        "mechanism": study.asked.mechanism.name,
        "states": [named(state) for state in mdp.states],
        "actions": [named(action) for action in mdp.actions],
        "frontier": _means(summary.frontier),
        "groups": _groups(study),
        "steps": steps,
        "replacements": replaced,
        "coverage": summary.coverage,
        "rows": _rows(study),
    }


def _groups(study: Study) -> list[Document]:
    """Mean frontiers by each kept column that has few values."""
    found = []
    for column in study.store.manifest.forms.kept:
        by = study.summary(by=column.name).frontier
        groups = [list(rows) for _, rows in groupby(by, key=lambda row: row.group)]
        if 1 < len(groups) <= GROUPS:
            told = [{"name": named(rows[0].group), **_means(rows)} for rows in groups]
            found.append({"by": column.name, "groups": told})
    return found


def _means(rows: Sequence[Any]) -> Document:
    return {
        "mean": [_short(row.mean) for row in rows],
        "lower": [_short(row.lower) for row in rows],
        "upper": [_short(row.upper) for row in rows],
        "episodes": rows[0].episodes,
    }


def _rows(study: Study) -> Document:
    """A column for each thing that is told of every episode, in the order of the cohort."""
    manifest = study.store.manifest
    wanted = "position, episode, steps, observed, error"
    kept = [column.name for column in manifest.forms.kept]
    told = study.episodes.order("position")
    positions, ids, steps, observed, errors = _columns(told.project(wanted).fetchall(), 5)
    values = told.project("kept").fetchall() if kept else []
    width = study.asked.k + 1
    budgets = study.budgets.order("position, k").project(
        "position, outcome, better_lower, better_upper, explanations, censored"
    )
    answered = {rows[0][0]: rows for rows in _by(budgets.fetchall(), width)}
    courses = _courses(study)
    return {
        "position": positions,
        "id": distinct_names([manifest.forms.ids.read(id) for id in ids]),
        "kept": {
            name: [None if row[0][name] is None else str(row[0][name]) for row in values]
            for name in kept
        },
        "steps": steps,
        "observed": [_short(value) for value in observed],
        "states": [courses[position][0] for position in positions],
        "actions": [courses[position][1] for position in positions],
        "outcome": [_budgets(answered.get(p), 1) for p in positions],
        "better": [_chances(answered.get(p)) for p in positions],
        "explanations": [_counts(answered.get(p)) for p in positions],
        "error": errors,
    }


def distinct_names(ids: Sequence[Label]) -> list[str]:
    """Ids as a page shows them; where two would look alike, as they are spelt in JSON."""
    names = [named(id) for id in ids]
    if len(set(names)) == len(names):
        return names
    return [json.dumps(id, ensure_ascii=False) for id in ids]


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _by(rows: list[Any], width: int) -> Iterable[list[Any]]:
    return (rows[start : start + width] for start in range(0, len(rows), width))


def _budgets(rows: list[Any] | None, column: int) -> list[Any] | None:
    return None if rows is None else [_short(row[column]) for row in rows]


def _chances(rows: list[Any] | None) -> list[Any] | None:
    """P(better) for every budget; a pair where it is only known to lie between two."""
    if rows is None or rows[0][2] is None:
        return None
    return [_bracket(Bracket(row[2], row[3])) for row in rows]


def _counts(rows: list[Any] | None) -> list[Any] | None:
    """How many explanations there are; negative where there are more than that."""
    if rows is None or rows[0][4] is None:
        return None
    return [-row[4] if row[5] else row[4] for row in rows]


def _courses(study: Study) -> dict[int, tuple[list[int], list[int]]]:
    """What was observed, in codes, by position."""
    forms, mdp = study.store.manifest.forms, study.mdp
    state = {forms.states.write(name): code for code, name in enumerate(mdp.states)}
    action = {forms.actions.write(name): code for code, name in enumerate(mdp.actions)}
    rows = study.decisions.order("position, step").project("position, state, action").fetchall()
    courses = {}
    for position, decisions in groupby(rows, key=lambda row: row[0]):
        taken = list(decisions)
        courses[position] = (
            [state.get(row[1], -1) for row in taken],
            [action.get(row[2], -1) for row in taken if row[2] is not None],
        )
    return courses


def episode_document(accounts: Sequence[Account]) -> Document:
    """What the page tells of one episode: the answer for every budget, from 0 up."""
    first = accounts[0]
    chances = np.max([np.array(account.state_chances) for account in accounts], axis=0)
    drawn = sorted({code for each in accounts for code in states_that_occur(each, chances)})
    codes = _Codes(first)
    return {
        "observed": _short(first.observed.outcome),
        "states": codes.states(first.observed.states),
        "actions": codes.actions(first.observed.actions),
        "drawn": drawn,
        "frontier": [_short(account.outcome) for account in accounts],
        "budgets": [_answer(account, codes) for account in accounts],
    }


class _Codes:
    """From labels to codes."""

    def __init__(self, account: Account) -> None:
        self._state = {name: code for code, name in enumerate(account.state_names)}
        self._action = {name: code for code, name in enumerate(account.action_names)}

    def states(self, labels: Iterable[Label]) -> list[int]:
        return [self._state[label] for label in labels]

    def actions(self, labels: Iterable[Label]) -> list[int]:
        return [self._action[label] for label in labels]


def _answer(account: Account, codes: _Codes) -> Document:
    """What changes with the budget."""
    drawn = bars(account)
    return {
        "outcome": _short(account.outcome),
        "better": _bracket(account.better),
        "worse": _bracket(account.worse),
        "law": {
            "at": [_short(value) for value in drawn.middles.tolist()],
            "chance": [round(value * UNIT) for value in drawn.heights.tolist()],
            "width": _short(drawn.width),
            "exact": account.exact,
        },
        "changed": [_unit(chance) for chance in account.changed],
        "instead": [
            [
                [code, _unit(chance)]
                for code, (_, chance) in zip(
                    codes.actions(label for label, _ in row), row, strict=True
                )
                if _unit(chance)
            ]
            for row in account.replacements
        ],
        "chances": [_spread(row) for row in account.state_chances],
        "best": _course(account.best, codes),
        "worst": _course(account.worst, codes),
        "explanations": [_explanation(e, codes) for e in account.explanations[:EXPLANATIONS]],
        "listed": _unit(sum(e.probability for e in account.explanations[:EXPLANATIONS])),
        "complete": account.complete and len(account.explanations) <= EXPLANATIONS,
        "certainty": None if account.certainty is None else _certainty(account.certainty),
        "notes": list(account.notes),
    }


def _explanation(told: ToldExplanation, codes: _Codes) -> Document:
    alternatives = codes.actions(change.alternative for change in told.changes)
    return {
        "chance": _unit(told.probability),
        "mean": _short(told.mean_outcome),
        "forced": _short(told.forced_outcome),
        "better": _bracket(told.better),
        "changes": [
            [change.step, code] for change, code in zip(told.changes, alternatives, strict=True)
        ],
        "states": codes.states(told.likely_states),
    }


def _course(course: ToldCourse, codes: _Codes) -> Document:
    return {
        "states": codes.states(course.states),
        "outcome": _short(course.outcome),
        "chance": course.probability and float(f"{course.probability:.3g}"),
    }


def _certainty(told: ToldCertainty) -> Document:
    """How sure the policy's gain is. Stability with monotonicity is left out: the answer's own
    model need not obey it."""
    policy = told.findings[0]
    pairs = zip(told.classes, policy.certified, strict=True)
    posterior = policy.posterior
    return {
        "sentence": told.sentence,
        "mechanisms": [
            [name, _short(gain)] for name, gain in zip(told.mechanisms, policy.gains, strict=True)
        ],
        "classes": [[CLASSES[name], _short(gain)] for name, gain in pairs if name in CLASSES],
        "influence": _unit(policy.influence),
        "posterior": posterior and [_unit(posterior[0]), *map(_short, posterior[1:])],
    }


def _spread(row: Sequence[float]) -> list[int]:
    """The states that are at all likely at one step: code, chance, code, chance."""
    rounded = [round(chance * UNIT) for chance in row]
    return [number for code, chance in enumerate(rounded) if chance for number in (code, chance)]


def _bracket(bracket: Bracket) -> int | list[int]:
    low, high = _unit(bracket.lower), _unit(bracket.upper)
    return low if low == high else [low, high]


def _unit(probability: float) -> int:
    """In whole units; what is possible is at least one of them, and what is not certain is never
    all of them."""
    if 1e-12 < probability < 1 - 1e-12:
        return min(max(round(probability * UNIT), 1), UNIT - 1)
    return round(probability * UNIT)


def _short(value: float | None) -> float | None:
    if value is None:
        return None
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 1e6 else short
