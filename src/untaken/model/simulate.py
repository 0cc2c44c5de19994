"""Episodes drawn from a process under a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untaken.episodes import Episodes
from untaken.errors import InvalidPolicy, InvalidQuestion
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.kernels.simulate import draw_courses
from untaken.model.mdp import MDP
from untaken.model.policies import Policy, read_policy

NUMBERS_AT_ONCE = 4_000_000
"""How many random numbers are held in memory; the courses do not depend on it."""


def simulate(
    mdp: MDP,
    policy: Policy,
    *,
    episodes: int,
    horizon: int | Sequence[int] | np.ndarray,
    start: Any | None = None,
    initial: Sequence[float] | np.ndarray | None = None,
    seed: int | np.random.Generator = 0,
    stop_at_absorbing: bool = True,
    see_final: bool = True,
) -> Episodes:
    """Draw `episodes` courses of at most `horizon` decisions (one number, or one for each).

    `policy` names an action for each state, or holds probabilities `policy[s, a]` or
    `policy[t, s, a]`. They start in the state `start`, or in a list of states, one for each; or
    are drawn from the probabilities `initial`; by default every state that is not absorbing is as
    likely. With `see_final=False` the state after the last action is left out. The episodes carry
    the rewards of the process; their ids are 0, 1, 2, ...

    >>> import untaken as ut
    >>> mdp = ut.MDP([[[0.5, 0.5]], [[0.0, 1.0]]], [0, 1], states=["ill", "well"], actions=["wait"])
    >>> drawn = ut.simulate(mdp, ["wait", "wait"], episodes=3, horizon=9, start="ill", seed=1)
    >>> [episode.states[-1] for episode in drawn]
    ['well', 'well', 'well']
    """
    rng = np.random.default_rng(seed)
    plan = read_policy(mdp, policy)
    limits = _horizons(horizon, episodes)
    if 1 < len(plan) < limits.max():
        raise InvalidPolicy(
            f"policy[t, s, a] has {len(plan)} steps; a horizon of {limits.max()} needs as many"
        )
    first = _first_states(mdp, episodes, start, initial, stop_at_absorbing, rng)
    courses = _draw(mdp, plan, first, limits, stop_at_absorbing, rng)
    return _gathered(mdp, *courses, see_final)


def _horizons(horizon: int | Sequence[int] | np.ndarray, episodes: int) -> Ints:
    if episodes < 1:
        raise InvalidQuestion(f"expected at least one episode to draw; {episodes} came")
    limits = np.broadcast_to(np.asarray(horizon), (episodes,)) if _fits(horizon, episodes) else None
    if limits is None or limits.dtype.kind not in "iu" or limits.min() < 1:
        raise InvalidQuestion(
            f"the horizon must be a whole number above 0, or {episodes} of them; {horizon!r} came"
        )
    return limits.astype(np.int64)


def _fits(horizon: Any, episodes: int) -> bool:
    return np.shape(horizon) in ((), (episodes,))


def _first_states(
    mdp: MDP,
    episodes: int,
    start: Any | None,
    initial: Sequence[float] | np.ndarray | None,
    stop_at_absorbing: bool,
    rng: np.random.Generator,
) -> Codes:
    if start is not None and initial is not None:
        raise InvalidQuestion("give start= (states) or initial= (probabilities), not both")
    if start is not None:
        given = [start] * episodes if start in mdp.states else _listed(start)
        first = mdp.states.codes(given, "start").astype(np.int32)
        if len(first) != episodes:
            raise InvalidQuestion(
                f"{episodes} episodes need one state, or {episodes}, to start in; {len(first)} came"
            )
    else:
        chances = _initial(mdp, initial)
        first = rng.choice(len(chances), size=episodes, p=chances).astype(np.int32)
    if stop_at_absorbing and mdp.absorbing[first].any():
        state = mdp.states[int(first[mdp.absorbing[first]][0])]
        raise InvalidQuestion(
            f"a course that starts in the absorbing state {state!r} has no decision; "
            "start elsewhere, or give stop_at_absorbing=False"
        )
    return first


def _listed(start: Any) -> list[Any]:
    return list(start) if isinstance(start, (list, tuple, np.ndarray)) else [start]


def _initial(mdp: MDP, initial: Sequence[float] | np.ndarray | None) -> Floats:
    running = ~mdp.absorbing if not mdp.absorbing.all() else np.ones_like(mdp.absorbing)
    chances = np.asarray(running if initial is None else initial, dtype=np.float64)
    if chances.shape != running.shape or not (chances >= 0).all() or not chances.sum() > 0:
        raise InvalidQuestion(
            f"initial must hold a probability for each of the {len(running)} states; "
            f"shape {chances.shape} with sum {chances.sum():g} came"
        )
    if initial is not None and abs(chances.sum() - 1) > 1e-6:
        raise InvalidQuestion(f"initial must sum to 1; it sums to {chances.sum():.9g}")
    return np.asarray(chances / chances.sum())


def _draw(
    mdp: MDP,
    plan: Floats,
    first: Codes,
    limits: Ints,
    stop_at_absorbing: bool,
    rng: np.random.Generator,
) -> tuple[Codes, Codes, Floats, Ints]:
    count, width = len(first), int(limits.max())
    states = np.empty((count, width + 1), dtype=np.int32)
    actions = np.empty((count, width), dtype=np.int32)
    rewards = np.empty((count, width))
    lengths = np.empty(count, dtype=np.int64)
    ends = mdp.absorbing if stop_at_absorbing else np.zeros_like(mdp.absorbing)
    rows = mdp.transitions
    process = rows.offsets, rows.successors, rows.probabilities
    at_once = max(1, NUMBERS_AT_ONCE // (2 * width))
    for begin in range(0, count, at_once):
        part = slice(begin, min(begin + at_once, count))
        uniforms = rng.random((part.stop - begin, width, 2))
        draw_courses(
            *process, mdp.rewards.departure, mdp.rewards.arrival,
            plan, first[part], limits[part], ends, uniforms,
            states[part], actions[part], rewards[part], lengths[part],
        )  # fmt: skip
    return states, actions, rewards, lengths


def _gathered(
    mdp: MDP, states: Codes, actions: Codes, rewards: Floats, lengths: Ints, see_final: bool
) -> Episodes:
    taken = np.arange(actions.shape[1]) < lengths[:, None]
    final = states[np.arange(len(lengths)), lengths] if see_final else np.full(len(lengths), -1)
    return Episodes(
        mdp.states,
        mdp.actions,
        np.concatenate([[0], np.cumsum(lengths)]),
        states[:, :-1][taken],
        actions[taken],
        final.astype(np.int32),
        np.arange(len(lengths)),
        rewards[taken],
    )
