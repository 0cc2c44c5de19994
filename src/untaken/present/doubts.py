"""What in an estimate gives reason to doubt every answer that rests on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from untaken.errors import InvalidFile
from untaken.model import Fit
from untaken.model.markov import DOUBT
from untaken.study import Study
from untaken.study.parts import whole_text
from untaken.study.store import Folder

DOUBTS = "doubts.json"


def doubts(fit: Fit) -> Iterator[str]:
    """In whole sentences; none where nothing speaks against the estimate."""
    found = fit.summary()
    held = found.held_out
    if held is not None:
        gain = held.log_likelihood - held.without_actions
        if not gain > 2 * held.standard_error:
            yield (
                "Doubt: on episodes left out of the estimate, the next state is not clearly "
                f"better predicted when the action is known ({gain:+.3f} nats a transition, "
                f"standard error {held.standard_error:.3f}). Differences between actions, and so "
                "all gains, may be chance."
            )
    if found.markov.transitions and found.markov.p_value <= DOUBT:
        yield (
            "Doubt: the state or action before still informs the next state "
            f"(p = {found.markov.p_value:.3g}). The states seem to leave out something that "
            "matters, and every answer takes it that they do not."
        )


def keep_doubts(told: Sequence[str], folder: str) -> None:
    """Write them beside a study, for the pages that are made of it."""
    whole_text(Path(folder) / DOUBTS, json.dumps(list(told)))


def kept_doubts(study: Study) -> list[str]:
    """Those beside a study; else those about the fit that it keeps, if it does."""
    path = study.store.path / DOUBTS if isinstance(study.store, Folder) else None
    if path is None or not path.exists():
        fit = study.store.fit()
        return [] if fit is None else list(doubts(fit))
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidFile(f"{path} is not what was written: {error}") from None
    if not isinstance(told, list) or not all(isinstance(each, str) for each in told):
        raise InvalidFile(f"{path} is not what was written: expected a list of sentences")
    return told
