"""The decision process that produced the episodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from untaken.episodes import Episode, Labels
from untaken.errors import ImpossibleTransition, InvalidProcess, UnknownLabel
from untaken.kernels.layout import Codes, Flags, Floats, Process
from untaken.model.rewards import Rewards, read_rewards
from untaken.model.rows import Rows, frozen, numbers, read_rows


@dataclass(frozen=True, eq=False, repr=False, init=False)
class MDP:
    """A finite decision process: rows `P[s, a, s']` and rewards.

    `transitions` is `P[s, a, s']` as a dense array, a list with a sparse (S, S) matrix for each
    action, or one sparse matrix over contexts in the order (state, action). `rewards` is `R[s]` or
    `R[s, a]`, paid on departure, or `R[s, a, s']`, paid on arrival. `final_reward[s]` is paid for
    the state after the last action, where an episode saw it. A reward one step later counts
    `discount` times as much. With `minimise=True` rewards are costs. `available[s, a]` says which
    actions may be chosen; an observed one may be kept all the same. `states` and `actions` are the
    names, 0, 1, 2, ... if none are given.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.0, 1.0]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> mdp
    MDP(2 states, 2 actions, 7 transitions)
    >>> mdp.transitions.row(0, 1)
    array([0.5, 0.5])
    """

    states: Labels
    """The names of the states; their order is the order of codes."""
    actions: Labels
    """The names of the actions."""
    transitions: Rows
    """`P[s, a, s']`, compressed."""
    rewards: Rewards
    """What a step pays, in the user's own sign."""
    final_reward: Floats
    """What the last state pays where an episode saw it."""
    available: Flags
    """Which actions may be chosen in which state."""
    discount: float
    """What a reward one step later is worth."""
    minimise: bool
    """Whether the rewards are costs, of which less is better."""

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        *,
        final_reward: Any | None = None,
        discount: float = 1.0,
        minimise: bool = False,
        available: Any | None = None,
        states: Iterable[Any] | None = None,
        actions: Iterable[Any] | None = None,
    ) -> None:
        """Check a process once, at the door."""
        rows = read_rows(transitions)
        shape = (rows.states, rows.actions)
        self.__dict__.update(
            states=_labels(states, rows.states, "state"),
            actions=_labels(actions, rows.actions, "action"),
            transitions=rows,
            rewards=read_rewards(rewards, rows),
            final_reward=_final(final_reward, rows.states),
            available=_available(available, shape),
            discount=_discount(discount),
            minimise=_flag(minimise, "minimise"),
        )

    def __repr__(self) -> str:
        entries = self.transitions.successors.size
        return f"MDP({len(self.states)} states, {len(self.actions)} actions, {entries} transitions)"

    def replace(self, **changes: Any) -> MDP:
        """The same process with some of the constructor's arguments changed.

        >>> MDP([[[1.0]]], [2.0]).replace(discount=0.9).discount
        0.9
        """
        if "transitions" in changes and "rewards" not in changes and self.rewards.arrival.size:
            raise InvalidProcess(
                "these rewards are paid on arrival, for each entry of the old transitions; "
                "give rewards= together with new transitions"
            )
        mine = {
            name: getattr(self, name)
            for name in (
                "transitions",
                "rewards",
                "final_reward",
                "discount",
                "minimise",
                "available",
                "states",
                "actions",
            )
        }
        return MDP(**(mine | changes))

    @cached_property
    def arrays(self) -> Process:
        """The process as kernels take it: utilities, of which more is better."""
        sign = -1.0 if self.minimise else 1.0
        rows = self.transitions
        return Process(
            rows.offsets,
            rows.successors,
            rows.probabilities,
            sign * self.rewards.departure,
            sign * self.rewards.arrival,
            sign * self.final_reward,
            self.discount,
        )

    @cached_property
    def absorbing(self) -> Flags:
        """Which states no action ever leaves."""
        rows = self.transitions
        source = rows.context_of_entry() // rows.actions
        leaves = np.bincount(source, weights=rows.successors != source, minlength=rows.states) > 0
        return frozen(~leaves)

    @cached_property
    def pays_on_arrival(self) -> bool:
        """Whether any step pays for where it leads."""
        return bool(np.any(self.rewards.arrival != 0))

    def codes(self, episode: Episode) -> tuple[Codes, Codes]:
        """The states and actions of an episode as codes of this process, checked to be possible."""
        of = "" if episode.id is None else f"episode {episode.id!r}, "
        try:
            states = self.states.codes(episode.states, f"{of}step").astype(np.int32)
            actions = self.actions.codes(episode.actions, f"{of}step").astype(np.int32)
        except UnknownLabel as error:
            raise UnknownLabel(f"{error}. Episodes are matched to a process by label") from None
        for step in range(len(states) - 1):
            self._check_step(states, actions, step, of)
        return states, actions

    def _check_step(self, states: Codes, actions: Codes, step: int, of: str) -> None:
        here, action, there = states[step], actions[step], states[step + 1]
        if self.transitions.find(here, action, there) is None:
            raise ImpossibleTransition(
                f"{of}step {step}: the transition from state {self.states[here]!r} under action "
                f"{self.actions[action]!r} to state {self.states[there]!r} has probability zero in "
                "this process, so it cannot have produced the episode. Check the labels, or "
                "estimate the process with a prior that leaves no possible transition out"
            )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the process to one file of arrays and labels."""
        from untaken.model.files import save_mdp

        save_mdp(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MDP:
        """The process that `save` wrote. The file is data and can run no code."""
        from untaken.model.files import load_mdp

        return load_mdp(path)

    @classmethod
    def from_gymnasium(cls, env: Any, **options: Any) -> MDP:
        """The process of a tabular Gymnasium environment, read from `env.unwrapped.P`."""
        from untaken.model.adapters import from_gymnasium

        return from_gymnasium(env, **options)

    @classmethod
    def from_mdptoolbox(cls, transitions: Any, rewards: Any, **options: Any) -> MDP:
        """The process that pymdptoolbox writes as `P[a, s, s']`, with its rewards."""
        from untaken.model.adapters import from_mdptoolbox

        return from_mdptoolbox(transitions, rewards, **options)


def _labels(names: Iterable[Any] | None, size: int, kind: str) -> Labels:
    if names is None:
        return Labels.numbered(size, kind)
    try:
        labels = names if isinstance(names, Labels) else Labels(tuple(names), kind)
    except TypeError as error:
        raise InvalidProcess(
            f"{kind}s must name each {kind} by a text, a number or a tuple of these: {error}"
        ) from None
    if len(labels) != size:
        raise InvalidProcess(
            f"the transitions have {size} {kind}s; {len(labels)} {kind} names came"
        )
    return labels


def _final(final_reward: Any | None, states: int) -> Floats:
    if final_reward is None:
        return frozen(np.zeros(states))
    final = numbers(final_reward, "final_reward").copy()
    if final.shape != (states,) or not np.isfinite(final).all():
        raise InvalidProcess(
            f"final_reward must hold one finite number for each of the {states} states; "
            f"shape {final.shape} came, with {int((~np.isfinite(final)).sum())} not finite"
        )
    return frozen(final)


def _available(available: Any | None, shape: tuple[int, int]) -> Flags:
    if available is None:
        return frozen(np.ones(shape, dtype=np.bool_))
    expected = f"available must be a mask (bool) of shape {shape}, as available[s, a]"
    try:
        mask = np.array(available)
    except ValueError as error:
        raise InvalidProcess(f"{expected}: {error}") from None
    if mask.shape != shape or mask.dtype != np.bool_:
        raise InvalidProcess(f"{expected}; {mask.dtype} of shape {mask.shape} came")
    return frozen(mask)


def _discount(discount: Any) -> float:
    if not isinstance(discount, (int, float, np.number)) or not 0 < discount <= 1:
        raise InvalidProcess(f"the discount must be above 0 and at most 1; {discount!r} came")
    return float(discount)


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidProcess(f"{name} must be True or False; {value!r} came")
    return bool(value)
