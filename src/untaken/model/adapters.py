"""Processes from other libraries' forms. Nothing of them is imported: their objects are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from untaken.errors import InvalidProcess
from untaken.model.mdp import MDP
from untaken.model.rewards import Rewards
from untaken.model.rows import Rows, read_rows

Successor = tuple[int, bool, float | None]
"""A next state, whether the episode ends there, and the reward, where that tells it apart from
another successor of the same context."""


def from_gymnasium(env: Any, **options: Any) -> MDP:
    """Read `env.unwrapped.P`: for each state and action a list of (probability, next state,
    reward, terminated).

    A terminating entry leads to an absorbing copy of its state, labelled `"5 (ended)"`, which pays
    nothing more. Where one (s, a, s') has entries with different rewards they are different things
    that can happen: all but the first lead to a copy of the state, labelled `"5 (reward -1)"`,
    which goes on exactly as the state itself does.
    """
    table = getattr(getattr(env, "unwrapped", env), "P", None)
    if table is None:
        raise InvalidProcess(
            f"{type(env).__name__} has no transition table at env.unwrapped.P; "
            "only tabular environments can be read"
        )
    states, actions = len(table), len(table[0])
    entries = {(s, a): _distinct(table[s][a]) for s in range(states) for a in range(actions)}
    copies = sorted(
        {key for row in entries.values() for key in row if key[1:] != (False, None)},
        key=lambda key: (key[0], key[1], key[2] is not None, key[2] or 0.0),
    )
    originals: list[Successor] = [(s, False, None) for s in range(states)]
    code = {key: position for position, key in enumerate(originals + copies)}

    offsets, successors, probabilities, arrival = [0], [], [], []
    for origin, (state, ended, _) in enumerate(code):
        for action in range(actions):
            row = {origin: (1.0, 0.0)}  # an ended course stays where it is
            if not ended:
                row = {code[key]: chance for key, chance in entries[state, action].items()}
            for successor in sorted(row):
                successors.append(successor)
                probabilities.append(row[successor][0])
                arrival.append(row[successor][1])
            offsets.append(len(successors))
    rows = Rows(
        np.array(offsets),
        np.array(successors, dtype=np.int32),
        np.array(probabilities),
        states + len(copies),
        actions,
    )
    rewards = Rewards(np.zeros((rows.states, actions)), np.array(arrival))
    names = [*range(states), *(_copy_name(key) for key in copies)]
    return MDP(rows, rewards, **({"states": names} | options))


def _distinct(
    entries: list[tuple[float, int, float, bool]],
) -> dict[Successor, tuple[float, float]]:
    """Probability and reward of each different thing that can happen; equal ones are summed."""
    sums: dict[tuple[int, bool, float], float] = {}
    for probability, successor, reward, terminated in entries:
        if probability > 0:
            key = (int(successor), bool(terminated), float(reward))
            sums[key] = sums.get(key, 0.0) + float(probability)
    first: dict[tuple[int, bool], float] = {}
    distinct: dict[Successor, tuple[float, float]] = {}
    for (successor, terminated, reward), probability in sums.items():
        plain = first.setdefault((successor, terminated), reward) == reward
        distinct[successor, terminated, None if plain else reward] = (probability, reward)
    return distinct


def _copy_name(key: Successor) -> str:
    successor, ended, reward = key
    marks = [*(["ended"] if ended else []), *([] if reward is None else [f"reward {reward:g}"])]
    return f"{successor} ({', '.join(marks)})"


def from_mdptoolbox(transitions: Any, rewards: Any, **options: Any) -> MDP:
    """Read pymdptoolbox's layout: `P[a, s, s']` as one dense array or a list with a matrix for
    each action; rewards as `R[s]`, `R[s, a]`, or `R[a, s, s']` in either form."""
    if _is_list_of_sparse(transitions):
        rows = read_rows(list(transitions))
    else:
        dense = np.asarray(transitions, dtype=np.float64)
        if dense.ndim != 3 or dense.shape[1] != dense.shape[2]:
            raise InvalidProcess(
                f"expected transitions P[a, s, s'] of shape (A, S, S); {dense.shape} came"
            )
        rows = read_rows(dense.transpose(1, 0, 2))
    if _is_list_of_sparse(rewards):
        return MDP(rows, list(rewards), **options)
    paid = np.asarray(rewards, dtype=np.float64)
    return MDP(rows, paid.transpose(1, 0, 2) if paid.ndim == 3 else paid, **options)


def _is_list_of_sparse(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and any(
        hasattr(matrix, "tocsr") for matrix in value
    )
