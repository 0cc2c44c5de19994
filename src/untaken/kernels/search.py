"""The dynamic program over (step, state, changes left), for every budget at once.

    h[t, s, c] = max( value of keeping a_t   from h[t+1, ., c],
                      value of any other a   from h[t+1, ., c-1] )

indexed by changes *left*, so that one table serves every budget. The counterfactual rows are made
one at a time, used and forgotten.
"""

from __future__ import annotations

import numpy as np

from untaken.kernels.compile import inlined, kernel
from untaken.kernels.couplings import coupled_row
from untaken.kernels.worlds import (
    GUMBEL_MAX,
    TABULATED,
    any_in_common,
    clear_row,
    counterfactual_row,
    gumbel_max_row,
    known_at,
    position_of,
    prior_row,
    scatter_row,
    scratch_for,
    tabulated_row,
)

OBSERVED_FIRST = 0
LOWEST_CODE_FIRST = 1


@kernel
def fewest_changes(process, course, worlds, k):
    """How many changed actions it takes at least to be in each state at each step; k + 1 where
    even k are not enough. The numbers of a step are found in ascending order, so that the first
    one found for a state is its own, and the search ends as soon as every state has one."""
    n, m = course.alternatives.shape
    transitions = course.states.size - 1
    fewest = np.full((transitions + 1, n), k + 1, np.int32)
    fewest[0, course.states[0]] = 0
    p = np.zeros(n)
    entry, weight, sigma, ranked, rival, rank = scratch_for(n)
    successors, probabilities = process.successors, process.probabilities
    for t in range(transitions):
        y = course.states[t + 1]
        observed = course.states[t] * m + course.actions[t]
        fewest[t + 1, y] = 0
        if k == 0:
            continue
        settled = 1  # states whose number is found, y the first of them
        scatter_row(process, observed, p)
        known = known_at(worlds, t)
        for cost in range(k + 1):
            for s in range(n):
                if settled == n:
                    break
                spent = cost - fewest[t, s]  # on the action here
                if spent != 0 and spent != 1:
                    continue
                for a in range(m):
                    changed = a != course.actions[t]
                    if changed != spent or s * m + a == observed:
                        continue
                    if changed and (course.pinned[t] or not course.alternatives[s, a]):
                        continue
                    start, stop = process.offsets[s * m + a], process.offsets[s * m + a + 1]
                    if worlds.form == GUMBEL_MAX:
                        settled += reach(
                            successors, probabilities, start, stop, p, y, cost, fewest[t + 1]
                        )
                        continue
                    count = counterfactual_row(
                        worlds.form, known, successors, probabilities, start, stop, p, y,
                        entry, weight, sigma, ranked, rival, rank,
                    )  # fmt: skip
                    settled += mark(successors, entry, count, cost, fewest[t + 1])
        clear_row(process, observed, p)
    return fewest


@kernel
def reach(successors, probabilities, start, stop, p, y, cost, fewest):
    """Lower to `cost` what it takes to be in each successor that is possible in the counterfactual
    world; returns how many of them this settles. Gumbel-max only: who is possible shows before the
    race is run."""
    settled = 0
    limit = -1.0  # the ratio of y, once it is needed
    for e in range(start, stop):
        j = successors[e]
        if cost >= fewest[j]:
            continue
        if limit < 0.0:
            at_y = position_of(y, successors, start, stop)
            limit = p[y] / probabilities[at_y] if at_y >= 0 else np.inf
        if j == y or p[j] / probabilities[e] < limit:
            fewest[j] = cost
            settled += 1
    return settled


@inlined
def mark(successors, entry, count, cost, fewest):
    """The same for the successors of a row that has been worked out."""
    settled = 0
    for i in range(count):
        j = successors[entry[i]]
        settled += cost < fewest[j]
        fewest[j] = min(fewest[j], cost)
    return settled


@kernel
def choose(values, allowed, observed, last, tie, ties, h, policy):
    """The best action for each number of changes left, from `values[a, c]`: what each action is
    worth where c changes are left after it."""
    for c in range(last + 1):
        best, value = observed, values[observed, c]
        if ties == LOWEST_CODE_FIRST:
            value = -np.inf
            for a in range(values.shape[0]):
                if a == observed and values[a, c] > value:
                    best, value = a, values[a, c]
                elif allowed[a] and c > 0 and values[a, c - 1] > value:
                    best, value = a, values[a, c - 1]
        elif c > 0:
            for a in range(values.shape[0]):
                if allowed[a] and values[a, c - 1] > value + tie:
                    best, value = a, values[a, c - 1]
        h[c] = value
        policy[c] = best


@kernel
def solve(process, course, worlds, k, tie, ties):
    """The frontier, the best policy for every budget, and the fewest changes to each state."""
    n, m = course.alternatives.shape
    steps, transitions = course.actions.size, course.states.size - 1
    fewest = fewest_changes(process, course, worlds, k)
    policy = np.empty((steps, n, k + 1), np.int32)
    h, h_next = np.zeros((n, k + 1)), np.zeros((n, k + 1))
    if transitions == steps:
        for s in range(n):
            h_next[s, :] = process.final[s]
    values = np.empty((m, k + 1))
    allowed = np.empty(m, np.bool_)
    p = np.zeros(n)
    entry, weight, sigma, ranked, rival, rank = scratch_for(n)
    offsets, successors, probabilities = process.offsets, process.successors, process.probabilities
    arrival, gamma, form = process.arrival, process.discount, worlds.form
    pays_on_arrival = arrival.size > 0
    alternatives = course.alternatives

    for t in range(steps - 1, -1, -1):
        kept = course.actions[t]
        observed = course.states[t] * m + kept
        y = course.states[t + 1] if t < transitions else -1
        known = known_at(worlds, t)
        if y >= 0:
            scatter_row(process, observed, p)
        for s in range(n):
            policy[t, s, :] = kept
            left = k - fewest[t, s]
            if left < 0:
                continue
            last = min(left, steps - t)  # more changes than steps remain idle
            may_change = last > 0 and not course.pinned[t]
            for a in range(m):
                changed = a != kept
                allowed[a] = changed and may_change and alternatives[s, a]
                if changed and not allowed[a]:
                    continue
                width = last if changed else last + 1  # so many numbers of changes left after it
                for c in range(width):
                    values[a, c] = process.utility[s, a]
                if y < 0:
                    continue
                start, stop = offsets[s * m + a], offsets[s * m + a + 1]
                if s * m + a == observed:
                    count = observed_row(successors, start, stop, y, entry, weight)
                elif form == TABULATED:
                    count = tabulated_row(known, start, stop, entry, weight)
                elif form != GUMBEL_MAX:
                    count = coupled_row(
                        form, known, successors, probabilities, start, stop, p, y, entry, weight
                    )
                elif not any_in_common(p, successors, start, stop):
                    if not pays_on_arrival:  # most rows of a sparse process: no need of a copy
                        for e in range(start, stop):
                            j = successors[e]
                            w = gamma * probabilities[e]
                            for c in range(width):
                                values[a, c] += w * h_next[j, c]
                        continue
                    count = prior_row(probabilities, start, stop, entry, weight)
                else:  # not by way of counterfactual_row: one more call costs a third of the solve
                    count = gumbel_max_row(
                        successors, probabilities, start, stop, p, y,
                        entry, weight, sigma, ranked, rival, rank,
                    )  # fmt: skip
                for i in range(count):
                    e = entry[i]
                    j = successors[e]
                    w = gamma * weight[i]
                    for c in range(width):
                        values[a, c] += w * h_next[j, c]
                if pays_on_arrival:
                    paid = 0.0
                    for i in range(count):
                        paid += weight[i] * arrival[entry[i]]
                    for c in range(width):
                        values[a, c] += paid
            choose(values, allowed, kept, last, tie, ties, h[s], policy[t, s])
            for c in range(last + 1, left + 1):
                h[s, c] = h[s, last]
                policy[t, s, c] = policy[t, s, last]
        if y >= 0:
            clear_row(process, observed, p)
        h, h_next = h_next, h
    return h_next[course.states[0]].copy(), policy, fewest


@inlined
def observed_row(successors, start, stop, y, entry, weight):
    """In the observed context, what happened happens again."""
    entry[0] = position_of(y, successors, start, stop)
    weight[0] = 1.0
    return 1
