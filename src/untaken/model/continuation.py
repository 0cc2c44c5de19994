"""What going on would be worth: the value of states in which the observed window closes."""

from __future__ import annotations

import numpy as np

from untaken.errors import InvalidPolicy, InvalidProcess
from untaken.kernels.layout import Flags, Floats
from untaken.model.mdp import MDP
from untaken.model.policies import Policy, read_policy


def continuation(mdp: MDP, policy: Policy) -> Floats:
    """The expected rewards from each state on, under a stated policy and without an end: what to
    give as `final_reward`, so that a counterfactual course which still runs at T has its worth.

    `policy` names an action for each state, or holds probabilities `policy[s, a]`. The value is
    interventional: nothing was observed after T. Absorbing states keep their own `final_reward`.

    >>> import untaken as ut
    >>> P = [[[0.5, 0.3, 0.2]], [[0, 1, 0]], [[0, 0, 1]]]
    >>> mdp = ut.MDP(P, [0, 0, 0], final_reward=[0, 1, 0], states=["ill", "well", "dead"])
    >>> ut.continuation(mdp, [0, 0, 0])
    array([0.6, 1. , 0. ])
    """
    chances = read_policy(mdp, policy)
    if len(chances) > 1:
        raise InvalidPolicy(
            f"what comes after T needs a policy that is the same at all steps; {len(chances)} came"
        )
    chances = chances[0]
    P = np.einsum("sa,saj->sj", chances, mdp.transitions.dense())
    reward = (chances * mdp.rewards.departure).sum(axis=1)
    if mdp.pays_on_arrival:
        expected = mdp.transitions.probabilities * mdp.rewards.arrival
        paid = np.bincount(
            mdp.transitions.context_of_entry(), expected, minlength=mdp.transitions.contexts
        )
        reward += (chances * paid.reshape(chances.shape)).sum(axis=1)
    settled = mdp.absorbing | _without_end(mdp, P, reward)
    value = np.where(mdp.absorbing, mdp.final_reward + _forever(mdp, reward), 0.0)
    going = ~settled
    inside = np.eye(int(going.sum())) - mdp.discount * P[np.ix_(going, going)]
    outside = reward[going] + mdp.discount * P[np.ix_(going, settled)] @ value[settled]
    value[going] = np.linalg.solve(inside, outside)
    return value


def _without_end(mdp: MDP, P: Floats, reward: Floats) -> Flags:
    """States from which this policy never reaches an absorbing state. Without a discount they are
    worth nothing where nothing is paid, and cannot be valued otherwise."""
    if mdp.discount < 1:
        return np.zeros(len(reward), dtype=np.bool_)
    ends = mdp.absorbing.copy()
    for _ in range(len(ends)):
        more = ends | (P[:, ends] > 0).any(axis=1)
        if more.sum() == ends.sum():
            break
        ends = more
    paid_for_ever = ~ends & (reward != 0)
    if paid_for_ever.any():
        state = int(np.argmax(paid_for_ever))
        raise InvalidProcess(
            f"under this policy state {mdp.states[state]!r} never leads to an absorbing state and "
            f"pays {reward[state]:g} a step for ever, which has no finite value; "
            "give the process a discount below 1"
        )
    return ~ends


def _forever(mdp: MDP, reward: Floats) -> Floats:
    """What absorbing states pay while the process stays in them."""
    paid = np.where(mdp.absorbing, reward, 0.0)
    if mdp.discount < 1:
        return paid / (1 - mdp.discount)
    if paid.any():
        state = int(np.argmax(paid != 0))
        raise InvalidProcess(
            f"absorbing state {mdp.states[state]!r} pays {paid[state]:g} a step for ever, which "
            "has no finite value; give it reward 0 and its worth as final_reward, or a discount "
            "below 1"
        )
    return paid
