"""What the page tells of one episode: the answer for every budget, and a choice of the reader's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from untaken.analysis import Account, WhatIf
from untaken.analysis.account import ToldCertainty, ToldCourse, ToldExplanation
from untaken.episodes import Label
from untaken.present.drawn import bars, states_that_occur
from untaken.present.page.numbers import UNIT, bracket, short, spread, unit
from untaken.present.words import CLASSES

EXPLANATIONS = 12
"""How many explanations of each budget are listed."""

Document = dict[str, Any]


def episode_document(accounts: Sequence[Account]) -> Document:
    """What the page tells of one episode: the answer for every budget, from 0 up."""
    first = accounts[0]
    chances = np.max([np.array(account.state_chances) for account in accounts], axis=0)
    drawn = sorted({code for each in accounts for code in states_that_occur(each, chances)})
    codes = _Codes(first)
    return {
        "observed": short(first.observed.outcome),
        "states": codes.states(first.observed.states),
        "actions": codes.actions(first.observed.actions),
        "drawn": drawn,
        "frontier": [short(account.outcome) for account in accounts],
        "budgets": [_answer(account, codes) for account in accounts],
    }


def what_if_document(found: WhatIf) -> Document:
    """The same about a choice of the reader's, as far as it goes."""
    law, timeline, best = found.outcomes(), found.timeline(), found.best()
    action = timeline.action_names.code
    occurs = set(np.flatnonzero(timeline.states.max(axis=0) * UNIT >= UNIT // 50).tolist())
    return {
        "outcome": short(found.outcome),
        "better": bracket(law.better),
        "worse": bracket(law.worse),
        "law": _law(law.outcomes, law.probabilities, law.exact),
        "changes": len(found.changes),
        "changed": [unit(chance) for chance in timeline.changed.tolist()],
        "instead": [
            _instead((action(label), chance) for label, chance in timeline.replacements(step))
            for step in range(len(timeline.observed_actions))
        ],
        "chances": [spread(row) for row in timeline.states.tolist()],
        "drawn": sorted(occurs | set(best.states.tolist())),
        "best": {
            "states": best.states.tolist(),
            "outcome": short(best.outcome),
            "chance": _rare(best.probability),
        },
        "unavailable": unit(found.unavailable),
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

    def action(self, label: Label) -> int:
        return self._action[label]


def _answer(account: Account, codes: _Codes) -> Document:
    """What changes with the budget."""
    listed = account.explanations[:EXPLANATIONS]
    covered = unit(sum(each.probability for each in listed))
    return {
        "outcome": short(account.outcome),
        "better": bracket(account.better),
        "worse": bracket(account.worse),
        "law": _law(account.outcomes, account.probabilities, account.exact),
        "changed": [unit(chance) for chance in account.changed],
        "instead": [
            _instead((codes.action(label), chance) for label, chance in row)
            for row in account.replacements
        ],
        "chances": [spread(row) for row in account.state_chances],
        "best": {"states": codes.states(account.best.states), **_end(account.best)},
        "worst": _end(account.worst),
        "explanations": [_explanation(each, codes) for each in listed],
        "listed": covered,
        "complete": covered == UNIT
        or (account.complete and len(listed) == len(account.explanations)),
        "certainty": None if account.certainty is None else _certainty(account.certainty),
        "notes": list(account.notes),
    }


def _law(outcomes: Any, probabilities: Any, exact: bool) -> Document:
    drawn = bars(outcomes, probabilities)
    return {
        "at": [short(value) for value in drawn.middles.tolist()],
        "chance": [round(value * UNIT) for value in drawn.heights.tolist()],
        "width": short(drawn.width),
        "exact": exact,
    }


def _instead(replacements: Iterable[tuple[int, float]]) -> list[list[int]]:
    """What is done in place of the observed action, where that is at all likely."""
    return [[code, unit(chance)] for code, chance in replacements if unit(chance)]


def _end(course: ToldCourse) -> Document:
    return {"outcome": short(course.outcome), "chance": _rare(course.probability)}


def _rare(probability: float) -> float:
    """A probability that may be far below a unit."""
    return float(f"{probability:.3g}")


def _explanation(told: ToldExplanation, codes: _Codes) -> Document:
    return {
        "chance": unit(told.probability),
        "mean": short(told.mean_outcome),
        "forced": short(told.forced_outcome),
        "better": bracket(told.better),
        "changes": [[change.step, codes.action(change.alternative)] for change in told.changes],
        "states": codes.states(told.likely_states),
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
            [name, short(gain)] for name, gain in zip(told.mechanisms, policy.gains, strict=True)
        ],
        "classes": [[CLASSES[name], short(gain)] for name, gain in pairs if name in CLASSES],
        "influence": unit(policy.influence),
        "posterior": posterior and [unit(posterior[0]), *map(short, posterior[1:])],
    }
