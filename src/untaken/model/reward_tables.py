"""Rewards as people have them: a function of labels, a table, or the log's own column."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.episodes import ColumnNames, Episodes, Label, Labels
from untaken.errors import InvalidProcess, UnknownLabel
from untaken.kernels.layout import Floats


@dataclass(frozen=True)
class LoggedReward:
    """The mean of the log's own rewards in each context. A context that was never seen gets the
    mean of its state, and a state in which nobody ever decided gets the mean of all.

    >>> import untaken as ut
    >>> paid = ut.Episode(["ill", "ill", "well"], ["wait", "treat"], rewards=[-2, -5])
    >>> fit = ut.fit(ut.Episodes.of([paid]), ut.uniform_prior(), reward=ut.LoggedReward())
    >>> fit.mdp.rewards.departure
    array([[-5. , -2. ],
           [-3.5, -3.5]])
    """


@dataclass(frozen=True, eq=False)
class RewardSums:
    """The log's rewards by context: what a mean, and a mean without one episode, are made of."""

    total: Floats
    """The sum of rewards in each context."""
    visits: Floats
    """The number of decisions in each context."""

    def means(self) -> Floats:
        """Mean rewards `R[s, a]`, falling back on those of the state and of the whole log."""
        by_state = self.total.sum(axis=1), self.visits.sum(axis=1)
        overall = self.total.sum() / max(self.visits.sum(), 1)
        of_state = np.where(by_state[1] > 0, by_state[0] / np.maximum(by_state[1], 1), overall)
        own = self.total / np.maximum(self.visits, 1)
        return np.where(self.visits > 0, own, of_state[:, None])


def departure_rewards(reward: Any, states: Labels, actions: Labels, episodes: Episodes) -> Floats:
    """Rewards `R[s, a]` from a function of the state, or of state and action; a mapping from
    states, or from pairs; an array `R[s]` or `R[s, a]`; or a frame."""
    shape = (len(states), len(actions))
    reward = _labelled(reward, states, episodes.names)
    if callable(reward):
        table = _from_function(reward, states, actions)
    elif isinstance(reward, Mapping):
        table = _from_mapping(reward, states, actions)
    else:
        table = _numbers(reward)
        if table.shape == shape[:1]:
            table = np.repeat(table[:, None], shape[1], axis=1)
    if table.shape != shape:
        raise InvalidProcess(
            f"rewards for {shape[0]} states and {shape[1]} actions have the shape ({shape[0]},) or "
            f"{shape}; {table.shape} came"
        )
    return _finite(table, states, "reward")


def state_rewards(reward: Any, states: Labels, names: ColumnNames) -> Floats:
    """One number a state, from a function, a mapping, an array or a frame."""
    reward = _labelled(reward, states, names)
    if callable(reward):
        values = np.array([_call(reward, state) for state in states])
    elif isinstance(reward, Mapping):
        _check_known(reward, lambda key: key in states, "states", states)
        values = np.array([_number(reward, state) for state in states])
    else:
        values = _numbers(reward)
    if values.shape != (len(states),):
        raise InvalidProcess(
            f"final_reward needs one number for each of {len(states)} states; {values.shape} came"
        )
    return _finite(values, states, "final_reward")


def _from_function(reward: Callable[..., Any], states: Labels, actions: Labels) -> Floats:
    if _takes(reward) == 1:
        paid = [[_call(reward, state)] * len(actions) for state in states]
    else:
        paid = [[_call(reward, state, action) for action in actions] for state in states]
    return np.array(paid, dtype=np.float64).reshape(len(states), len(actions))


def _takes(reward: Callable[..., Any]) -> int:
    """How many labels a function needs: the state, or the state and the action."""
    try:
        parameters = inspect.signature(reward).parameters.values()
    except ValueError:  # some built-in functions do not tell
        return 1
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = sum(p.kind in places and p.default is p.empty for p in parameters)
    if needed not in (1, 2):
        raise InvalidProcess(
            f"a reward function takes the state, or the state and the action; {reward!r} needs "
            f"{needed} values"
        )
    return needed


def _call(reward: Callable[..., Any], *labels: Label) -> float:
    try:
        return float(reward(*labels))
    except (TypeError, ValueError, LookupError) as error:
        shown = ", ".join(map(repr, labels))
        raise InvalidProcess(
            f"the reward function gave no number for {shown}: {error}. It is called with labels"
        ) from error


def _from_mapping(reward: Mapping[Any, Any], states: Labels, actions: Labels) -> Floats:
    if all(key in states for key in reward):
        by_state = [_number(reward, state) for state in states]
        return np.repeat(np.array(by_state)[:, None], len(actions), axis=1)

    def is_pair(key: Any) -> bool:
        pair = isinstance(key, tuple) and len(key) == 2
        return pair and key[0] in states and key[1] in actions

    _check_known(reward, is_pair, "states, or pairs of state and action", states)
    paid = [[_number(reward, (s, a)) for a in actions] for s in states]
    return np.array(paid)


def _number(reward: Mapping[Any, Any], key: Label) -> float:
    """What a table says of a key; nan where it says nothing."""
    value = reward.get(key)
    try:
        return np.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise InvalidProcess(f"rewards are numbers; {value!r} came for {key!r}") from None


def _check_known(
    reward: Mapping[Any, Any], known: Callable[[Any], bool], keys: str, states: Labels
) -> None:
    for key in reward:
        if not known(key):
            raise UnknownLabel(
                f"a table of rewards has {keys} as its keys; {key!r} is none. "
                f"The states are {', '.join(map(repr, states[:8]))}"
            )


def _labelled(reward: Any, states: Labels, names: ColumnNames) -> Any:
    """Rewards that carry their labels with them, frames and series, as a mapping; others as they
    are."""
    if hasattr(type(reward), "columns"):
        return _mapping(reward, names)
    if not (hasattr(reward, "index") and hasattr(reward, "to_dict")):
        return reward
    labels = reward.index.tolist()
    numbered = labels == list(range(len(labels)))
    if numbered and not all(label in states for label in labels):
        return reward  # nobody named its entries
    return _unique(labels, reward.tolist())


def _mapping(frame: Any, names: ColumnNames) -> dict[Any, Any]:
    """A frame of rewards: the columns of the state, of the action if there are any, and one more
    that holds the reward."""
    table = _columns(frame)
    keys = [*names.state, *(name for name in names.action if name in table)]
    rest = [name for name in table if name not in keys]
    if len(rest) != 1 or any(name not in table for name in names.state):
        raise InvalidProcess(
            f"a frame of rewards has the columns {', '.join(map(repr, names.state))}, those of the "
            f"action ({', '.join(map(repr, names.action))}) if it matters, and one of rewards; "
            f"{', '.join(map(repr, table))} came"
        )

    def labels(columns: tuple[str, ...]) -> list[Any]:
        parts = [table[name] for name in columns]
        return parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))

    of = labels(names.state)
    if len(keys) > len(names.state):
        of = list(zip(of, labels(names.action), strict=True))
    return _unique(of, table[rest[0]])


def _columns(frame: Any) -> dict[str, list[Any]]:
    """A frame of any kind as lists by name."""
    if hasattr(frame, "fetchall"):  # DuckDB, from which narwhals would need pyarrow
        rows = frame.fetchall()
        return {name: [row[place] for row in rows] for place, name in enumerate(frame.columns)}
    import narwhals as nw  # here, because an answer about one episode needs no frame

    table = nw.from_native(frame)
    eager = table.collect() if isinstance(table, nw.LazyFrame) else table
    return {name: eager[name].to_list() for name in eager.columns}


def _unique(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    table = dict(zip(keys, values, strict=True))
    if len(table) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidProcess(f"a table of rewards names {twice!r} more than once")
    return table


def _numbers(values: Any) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidProcess(
            "rewards are a function of labels, a mapping, an array of numbers, a frame or "
            f"LoggedReward(): {error}"
        ) from None


def _finite(values: Floats, states: Labels, what: str) -> Floats:
    bad = ~np.isfinite(values)
    if bad.any():
        place = np.argwhere(bad)[0]
        raise InvalidProcess(
            f"the {what} of state {states[int(place[0])]!r} is {values[tuple(place)]} or missing "
            f"({int(bad.sum())} such entries); every state needs a finite number"
        )
    return values
