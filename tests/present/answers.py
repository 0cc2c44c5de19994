"""Answers to show: one with short names, one with long, foreign and hostile ones."""

from __future__ import annotations

import numpy as np

import untaken as ut
from tests.worlds import random_rows


def plain_answer(k: int = 2) -> ut.Counterfactual:
    rng = np.random.default_rng(0)
    P = random_rows(rng, 4, 3, 4, plain=True)
    mdp = ut.MDP(P, np.arange(4.0), actions=["a", "b", "c"])
    states, actions = _course(P, 6, rng)
    return ut.explain(ut.Episode(states, ["abc"[a] for a in actions], id="p7"), mdp, k)


def hostile_answer() -> ut.Counterfactual:
    """25 compound actions, labels that are markup or not Latin, costs, a seen last state."""
    rng = np.random.default_rng(1)
    P = random_rows(rng, 30, 25, 30, plain=True)
    names = [f"<script>alert({s})</script>" if s % 2 else f"состояние {s}" for s in range(30)]
    doses = [(f"fluids {i}", f"vasopressors {j}") for i in range(5) for j in range(5)]
    mdp = ut.MDP(P, rng.random(30).round(2), minimise=True, states=names, actions=doses)
    states, actions = _course(P, 12, rng)
    states.append(int(rng.choice(30, p=P[states[-1], actions[-1]])))
    episode = ut.Episode([names[s] for s in states], [doses[a] for a in actions], id=("<b>", 4))
    return ut.explain(episode, mdp, 3)


def _course(P: np.ndarray, steps: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    states, actions = [0], [int(a) for a in rng.integers(P.shape[1], size=steps)]
    for a in actions[:-1]:
        states.append(int(rng.choice(len(P), p=P[states[-1], a])))
    return states, actions
