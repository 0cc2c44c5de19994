"""Policies as people write them, read into probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untaken.errors import InvalidPolicy
from untaken.kernels.layout import Floats
from untaken.model.mdp import MDP

Policy = Sequence[Any] | np.ndarray
"""An action for each state, or probabilities `policy[s, a]`, or `policy[t, s, a]`."""


def read_policy(mdp: MDP, policy: Policy) -> Floats:
    """Probabilities `policy[t, s, a]`, with one step where the policy is the same at all steps.

    >>> read_policy(MDP([[[1.0], [1.0]]], [0], actions=["wait", "treat"]), ["treat"])
    array([[[0., 1.]]])
    """
    shape = mdp.available.shape
    array = policy if isinstance(policy, np.ndarray) else _as_array(policy)
    if isinstance(policy, str) or (array is not None and array.ndim == 0):
        raise InvalidPolicy(
            f"a policy names an action for each of the {shape[0]} states, or holds probabilities; "
            f"{policy!r} came"
        )
    if array is None or array.ndim == 1:
        if len(policy) != shape[0]:
            raise InvalidPolicy(
                f"a policy must name one action for each of the {shape[0]} states; "
                f"{len(policy)} came"
            )
        chosen: Floats = np.eye(shape[1])[mdp.actions.codes(list(policy), "state")]
        return chosen[None]
    try:
        chances = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidPolicy(f"the probabilities of a policy must be numbers: {error}") from None
    if chances.ndim == 2:
        chances = chances[None]
    if chances.ndim != 3 or chances.shape[1:] != shape or len(chances) == 0:
        raise InvalidPolicy(
            f"a policy has the shape {shape} as policy[s, a], or (T, {shape[0]}, {shape[1]}) as "
            f"policy[t, s, a]; {array.shape} came"
        )
    _check_rows(mdp, chances)
    return chances


def _as_array(policy: Sequence[Any]) -> np.ndarray | None:
    try:
        return np.asarray(policy)
    except ValueError:  # labels of unequal shapes
        return None


def _check_rows(mdp: MDP, chances: Floats) -> None:
    sums = chances.sum(axis=2)
    bad = ~((chances >= 0).all(axis=2) & (np.abs(sums - 1) <= 1e-6))  # NaN is bad too
    if bad.any():
        step, state = (int(place) for place in np.argwhere(bad)[0])
        at = f"step {step}, " if len(chances) > 1 else ""
        raise InvalidPolicy(
            f"the policy at {at}state {mdp.states[state]!r} must be probabilities that sum to 1; "
            f"they sum to {sums[step, state]:.6g}, the smallest being "
            f"{chances[step, state].min():.6g} ({int(bad.sum())} such rows in all)"
        )
