"""The question that users ask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from untaken.analysis.counterfactual import Counterfactual
from untaken.analysis.notes import warn
from untaken.episodes import Episode
from untaken.mechanism import Mechanism
from untaken.model import MDP
from untaken.search import InfluenceAtLeast, InfluenceBonus, Rules, pose, solve


def explain(
    episode: Episode,
    mdp: MDP,
    k: int = 3,
    *,
    mechanism: Mechanism | None = None,
    pinned: Iterable[int] = (),
    excluded: Iterable[Any] = (),
    influence: InfluenceAtLeast | InfluenceBonus | None = None,
    rules: Rules | None = None,
) -> Counterfactual:
    """What at most `k` changed actions could have done for this episode.

    `pinned` steps keep their action (negative ones count from the end), `excluded` actions are
    never chosen in place of another. The causal model is `GumbelMax()` unless another is given.
    `influence` keeps the search near what was observed: `InfluenceAtLeast()` or `InfluenceBonus()`.
    `rules` are conventions of the authors' code, for reproduction only. A `HorizonWarning` comes
    where the answer hangs on what happens after the last step, and nothing says what that is worth.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> episode = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"])
    >>> cf = ut.explain(episode, mdp, k=2)
    >>> cf.frontier.round(3)
    array([0.   , 0.988, 1.296])
    """
    problem = pose(
        episode,
        mdp,
        k,
        mechanism=mechanism,
        pinned=pinned,
        excluded=excluded,
        rules=rules,
    )
    warn(problem)
    return Counterfactual(problem, solve(problem, influence), problem.k)
