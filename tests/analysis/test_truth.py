"""Do the explanations tell the truth? Courses are simulated with their noise kept; then the same
noise is lived through again under the counterfactual policy, which never saw it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import untaken as ut
from untaken.kernels.layout import Worlds
from untaken.kernels.worlds import TABULATED

EPISODES, HORIZON = 4_000, 7


@dataclass
class Truth:
    """A structural causal model in the open: S' = argmax_j log P[s, a, j] + g_j, one vector of
    Gumbel noise a step."""

    P: np.ndarray
    R: np.ndarray
    arrival: np.ndarray
    final: np.ndarray
    discount: float = 0.95

    def live(self, first: int, act, noise: np.ndarray, seen: bool) -> tuple[list, list, float]:
        """The states and actions of one course, and what it is worth."""
        states, actions, total = [first], [], 0.0
        with np.errstate(divide="ignore"):
            for t, g in enumerate(noise):
                s, a = states[-1], act(t, states[-1])
                actions.append(a)
                total += self.discount**t * self.R[s, a]
                if t < len(noise) - 1 or seen:
                    states.append(int(np.argmax(np.log(self.P[s, a]) + g)))
                    total += self.discount**t * self.arrival[s, a, states[-1]]
        total += self.discount ** len(noise) * self.final[states[-1]] if seen else 0.0
        return states, actions, total


class Counted:
    """A policy that counts its changes down while it is followed."""

    def __init__(self, policy: ut.Policy, observed: list[int]) -> None:
        self.policy, self.observed, self.left = policy, observed, policy.budget

    def __call__(self, t: int, s: int) -> int:
        a = int(self.policy[t, s, self.left])
        self.left -= a != self.observed[t]
        return a


def truth() -> Truth:
    rng = np.random.default_rng(11)
    P = rng.dirichlet(np.full(6, 0.7), size=(6, 3))
    P[rng.random(P.shape) < 0.2] = 0
    P[..., 0] += 0.05
    P /= P.sum(axis=2, keepdims=True)
    R, arrival = rng.normal(size=(6, 3)), rng.normal(size=(6, 3, 6))
    return Truth(P, R, arrival, rng.normal(size=6))


def lived_and_predicted(world: Truth, k: int, seen: bool, mechanism: ut.Mechanism):
    """For each episode: what the policy truly leads to, what it was said to, what was observed."""
    rng = np.random.default_rng(12)
    mdp = ut.MDP(
        world.P,
        ut.Rewards(world.R, world.arrival[world.P > 0]),
        final_reward=world.final,
        discount=world.discount,
    )
    table = []
    for _ in range(EPISODES):
        noise = rng.gumbel(size=(HORIZON, 6))
        chosen = rng.integers(3, size=HORIZON).tolist()
        first = int(rng.integers(6))
        states, actions, observed = world.live(first, lambda t, _s, c=chosen: c[t], noise, seen)
        cf = ut.explain(ut.Episode(states, actions), mdp, k, mechanism=mechanism)
        assert cf.observed == pytest.approx(observed)
        _, _, lived = world.live(first, Counted(cf.policy, actions), noise, seen)
        table.append((lived, cf.outcome, observed))
    return np.array(table).T


def errors_in_standard_errors(lived, predicted, observed) -> tuple[float, float]:
    """By how much predictions are off: on average, and more so for the more fortunate episodes."""
    off = lived - predicted
    leaning = off * (observed - observed.mean())
    return tuple(
        float(abs(sample.mean()) / (sample.std() / np.sqrt(EPISODES))) for sample in (off, leaning)
    )


@pytest.mark.parametrize(("k", "seen"), [(1, True), (3, True), (3, False), (7, True)])
def test_what_was_predicted_is_what_would_have_happened(k, seen):
    lived, predicted, observed = lived_and_predicted(truth(), k, seen, ut.GumbelMax())
    assert max(errors_in_standard_errors(lived, predicted, observed)) <= 5
    gain = lived - observed
    assert gain.mean() > 5 * gain.std() / np.sqrt(EPISODES)


class Independent(ut.Mechanism):
    """A causal model in which one context's noise says nothing about another's."""

    def row(self, p, y, q):  # noqa: ARG002
        return np.asarray(q)

    def worlds(self, mdp, states, actions):  # noqa: ARG002
        return Worlds(TABULATED, np.tile(mdp.transitions.probabilities, (len(states) - 1, 1)))


def test_the_replay_can_tell_a_wrong_causal_model():
    """One that forgets the luck of an episode fails the test above by the fortunate ones."""
    found = lived_and_predicted(truth(), 3, True, Independent())
    assert max(errors_in_standard_errors(*found)) > 5
