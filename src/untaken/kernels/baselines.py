"""Policies that act by chance while changes remain, and keep the observed actions after that:
`chances[t, s, a]`."""

from __future__ import annotations

import numpy as np

from untaken.kernels.compile import kernel
from untaken.kernels.worlds import (
    clear_row,
    counterfactual_row,
    known_at,
    position_of,
    scatter_row,
    scratch_for,
)


@kernel
def row_at(process, course, worlds, t, context, p, scratch):
    """The counterfactual row of a context at a transition, whatever the context. Leaves it in the
    scratch; returns the number of its entries."""
    m = course.alternatives.shape[1]
    y = course.states[t + 1]
    start, stop = process.offsets[context], process.offsets[context + 1]
    if context == course.states[t] * m + course.actions[t]:
        scratch.entry[0] = position_of(y, process.successors, start, stop)
        scratch.weight[0] = 1.0
        return 1
    return counterfactual_row(
        worlds.form, known_at(worlds, t), process.successors, process.probabilities, start, stop,
        p, y, scratch.entry, scratch.weight, scratch.sigma, scratch.ranked, scratch.rival,
        scratch.rank,
    )  # fmt: skip


@kernel
def evaluate_chances(process, course, worlds, chances, k):
    """The expected utility of acting by chance, for every budget 0..k."""
    steps, n, m = chances.shape
    transitions = course.states.size - 1
    value, value_next = np.zeros((n, k + 1)), np.zeros((n, k + 1))
    if transitions == steps:
        for s in range(n):
            value_next[s, :] = process.final[s]
    scratch, p = scratch_for(n), np.zeros(n)
    for t in range(steps - 1, -1, -1):
        kept = course.actions[t]
        observed = course.states[t] * m + kept
        if t < transitions:
            scatter_row(process, observed, p)
        value[:] = 0.0
        for s in range(n):
            for a in range(m):
                if a != kept and chances[t, s, a] == 0.0:
                    continue
                count = 0
                if t < transitions:
                    count = row_at(process, course, worlds, t, s * m + a, p, scratch)
                for c in range(k + 1):
                    chance = chances[t, s, a]
                    if c == 0:
                        chance = 1.0 if a == kept else 0.0
                    if chance == 0.0:
                        continue
                    worth = process.utility[s, a]
                    for i in range(count):
                        e = scratch.entry[i]
                        after = value_next[process.successors[e], c - (a != kept)]
                        if process.arrival.size:
                            worth += scratch.weight[i] * process.arrival[e]
                        worth += scratch.weight[i] * process.discount * after
                    value[s, c] += chance * worth
        if t < transitions:
            clear_row(process, observed, p)
        value, value_next = value_next, value
    return value_next[course.states[0]].copy()


@kernel
def pick(weights, size, uniform):
    """The position in which a uniform number falls among weights that sum to one."""
    for i in range(size - 1):
        uniform -= weights[i]
        if uniform < 0.0:
            return i
    return size - 1


@kernel
def sample_chances(process, course, worlds, chances, k, uniforms):
    """The utility of courses that act by chance, starting with k changes. `uniforms[i, t]` holds
    two numbers: one for the action, one for where it leads."""
    steps, n, m = chances.shape
    draws, transitions = uniforms.shape[0], course.states.size - 1
    outcomes, state = np.zeros(draws), np.full(draws, course.states[0])
    left = np.full(draws, k)
    scratch, p = scratch_for(n), np.zeros(n)
    paid = 1.0
    for t in range(steps):
        observed = course.states[t] * m + course.actions[t]
        if t < transitions:
            scatter_row(process, observed, p)
        for i in range(draws):
            s, a = state[i], course.actions[t]
            if left[i] > 0:
                a = pick(chances[t, s], m, uniforms[i, t, 0])
                left[i] -= a != course.actions[t]
            outcomes[i] += paid * process.utility[s, a]
            if t == transitions:
                continue
            count = row_at(process, course, worlds, t, s * m + a, p, scratch)
            e = scratch.entry[pick(scratch.weight, count, uniforms[i, t, 1])]
            state[i] = process.successors[e]
            if process.arrival.size:
                outcomes[i] += paid * process.arrival[e]
        if t < transitions:
            clear_row(process, observed, p)
        paid *= process.discount
    if transitions == steps:
        for i in range(draws):
            outcomes[i] += paid * process.final[state[i]]
    return outcomes
