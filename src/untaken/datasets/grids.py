"""Gymnasium's small worlds on a grid, with episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.episodes import Episodes
from untaken.errors import MissingExtra
from untaken.kernels.layout import Floats
from untaken.model import MDP, plan, read_policy, simulate
from untaken.model.policies import Policy

SOONER = 0.99
"""The discount by which actions are chosen: of two ways to the goal the shorter is better."""


@dataclass(frozen=True, eq=False)
class GridWorld:
    """A process from Gymnasium and courses in it."""

    mdp: MDP
    """Cells by their number, and where a course ends, a copy such as "15 (ended)"."""
    policy: Floats
    """What was done, `policy[t, s, a]`, with one step where it is the same at all."""
    episodes: Episodes
    """Courses under that policy, with the state seen after the last action."""


def frozen_lake(
    episodes: int = 200,
    *,
    policy: Policy | None = None,
    horizon: int = 50,
    slippery: bool = True,
    seed: int | np.random.Generator = 0,
) -> GridWorld:
    """FrozenLake: over the ice to the goal, past the holes. The goal pays 1.

    `policy` names an action for each cell, or holds probabilities `policy[cell, a]`; without it,
    the action that is best, and soonest, is taken in four of five cases and any in the fifth.

    >>> lake = frozen_lake(episodes=3, seed=1)
    >>> lake.mdp.actions.names, lake.mdp.states[-1]
    (('left', 'down', 'right', 'up'), '15 (ended)')
    """
    env = _make("FrozenLake-v1", is_slippery=slippery)
    names = ("left", "down", "right", "up")
    return _world(env, names, policy, episodes, horizon, seed)


def cliff_walking(
    episodes: int = 200,
    *,
    policy: Policy | None = None,
    horizon: int = 100,
    slippery: bool = True,
    seed: int | np.random.Generator = 0,
) -> GridWorld:
    """CliffWalking: along the edge to the goal. A step costs 1, a fall 100. `policy` as for
    `frozen_lake`.

    >>> cliff_walking(episodes=3).mdp.actions.names
    ('up', 'right', 'down', 'left')
    """
    env = _make("CliffWalking-v1", is_slippery=slippery)
    return _world(env, ("up", "right", "down", "left"), policy, episodes, horizon, seed)


def _make(name: str, **options: Any) -> Any:
    try:
        import gymnasium
    except ImportError:
        raise MissingExtra(
            f"{name} comes with gymnasium, which is not installed: pip install gymnasium"
        ) from None
    return gymnasium.make(name, **options)


def _world(
    env: Any,
    names: tuple[str, ...],
    policy: Policy | None,
    episodes: int,
    horizon: int,
    seed: int | np.random.Generator,
) -> GridWorld:
    mdp = MDP.from_gymnasium(env, actions=names)
    cells = len(env.unwrapped.initial_state_distrib)
    copies = len(mdp.states) - cells
    initial = np.append(env.unwrapped.initial_state_distrib, np.zeros(copies))
    env.close()
    if policy is None:
        best = plan(mdp.replace(discount=SOONER), horizon).actions
        chances = np.full((*best.shape, len(names)), 0.2 / len(names))
        np.put_along_axis(chances, best[:, :, None], 0.8 + 0.2 / len(names), axis=2)
    else:
        chances = read_policy(mdp, _for_all(policy, cells, copies))
    drawn = simulate(mdp, chances, episodes=episodes, horizon=horizon, initial=initial, seed=seed)
    return GridWorld(mdp, chances, drawn)


def _for_all(policy: Policy, cells: int, copies: int) -> Policy:
    """A policy over cells says nothing of the ends, where no action matters."""
    if isinstance(policy, Sequence | np.ndarray) and len(policy) == cells:
        return [*policy, *([policy[0]] * copies)]
    return policy
