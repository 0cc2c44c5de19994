"""Slow, obvious twins for other causal models, bounds, influence and parameter uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog


def inverse_cdf_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:
    """Cut the unit interval by q, and see what falls into the piece that p gave to y."""
    low, high = sum(p[:y]), sum(p[: y + 1])
    ends = [sum(q[:j]) for j in range(len(q) + 1)]
    inside = [max(0.0, min(high, ends[j + 1]) - max(low, ends[j])) for j in range(len(q))]
    return np.array([x if x > 1e-14 else 0.0 for x in inside]) / p[y]


def maximal_coupling_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:
    """Put min(p, q) on the diagonal of the coupling, and what is left of p against what is left
    of q as if they were independent."""
    p, q = np.array(p), np.array(q)
    diagonal = np.minimum(p, q)
    left, needed = p - diagonal, q - diagonal
    theta = np.diag(diagonal)
    if left.sum() > 0:
        theta = theta + np.outer(left, needed) / left.sum()
    return theta[y] / p[y]


def independent_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:  # noqa: ARG001
    return np.array(q)


# --- bounds over all causal models -----------------------------------------------------------


def couplings(kind: str, p, y: int, q) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Every causal model of two contexts is a coupling theta of p and q. For a linear program:
    the equations on its margins, and the bounds of its n * n cells."""
    n = len(p)
    margins = [np.eye(n)[i].repeat(n) for i in range(n)] + [
        np.tile(np.eye(n)[j], n) for j in range(n)
    ]
    cells = [(0.0, 1.0)] * (n * n)
    outcomes = {"none": [], "stable": [y], "stable_everywhere": range(n), "stable_monotone": [y]}
    for i in outcomes[kind]:
        for j in range(n):
            if p[i] > 0 and i != j and p[j] > 0 and q[i] * p[j] >= q[j] * p[i]:
                cells[i * n + j] = (0.0, 0.0)
    if kind == "stable_monotone":
        for j in range(n):
            low, high = cells[y * n + j]
            if j == y:
                low = p[y] * q[y]
            elif p[j] > 0:
                high = min(high, p[y] * q[j])
            cells[y * n + j] = (low, high)
    return np.array(margins), cells


def extreme_expectations(kind: str, p, y: int, q, values) -> tuple[float, float]:
    """The lowest and the highest expectation of values, given y, by linear programs."""
    n = len(p)
    margins, cells = couplings(kind, p, y, q)
    cost = np.zeros((n, n))
    cost[y] = np.asarray(values) / p[y]
    results = [
        linprog(sign * cost.ravel(), A_eq=margins, b_eq=[*p, *q], bounds=cells) for sign in (1, -1)
    ]
    assert all(result.status == 0 for result in results), results
    return results[0].fun, -results[1].fun


def member_row(kind: str, p, y: int, q, rng: np.random.Generator) -> np.ndarray:
    """The row of some model of a class: between two corners of the set of couplings."""
    n = len(p)
    margins, cells = couplings(kind, p, y, q)
    corners = [
        linprog(rng.normal(size=n * n), A_eq=margins, b_eq=[*p, *q], bounds=cells).x
        for _ in range(2)
    ]
    w = np.clip(rng.dirichlet(np.ones(2)) @ np.array(corners), 0, None).reshape(n, n)[y]
    w[q == 0] = 0.0
    return w / w.sum()


def formula_bounds(kind: str, p, y: int, q) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most of each cell, for the classes that are boxes."""
    n = len(p)
    cap, floor = np.minimum(1.0, q / p[y]), np.zeros(n)
    for j in range(n):
        if kind != "none" and j != y and p[j] > 0 and q[y] * p[j] >= q[j] * p[y]:
            cap[j] = 0.0
        if kind == "stable_monotone" and j != y and p[j] > 0:
            cap[j] = min(cap[j], q[j])
    if kind == "stable_monotone":
        floor[y] = q[y]
    others = floor.sum() - floor, cap.sum() - cap
    return np.maximum(floor, 1 - others[1]), np.minimum(cap, 1 - others[0])


def extreme_outcomes(world, kind, k: int, act=None) -> tuple[float, float]:
    """The least and the most favourable outcome of the best policy, or of act(t, s, left), by
    plain recursion with an extreme row at each step."""

    def value(t: int, s: int, left: int, side: int) -> float:
        if t == world.T:
            return world.sign * world.final[s] if world.seen else 0.0
        actions = world.allowed(t, s) if act is None else [act(t, s, left)]
        results = []
        for a in actions:
            after = left - (a != world.actions[t])
            if act is None and after < 0:
                continue
            total = world.sign * world.R[s, a]
            if world.moves(t):
                p, y = world.P[world.states[t], world.actions[t]], world.states[t + 1]
                q = world.P[s, a]
                ahead = np.zeros(len(q))
                for j in np.flatnonzero(q):
                    ahead[j] = world.sign * world.arrival[s, a, j]
                    ahead[j] += world.discount * value(t + 1, int(j), after, side)
                if (s, a) == (world.states[t], world.actions[t]):
                    total += ahead[y]
                else:
                    total += kind.expectation(p, y, q, ahead)[side]
            results.append(total)
        return max(results)

    return tuple(world.sign * value(0, world.states[0], k, side) for side in (0, 1))


# --- influence -------------------------------------------------------------------------------


def influence_at(world, t: int, s: int, a: int) -> float:
    return float(np.maximum(world.w(t, s, a) - world.P[s, a], 0).sum())


def influenced_search(world, k: int, demanded, weight: float) -> tuple[float, float]:
    """The best policy whose every unobserved step leans on the observation by demanded[t], with a
    bonus for leaning: its value with the bonus, and without."""

    def value(t: int, s: int, left: int) -> tuple[float, float]:
        if t == world.T:
            end = world.sign * world.final[s] if world.seen else 0.0
            return end, end
        best = (-np.inf, -np.inf)
        kept = world.actions[t]
        for a in [kept, *(a for a in world.allowed(t, s) if a != kept)]:
            after = left - (a != kept)
            if after < 0:
                continue
            total = plain = world.sign * world.R[s, a]
            if world.moves(t):
                leaning = influence_at(world, t, s, a)
                if (s, a) != (world.states[t], kept) and leaning < demanded[t]:
                    continue
                total += weight * leaning
                w = world.w(t, s, a)
                for j in np.flatnonzero(w >= 1e-12):
                    paid = world.sign * world.arrival[s, a, j]
                    ahead = value(t + 1, int(j), after)
                    total += w[j] * (paid + world.discount * ahead[0])
                    plain += w[j] * (paid + world.discount * ahead[1])
            if total > best[0] + 1e-11:
                best = (total, plain)
        return best

    return value(0, world.states[0], k)
