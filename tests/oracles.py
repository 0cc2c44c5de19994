"""Slow, obvious twins of every fast path. Nothing here calls a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from untaken import MDP, Episode, Rewards

# --- counterfactual rows ---------------------------------------------------------------------


def gumbel_max_row(p: Sequence, y: int, q: Sequence) -> list:
    """The row as the integral w_j = q_j * int S(u)^2 du over (sigma_j, sigma_y), interval by
    interval. Works on floats and, without any rounding, on fractions."""
    states = range(len(q))
    one = type(p[0])(1)
    infinite = q[y] == 0
    sigma = {j: p[j] / q[j] for j in states if q[j] > 0}
    rivals = [j for j in sigma if j != y and (infinite or sigma[j] < sigma[y])]
    cuts = sorted({sigma[j] for j in rivals} | (set() if infinite else {sigma[y]}))

    def H(u):
        return sum((q[i] * (u - sigma[i]) for i in rivals if sigma[i] < u), start=0 * one)

    w = [0 * one for _ in states]
    for j in rivals:
        for low, high in pairwise(cuts):
            if low >= sigma[j]:  # on an interval H is linear, so S^2 integrates to
                w[j] += q[j] * (high - low) / ((one + H(low)) * (one + H(high)))
        if infinite:  # beyond the last cut H grows at the rate Q for ever
            Q = sum(q[i] for i in rivals)
            w[j] += q[j] / (Q * (one + H(cuts[-1])))
    if not infinite:
        w[y] = one / (one + H(sigma[y]))
    return w


def rejection_sampled_row(p, y, q, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Draw Gumbel noise until it has produced y often enough, and look what it does under q."""
    counts, accepted = np.zeros(len(q)), 0
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log(q)
    while accepted < draws:
        noise = rng.gumbel(size=(4 * draws, len(p)))
        noise = noise[np.argmax(log_p + noise, axis=1) == y]
        counts += np.bincount(np.argmax(log_q + noise, axis=1), minlength=len(q))
        accepted += len(noise)
    return counts / accepted, accepted


# --- the paper's procedure, as it is described -----------------------------------------------


def monte_carlo_transitions(P, states, actions, d: int, rng: np.random.Generator) -> np.ndarray:
    """P_tau[t, s, a, s'] from d draws of the noise a step: a loop over steps, draws, contexts."""
    n, m, _ = P.shape
    with np.errstate(divide="ignore"):
        log_P = np.log(P)
    P_tau = np.zeros((len(states) - 1, n, m, n))
    for t in range(len(states) - 1):
        for _ in range(d):
            noise = posterior_gumbels(P[states[t], actions[t]], states[t + 1], rng)
            for s in range(n):
                for a in range(m):
                    P_tau[t, s, a, np.argmax(log_P[s, a] + noise)] += 1 / d
    return P_tau


def posterior_gumbels(p, y: int, rng: np.random.Generator) -> np.ndarray:
    """Top-down: the maximum first, then the others truncated below it."""
    top = rng.gumbel()
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    noise = np.empty(len(p))
    for i in range(len(p)):
        if i == y:
            noise[i] = top - log_p[i]
        elif np.isneginf(log_p[i]):
            noise[i] = rng.gumbel()
        else:
            free = rng.gumbel() + log_p[i]
            noise[i] = -np.log(np.exp(-top) + np.exp(-free)) - log_p[i]
    return noise


def paper_search(P_tau, R, actions, k: int) -> np.ndarray:
    """Algorithm 1 of the paper, loop for loop; h[s, r, c] with r steps to go."""
    T, (n, m) = len(actions), R.shape
    h = np.zeros((n, T + 1, k + 1))
    for r in range(1, T + 1):
        t = T - r
        moves = r > 1  # the last state is not seen
        for c in range(k + 1):
            for s in range(n):
                best = R[s, actions[t]]
                if moves:
                    best += P_tau[t, s, actions[t]] @ h[:, r - 1, c]
                for a in range(m):
                    if c > 0 and a != actions[t]:
                        value = R[s, a]
                        if moves:
                            value += P_tau[t, s, a] @ h[:, r - 1, c - 1]
                        best = max(best, value)
                h[s, r, c] = best
    return h


# --- a process small enough to enumerate -----------------------------------------------------


@dataclass
class World:
    """Everything about one question in dense arrays and plain loops."""

    P: np.ndarray
    R: np.ndarray  # [s, a]
    arrival: np.ndarray  # [s, a, s']
    final: np.ndarray
    available: np.ndarray
    discount: float
    sign: float
    states: list[int]
    actions: list[int]
    pinned: set[int]
    row: Callable = gumbel_max_row

    @property
    def T(self) -> int:
        return len(self.actions)

    @property
    def seen(self) -> bool:
        return len(self.states) > self.T

    def w(self, t: int, s: int, a: int) -> np.ndarray:
        observed = (self.states[t], self.actions[t])
        y = self.states[t + 1]
        if (s, a) == observed:
            return np.eye(len(self.P))[y]
        return np.array(self.row(list(self.P[observed]), y, list(self.P[s, a])))

    def allowed(self, t: int, s: int) -> list[int]:
        kept = self.actions[t]
        others = [] if t in self.pinned else np.flatnonzero(self.available[s]).tolist()
        return sorted({kept, *others})

    def moves(self, t: int) -> bool:
        return t < len(self.states) - 1

    def mdp(self) -> MDP:
        rewards = Rewards(self.R, self.arrival[self.P > 0])
        return MDP(
            self.P,
            rewards,
            final_reward=self.final,
            discount=self.discount,
            minimise=self.sign < 0,
            available=self.available,
        )

    def episode(self) -> Episode:
        return Episode(self.states, self.actions)


@dataclass(frozen=True)
class Path:
    """One counterfactual course with its probability and its worth."""

    states: tuple[int, ...]
    actions: tuple[int, ...]
    probability: float
    outcome: float


def paths(world: World, act: Callable[[int, tuple[int, ...], int], int], k: int) -> Iterator[Path]:
    """Every course that can happen under act(t, states so far, changes left)."""

    def go(t, states, actions, left, probability, outcome):
        if t == world.T:
            if world.seen:
                outcome += world.discount**t * world.final[states[-1]]
            yield Path(states, actions, probability, outcome)
            return
        s = states[-1]
        a = act(t, states, left)
        left -= a != world.actions[t]
        outcome += world.discount**t * world.R[s, a]
        if not world.moves(t):
            yield Path(states, (*actions, a), probability, outcome)
            return
        w = world.w(t, s, a)
        for j in np.flatnonzero(w):
            paid = world.discount**t * world.arrival[s, a, j]
            yield from go(
                t + 1, (*states, int(j)), (*actions, a), left, probability * w[j], outcome + paid
            )

    yield from go(0, (world.states[0],), (), k, 1.0, 0.0)


def expected_outcome(world: World, act: Callable, k: int) -> float:
    return sum(path.probability * path.outcome for path in paths(world, act, k))


def best_by_enumeration(world: World, k: int) -> float:
    """The best expected outcome over all decision trees: an action for each history of states."""
    n = len(world.P)
    histories = [
        (t, (world.states[0], *rest))
        for t in range(world.T)
        for rest in product(range(n), repeat=t)
    ]
    choices = [world.allowed(t, states[-1]) for t, states in histories]
    best = -np.inf
    for tree in product(*choices):
        plan = dict(zip(histories, tree, strict=True))
        courses = list(paths(world, lambda t, states, _left, plan=plan: plan[t, states], k))
        changes = [
            sum(a != b for a, b in zip(c.actions, world.actions, strict=True)) for c in courses
        ]
        if max(changes) <= k:
            total = world.sign * sum(c.probability * c.outcome for c in courses)
            best = max(best, total)
    return world.sign * best


def best_by_recursion(world: World, k: int) -> float:
    """The same by plain recursion over (step, state, changes left), for what is too large to
    enumerate."""

    def value(t: int, s: int, left: int) -> float:
        if t == world.T:
            return world.final[s] if world.seen else 0.0
        results = []
        for a in world.allowed(t, s):
            after = left - (a != world.actions[t])
            if after < 0:
                continue
            total = world.R[s, a]
            if world.moves(t):
                w = world.w(t, s, a)
                total += sum(
                    w[j] * (world.arrival[s, a, j] + world.discount * value(t + 1, int(j), after))
                    for j in np.flatnonzero(w)
                )
            results.append(world.sign * total)
        return world.sign * max(results)

    return value(0, world.states[0], k)


def exact(values) -> list[Fraction]:
    """Floats as the exact fractions that they are."""
    return [Fraction(float(value)) for value in values]
