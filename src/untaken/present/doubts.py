"""What in an estimate gives reason to doubt every answer that rests on it."""

from __future__ import annotations

from collections.abc import Iterator

from untaken.model import Fit
from untaken.model.markov import DOUBT


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
