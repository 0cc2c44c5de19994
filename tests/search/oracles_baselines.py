"""The paper's baseline policies, written plainly over a small world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.oracles import World

Chances = Callable[[int, int], dict[int, float]]
"""What is done at a step in a state while changes remain: a probability for each action."""


def random_action(world: World) -> Chances:
    def chances(t, s):
        allowed = world.allowed(t, s)
        return {a: 1 / len(allowed) for a in allowed}

    return chances


def greedy_action(world: World, code: bool = False) -> Chances:
    """By Eq. (greedy-action) of the paper with a' = a_{t+1}; or, if `code`, by the next state's
    reward alone. Ties, to within rounding, go to the observed action, then to the lowest."""

    def score(t, s, a):
        total = 0.0 if code else world.R[s, a]
        if world.moves(t):
            for j, w in enumerate(world.w(t, s, a)):
                if t + 1 == world.T:
                    there = world.final[j]
                else:
                    there = world.R[j, 0 if code else world.actions[t + 1]]
                total += w * (world.arrival[s, a, j] + world.discount * there) if w else 0.0
        return world.sign * total

    def chances(t, s):
        best = world.actions[t]
        others = [a for a in world.allowed(t, s) if a != best]
        top = max((score(t, s, a) for a in others), default=-np.inf)
        if top > score(t, s, best) + 1e-9:
            best = min(a for a in others if score(t, s, a) > top - 1e-9)
        return {best: 1.0}

    return chances


def noisy_action(world: World, nerve: float, greedy: Chances) -> Chances:
    def chances(t, s):
        mixed = {a: nerve * chance for a, chance in greedy(t, s).items()}
        mixed[world.actions[t]] = mixed.get(world.actions[t], 0.0) + 1 - nerve
        return mixed

    return chances


def expected(world: World, chances: Chances, k: int) -> float:
    """The expected outcome, course by course."""

    def go(t, s, left):
        if t == world.T:
            return world.final[s] if world.seen else 0.0
        kept = world.actions[t]
        total = 0.0
        for a, chance in (chances(t, s) if left else {kept: 1.0}).items():
            worth = world.R[s, a]
            if world.moves(t):
                w = world.w(t, s, a)
                worth += sum(
                    w[j]
                    * (world.arrival[s, a, j] + world.discount * go(t + 1, j, left - (a != kept)))
                    for j in np.flatnonzero(w)
                )
            total += chance * worth
        return total

    return go(0, world.states[0], k)
