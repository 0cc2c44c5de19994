"""One observed course of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.episodes.labels import Label, plain
from untaken.errors import InvalidEpisode


@dataclass(frozen=True)
class Episode:
    """One observed realization: states `s_0..s_{T-1}`, actions `a_0..a_{T-1}` and, where it was
    seen, the state `s_T` after the last action. Everything in it is a label.

    >>> import untaken as ut
    >>> episode = ut.Episode(["ill", "ill", "well"], ["wait", "treat"])
    >>> episode.horizon, episode.final_state
    (2, 'well')
    >>> ut.Episode(["ill"], ["wait"]).final_state is None
    True
    """

    states: tuple[Label, ...]
    """The state at each step, and the last state seen if there is one more of them than actions."""
    actions: tuple[Label, ...]
    """The action taken at each step."""
    id: Label | None = None
    """Whose course this is, for messages and tables."""
    rewards: tuple[float, ...] | None = None
    """Rewards that the log carries, one a step: reported beside the model's, never used for it."""

    def __init__(
        self,
        states: Iterable[Any],
        actions: Iterable[Any],
        id: Any | None = None,
        rewards: Iterable[float] | None = None,
    ) -> None:
        fields = {
            "states": _labels(states, "states"),
            "actions": _labels(actions, "actions"),
            "id": plain(id),
            "rewards": _rewards(rewards),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        of = "" if self.id is None else f" of episode {self.id!r}"
        steps = len(self.actions)
        if steps == 0:
            raise InvalidEpisode(f"an episode needs at least one action; the actions{of} are empty")
        if len(self.states) not in (steps, steps + 1):
            raise InvalidEpisode(
                f"{steps} actions{of} go with {steps} states, or with {steps + 1} if the state "
                f"after the last action was seen; {len(self.states)} came"
            )
        if self.rewards is not None and len(self.rewards) != steps:
            raise InvalidEpisode(
                f"{steps} actions{of} go with {steps} rewards; {len(self.rewards)} came"
            )

    @property
    def horizon(self) -> int:
        """The number of decisions, T."""
        return len(self.actions)

    @property
    def final_state(self) -> Label | None:
        """The state after the last action, or None where it was not seen."""
        return self.states[self.horizon] if len(self.states) > self.horizon else None


def _labels(values: Iterable[Any], kind: str) -> tuple[Label, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidEpisode(f"expected a sequence of {kind}; {values!r} came")
    labels = values.tolist() if isinstance(values, np.ndarray) else map(plain, values)
    listed = tuple(labels)
    for step, label in enumerate(listed):
        if label is None or label != label:
            raise InvalidEpisode(f"one of the {kind} is missing: {label!r} at step {step}")
        if not isinstance(label, Hashable):
            raise InvalidEpisode(
                f"{kind} are texts, numbers or tuples of these; {label!r} came at step {step}"
            )
    return listed


def _rewards(values: Iterable[Any] | None) -> tuple[float, ...] | None:
    if values is None:
        return None
    try:
        return tuple(float(reward) for reward in values)
    except (TypeError, ValueError):
        raise InvalidEpisode(f"rewards are numbers, one a step; {values!r} came") from None
