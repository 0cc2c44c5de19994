"""Estimating the process behind episodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from untaken.episodes import Episodes
from untaken.episodes.labels import listed
from untaken.errors import InvalidProcess
from untaken.kernels.layout import Flags, Floats, Ints
from untaken.model.counting import counted, in_vocabulary, reward_sums
from untaken.model.posterior import Fit, Unseen, check_weight
from untaken.model.priors import Prior, read_prior
from untaken.model.reward_tables import LoggedReward, RewardSums, departure_rewards, state_rewards
from untaken.model.rows import frozen


def fit(
    episodes: Episodes,
    prior: Prior | Any,
    reward: Any | None = None,
    *,
    final_reward: Any | None = None,
    states: Iterable[Any] | None = None,
    actions: Iterable[Any] | None = None,
    absorbing: Iterable[Any] = (),
    unseen: Unseen = Unseen.UNAVAILABLE,
    discount: float = 1.0,
    minimise: bool = False,
) -> Fit:
    """Estimate the process behind episodes.

    `prior` is `neighbour_prior()`, `uniform_prior()`, or an array of Dirichlet weights. `reward` is
    a function of the state label, or of state and action; a mapping; an array `R[s]` or `R[s, a]`
    in the order of the labels; a frame; or `LoggedReward()`, which is also what is taken where the
    log carries rewards and nothing is said. `final_reward` is a function, a mapping, an array or a
    frame over states. `states` and `actions` fix the order, and include labels never seen.
    `absorbing` names states that no action leaves. What becomes of contexts never seen, `unseen`
    says.

    >>> import untaken as ut
    >>> treated, waited = ut.Episode([2, 1, 0], ["treat", "treat"]), ut.Episode([2, 2], ["wait"])
    >>> episodes = ut.Episodes.of([treated, waited])
    >>> estimate = ut.fit(episodes, ut.neighbour_prior(), reward=lambda severity: -severity)
    >>> estimate
    Fit(3 states, 2 actions, 3 transitions of 2 episodes)
    >>> estimate.mdp.transitions.row(2, 0).round(3)
    array([0.003, 0.664, 0.332])
    """
    _check_kinds(episodes, unseen)
    if not len(episodes):
        raise InvalidProcess("there are no episodes to estimate a process from")
    recoded = in_vocabulary(episodes, states, actions)
    alpha = read_prior(prior, recoded.states, recoded.actions)
    counts, visits = counted(recoded)
    absorbed = np.zeros(len(recoded.states), dtype=np.bool_)
    absorbed[recoded.states.codes(listed(absorbing, "absorbing state"), "absorbing")] = True
    _check_absorbing(recoded, counts, absorbed)
    fit = Fit(
        recoded,
        alpha,
        frozen(counts),
        frozen(visits),
        _rewards(reward, recoded),
        _final_rewards(final_reward, recoded),
        unseen,
        frozen(absorbed),
        discount,
        minimise,
    )
    check_weight(fit)
    return fit


def _check_kinds(episodes: Any, unseen: Any) -> None:
    if not isinstance(episodes, Episodes):
        raise InvalidProcess(
            f"expected Episodes, from read_episodes() or Episodes.of(); "
            f"{type(episodes).__name__} came"
        )
    if not isinstance(unseen, Unseen):
        known = ", ".join(map(str, Unseen))
        raise InvalidProcess(f"unseen must be one of {known}; {unseen!r} came")


def _check_absorbing(episodes: Episodes, counts: Ints, absorbed: Flags) -> None:
    for state in np.flatnonzero(absorbed).tolist():
        leaves = counts[state].sum() - counts[state, :, state].sum()
        if leaves:
            raise InvalidProcess(
                f"state {episodes.states[state]!r} is said to be absorbing, but episodes leave it "
                f"{int(leaves)} times"
            )


def _rewards(reward: Any | None, episodes: Episodes) -> Floats | RewardSums:
    if reward is not None and not isinstance(reward, LoggedReward):
        return frozen(departure_rewards(reward, episodes.states, episodes.actions, episodes))
    if episodes.rewards is None:
        raise InvalidProcess(
            "the episodes carry no rewards; give reward= as a function of the state, as a table, "
            "or read the log with reward=<its column>"
        )
    return reward_sums(episodes)


def _final_rewards(final_reward: Any | None, episodes: Episodes) -> Floats:
    if final_reward is None:
        return frozen(np.zeros(len(episodes.states)))
    return frozen(state_rewards(final_reward, episodes.states, episodes.names))
