"""Studies to look at: a plain one with everything, and one whose labels are long, foreign or
hostile."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import untaken as ut
from tests.worlds import random_rows

PLAIN, HOSTILE = ut.Words("well-being", "session", 1), ut.Words("cost of <i>care</i>", "день", 0)
PATIENTS, BUDGET = 24, 4


def plain_study(folder: Path) -> ut.Study:
    """Patients of the simulated trial in two clinics, with all that a page can show."""
    trial = ut.datasets.cbt_trial()
    table = trial.episodes[:PATIENTS].to_frame().df()
    table["clinic"] = np.where(table["episode"].astype(int) % 2, "north", "south")
    episodes = ut.read_episodes(
        table, episode="episode", step="step", state="state", action="action", keep="clinic"
    )
    fit = ut.fit(episodes, ut.neighbour_prior(near=1.0, far=0.01), reward=trial.reward)
    fixed = ut.positional_actions(episodes)
    return ut.explain_all(
        episodes,
        fit,
        BUDGET,
        out=folder,
        detail=True,
        depth=ut.Depth(robust=True, posterior=20),
        pinned=fixed.pinned,
        excluded=fixed.excluded,
        progress=False,
    )


def hostile_study(folder: Path) -> ut.Study:
    """Labels that are markup, costs off any lattice, 25 compound actions, an episode that cannot be
    answered; nothing kept but the answers."""
    rng = np.random.default_rng(1)
    P = random_rows(rng, 30, 25, 30, plain=True)
    states = [f"<script>window.hurt={s}</script>" if s % 2 else f"состояние {s}" for s in range(30)]
    doses = [(f"fluids {i}", f"vasopressors {j} \"'&") for i in range(5) for j in range(5)]
    mdp = ut.MDP(P, rng.random(30), minimise=True, states=states, actions=doses)
    episodes = [
        _course(mdp, P, f"<img src=x onerror=window.hurt=1> 患者 {i}", 12, rng) for i in "abc"
    ]
    episodes.append(_course(mdp, P, "too short", 1, rng))
    return ut.explain_all(episodes, mdp, 2, out=folder, pinned=[3], progress=False)


def many_episodes(folder: Path, count: int = 5000) -> ut.Study:
    """A cohort whose table no page can draw at once."""
    rng = np.random.default_rng(2)
    P = random_rows(rng, 4, 3, 4, plain=True)
    mdp = ut.MDP(P, np.arange(4.0))
    episodes = ut.simulate(mdp, rng.integers(3, size=(4,)), episodes=count, horizon=6, seed=0)
    return ut.explain_all(
        episodes, mdp, 2, out=folder, depth=ut.Depth.FRONTIER, chunk=count, progress=False
    )


def _course(
    mdp: ut.MDP, P: np.ndarray, id: str, steps: int, rng: np.random.Generator
) -> ut.Episode:
    states, actions = [0], rng.integers(25, size=steps)
    for action in actions:
        states.append(int(rng.choice(30, p=P[states[-1], action])))
    return ut.Episode([mdp.states[s] for s in states], [mdp.actions[int(a)] for a in actions], id)
