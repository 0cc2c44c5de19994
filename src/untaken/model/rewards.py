"""Rewards paid on departure and on arrival, and the door through which they come in.

Arrival rewards stay with the successor: averaged into `R[s, a]` first, the observed course would
no longer be worth what was observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.errors import InvalidProcess
from untaken.kernels.layout import Floats
from untaken.model.rows import Rows, frozen, numbers


@dataclass(frozen=True, eq=False)
class Rewards:
    """What each step pays.

    >>> import untaken as ut
    >>> mdp = ut.MDP([[[0.9, 0.1]], [[0.2, 0.8]]], [[[0, 5]], [[0, 5]]])
    >>> mdp.rewards.departure.ravel(), mdp.rewards.arrival
    (array([0., 0.]), array([0., 5., 0., 5.]))
    >>> mdp.rewards.scale
    5.0
    """

    departure: Floats
    """`R[s, a]`, paid for being in a state and acting."""
    arrival: Floats
    """`R[s, a, s']` for each entry of the rows, paid for where the step leads; empty if none."""

    @property
    def scale(self) -> float:
        """The largest finite reward of a step, by size."""
        return max(_largest(self.departure), _largest(self.arrival))


def read_rewards(rewards: Any, rows: Rows) -> Rewards:
    """Rewards from `R[s]`, `R[s, a]`, `R[s, a, s']` (dense, or sparse in the shapes that
    transitions may have), or `Rewards`."""
    if isinstance(rewards, Rewards):
        read = Rewards(
            *(np.asarray(part, np.float64) for part in (rewards.departure, rewards.arrival))
        )
    elif hasattr(rewards, "tocsr"):
        read = _from_stacked(rewards, rows)
    elif isinstance(rewards, (list, tuple)) and any(hasattr(m, "tocsr") for m in rewards):
        read = _from_each_action(rewards, rows)
    else:
        read = _from_dense(rewards, rows)
    _check(read, rows)
    return Rewards(frozen(read.departure), frozen(read.arrival))


def _from_dense(rewards: Any, rows: Rows) -> Rewards:
    states, actions = rows.states, rows.actions
    dense = numbers(rewards, "rewards").copy()
    if dense.shape == (states,):
        return Rewards(np.repeat(dense[:, None], actions, axis=1), np.empty(0))
    if dense.shape == (states, actions):
        return Rewards(dense, np.empty(0))
    if dense.shape == (states, actions, states):
        flat = dense.reshape(rows.contexts, states)
        return _on_arrival(flat[rows.context_of_entry(), rows.successors], rows)
    raise InvalidProcess(
        f"rewards must have the shape ({states},), ({states}, {actions}) or "
        f"({states}, {actions}, {states}) for {states} states and {actions} actions; "
        f"{dense.shape} came"
    )


def _from_each_action(matrices: Any, rows: Rows) -> Rewards:
    shape = (rows.states, rows.states)
    if len(matrices) != rows.actions or any(getattr(m, "shape", None) != shape for m in matrices):
        raise InvalidProcess(
            f"expected {rows.actions} sparse {shape} matrices of rewards, one for each action; "
            f"{len(matrices)} of shapes {[getattr(m, 'shape', None) for m in matrices[:4]]} came"
        )
    arrival = np.empty(rows.successors.size)
    source, action = np.divmod(rows.context_of_entry(), rows.actions)
    for code, matrix in enumerate(matrices):
        here = action == code
        arrival[here] = _pick(matrix, source[here], rows.successors[here])
    return _on_arrival(arrival, rows)


def _from_stacked(matrix: Any, rows: Rows) -> Rewards:
    if matrix.shape != (rows.contexts, rows.states):
        raise InvalidProcess(
            f"one sparse matrix of rewards over contexts must have the shape "
            f"({rows.contexts}, {rows.states}); {matrix.shape} came"
        )
    return _on_arrival(_pick(matrix, rows.context_of_entry(), rows.successors), rows)


def _pick(matrix: Any, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    return np.asarray(matrix.tocsr()[row, column], dtype=np.float64).ravel()


def _on_arrival(arrival: Floats, rows: Rows) -> Rewards:
    return Rewards(np.zeros((rows.states, rows.actions)), arrival)


def _check(rewards: Rewards, rows: Rows) -> None:
    if np.shape(rewards.departure) != (rows.states, rows.actions):
        raise InvalidProcess(
            f"departure rewards must have the shape ({rows.states}, {rows.actions}); "
            f"{np.shape(rewards.departure)} came"
        )
    if np.isnan(rewards.departure).any() or np.isposinf(rewards.departure).any():
        state, action = np.argwhere(~(rewards.departure < np.inf))[0]
        raise InvalidProcess(
            f"the reward of state {state}, action {action} is {rewards.departure[state, action]}; "
            "rewards are finite numbers"
        )
    if np.isneginf(rewards.departure).any():
        state, action = np.argwhere(np.isneginf(rewards.departure))[0]
        raise InvalidProcess(
            f"the reward of state {state}, action {action} is minus infinity. To forbid an action, "
            "leave rewards finite and give available=; for the paper's convention give "
            "explain(..., rules=Rules(minus_infinity=True)) as well"
        )
    if rewards.arrival.size not in (0, rows.successors.size):
        raise InvalidProcess(
            f"{rows.successors.size} entries of the rows go with as many arrival rewards; "
            f"{rewards.arrival.size} came"
        )
    if not np.isfinite(rewards.arrival).all():
        entry = int(np.argmax(~np.isfinite(rewards.arrival)))
        state, action = divmod(int(rows.context_of_entry()[entry]), rows.actions)
        raise InvalidProcess(
            f"the reward of state {state}, action {action}, next state {rows.successors[entry]} "
            f"is {rewards.arrival[entry]}; rewards are finite numbers"
        )


def _largest(values: Floats) -> float:
    return float(np.abs(values).max()) if values.size else 0.0
