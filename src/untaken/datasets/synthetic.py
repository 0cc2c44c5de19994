"""The synthetic decision process of the paper's section 4, with episodes drawn from it.

Every context has one successor of weight 1, picked at random, and all others of weights between 0
and alpha: the larger alpha, the less certain the process.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.episodes import Episodes
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Codes, Floats
from untaken.model import MDP, plan, simulate

OPTIMAL = 0.95
"""How often the observed action is the optimal one."""


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A random process, what would be best in it, and what was done."""

    mdp: MDP
    policy: Codes
    """The optimal policy `[t, s]`, in action codes."""
    episodes: Episodes
    """Courses that follow it with probability 0.95 at each step; the last state is not seen."""


def synthetic(
    alpha: float = 0.4,
    states: int = 20,
    actions: int = 10,
    horizon: int = 20,
    episodes: int = 50,
    seed: int = 0,
) -> Synthetic:
    """Draw a process and its episodes. Being in state s pays s.

    The process depends on the seed, `alpha`, `states` and `actions` only.

    >>> data = synthetic(states=5, actions=3, horizon=4, episodes=2, seed=1)
    >>> data.mdp
    MDP(5 states, 3 actions, 75 transitions)
    >>> data.episodes
    Episodes(2 episodes, 8 decisions, 5 states, 3 actions)
    >>> data.policy.shape
    (4, 5)
    """
    if not 0 <= alpha <= 1:
        raise InvalidQuestion(f"alpha is a share of uncertainty, from 0 to 1; {alpha} came")
    for name, size in (("states", states), ("actions", actions)):
        if size < 1:
            raise InvalidQuestion(f"a process needs at least one of {name}; {size} came")
    process_rng, course_rng = np.random.default_rng(seed).spawn(2)
    mdp = MDP(_rows(alpha, states, actions, process_rng), np.arange(states))
    policy = plan(mdp, horizon).actions
    observed = simulate(
        mdp,
        _mostly(policy, actions),
        episodes=episodes,
        horizon=horizon,
        initial=np.full(states, 1 / states),
        seed=course_rng,
        stop_at_absorbing=False,
        see_final=False,
    )
    return Synthetic(mdp, policy, observed)


def _rows(alpha: float, states: int, actions: int, rng: np.random.Generator) -> Floats:
    weights = rng.uniform(0, alpha, (states, actions, states))
    likely = rng.integers(states, size=(states, actions, 1))
    np.put_along_axis(weights, likely, 1.0, axis=2)
    rows: Floats = weights / weights.sum(axis=2, keepdims=True)
    return rows


def _mostly(policy: Codes, actions: int) -> Floats:
    """`[t, s, a]`: the optimal action, or else one of the others, all of them as likely."""
    if actions == 1:
        return np.ones((*policy.shape, 1))
    chances = np.full((*policy.shape, actions), (1 - OPTIMAL) / (actions - 1))
    np.put_along_axis(chances, policy[:, :, None], OPTIMAL, axis=2)
    return chances
