"""Sepsis in intensive care: the process that the package `icu-sepsis` estimated from MIMIC-III.

Only its data files are read. Importing the package would import the long unmaintained `gym`, which
prints and warns.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from untaken.episodes import Episodes
from untaken.errors import MissingExtra
from untaken.kernels.layout import Flags, Floats
from untaken.model import MDP, continuation, simulate

IN_CARE = 713
DIED, SURVIVED = 713, 714
DOSES = 5


@dataclass(frozen=True, eq=False)
class IcuSepsis:
    """The process, what clinicians did, and patients."""

    mdp: MDP
    """States in care are named by their number in the package and ordered by how ill patients are;
    "survived" comes first and "died" last. Surviving pays 1 at the end, dying 0, and a patient who
    is still in care the chance to survive under the clinicians' policy."""
    policy: Floats
    """What clinicians do, `policy[s, a]`."""
    initial: Floats
    """How likely each state is on admission."""
    sofa: Floats
    """The mean SOFA score (organ failure, 0 to 24) of each state; nan after care."""
    episodes: Episodes
    """Patients under that policy, with the state seen after the last action."""


def icu_sepsis(
    episodes: int = 1000,
    *,
    horizon: int = 20,
    admissible_only: bool = False,
    seed: int | np.random.Generator = 0,
) -> IcuSepsis:
    """Patients drawn from the ICU-Sepsis process: 713 states in care and two after it, 25 actions
    (five doses of fluids by five of vasopressors).

    Actions that the package calls inadmissible are too rare in its data: their rows are averages
    over the admissible ones. They are not available as alternatives, but clinicians take them in
    about one case in six, as the package has it; with `admissible_only=True` they never do.

    >>> icu = icu_sepsis(episodes=5, seed=0)
    >>> icu.mdp
    MDP(715 states, 25 actions, 1528575 transitions)
    >>> [episode.final_state for episode in icu.episodes]
    ['survived', 'survived', 'survived', 'survived', 'survived']
    """
    files = _files()
    with np.load(files / "dynamics.npz", allow_pickle=False) as arrays:
        dynamics, expert = arrays["tx_mat"], arrays["expert_policy"]
        admission, scores = arrays["d_0"], arrays["sofa_scores"]
    admissible = _admissible(files / "admissible_actions.txt")
    order = np.concatenate([[SURVIVED], np.argsort(scores[:IN_CARE], kind="stable"), [DIED]])
    P = dynamics[np.ix_(order, np.arange(DOSES**2), order)]
    P[[0, -1]] = np.eye(len(order))[[0, -1], None, :]
    policy = _policy(expert[order], admissible[order], admissible_only)
    process = MDP(
        P,
        np.zeros(len(order)),
        final_reward=np.eye(len(order))[0],
        available=admissible[order],
        states=["survived", *map(str, order[1:-1].tolist()), "died"],
        actions=[
            f"fluids {fluids}, vasopressors {vasopressors}"
            for fluids in range(DOSES)
            for vasopressors in range(DOSES)
        ],
    )
    mdp = process.replace(final_reward=continuation(process, policy))
    initial = admission[order] / admission[order].sum()
    sofa = scores[order].astype(np.float64)
    sofa[[0, -1]] = np.nan
    drawn = simulate(mdp, policy, episodes=episodes, horizon=horizon, initial=initial, seed=seed)
    return IcuSepsis(mdp, policy, initial, sofa, drawn)


def _files() -> Path:
    spec = find_spec("icu_sepsis")
    if spec is None or spec.origin is None:
        raise MissingExtra(
            "the ICU-Sepsis process comes with the package icu-sepsis, which is not installed: "
            "pip install 'untaken[icu]'"
        )
    return Path(spec.origin).parent / "envs" / "assets"


def _admissible(path: Path) -> Flags:
    """One line of counts, then one line of action numbers for each state."""
    lines = path.read_text(encoding="utf-8").splitlines()
    states = len(lines[0].split())
    mask = np.zeros((states, DOSES**2), dtype=np.bool_)
    for state, line in enumerate(lines[1 : states + 1]):
        mask[state, [int(number) for number in line.split()]] = True
    return mask


def _policy(expert: Floats, admissible: Flags, admissible_only: bool) -> Floats:
    """The clinicians' policy; after care, where the package has none, anything."""
    chances = np.where(admissible, expert, 0.0) if admissible_only else expert.copy()
    nothing = chances.sum(axis=1) <= 0
    chances[nothing] = admissible[nothing]
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
