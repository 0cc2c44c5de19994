"""How much counterfactual rows still lean on what was observed: the total variation between w and
the row q that would hold without the observation, and a search that keeps it up."""

from __future__ import annotations

import numpy as np

from untaken.kernels.baselines import row_at
from untaken.kernels.compile import inlined, kernel
from untaken.kernels.courses import SUPPORT
from untaken.kernels.search import OBSERVED_FIRST, choose, fewest_changes
from untaken.kernels.worlds import clear_row, scatter_row, scratch_for


@inlined
def influence_of(probabilities, entry, weight, count):
    """TV(w, q), which only entries that gain add to."""
    total = 0.0
    for i in range(count):
        total += max(weight[i] - probabilities[entry[i]], 0.0)
    return total


@kernel
def influence_of_nodes(process, course, worlds, graph):
    """The influence at each node of a graph of courses; zero where no transition was observed."""
    m, transitions = course.alternatives.shape[1], course.states.size - 1
    influence = np.zeros(graph.state.size)
    scratch, p = scratch_for(process.final.size), np.zeros(process.final.size)
    for t in range(transitions):
        observed = course.states[t] * m + course.actions[t]
        scatter_row(process, observed, p)
        for node in range(graph.layers[t], graph.layers[t + 1]):
            context = graph.state[node] * m + graph.action[node]
            count = row_at(process, course, worlds, t, context, p, scratch)
            influence[node] = influence_of(
                process.probabilities, scratch.entry, scratch.weight, count
            )
        clear_row(process, observed, p)
    return influence


@kernel
def worth_influenced(process, h_next, plain_next, scratch, count, last, values, plain):
    """Add what comes after an action to its values, by changes left after it. What leads,
    not only by rounding, to where nothing is allowed is not allowed itself."""
    for i in range(count):
        e, w = scratch.entry[i], scratch.weight[i]
        j = process.successors[e]
        paid = w * process.arrival[e] if process.arrival.size else 0.0
        for c in range(last + 1):
            if h_next[j, c] == -np.inf:
                if w >= SUPPORT:
                    values[c] = -np.inf
                continue
            values[c] += paid + process.discount * w * h_next[j, c]
            plain[c] += paid + process.discount * w * plain_next[j, c]


@kernel
def solve_influenced(process, course, worlds, k, tie, least, weight):
    """The best policy among those whose every step, apart from the observed one itself, has the
    influence `least[t]`, or the best with `weight` times the influence paid on top; what it earns
    in plain rewards for every budget, and the fewest changes to each state."""
    n, m = course.alternatives.shape
    steps, transitions = course.actions.size, course.states.size - 1
    fewest = fewest_changes(process, course, worlds, k)
    policy = np.empty((steps, n, k + 1), np.int32)
    h, h_next = np.zeros((n, k + 1)), np.zeros((n, k + 1))
    earned, earned_next = np.zeros((n, k + 1)), np.zeros((n, k + 1))
    if transitions == steps:
        for s in range(n):
            h_next[s, :], earned_next[s, :] = process.final[s], process.final[s]
    values, plain = np.empty((m, k + 1)), np.empty((m, k + 1))
    allowed = np.empty(m, np.bool_)
    scratch, p = scratch_for(n), np.zeros(n)
    for t in range(steps - 1, -1, -1):
        kept = course.actions[t]
        observed = course.states[t] * m + kept
        if t < transitions:
            scatter_row(process, observed, p)
        for s in range(n):
            policy[t, s, :] = kept
            left = k - fewest[t, s]
            if left < 0:
                continue
            last = min(left, steps - t)
            for a in range(m):
                changed = np.int64(a != kept)
                allowed[a] = changed == 1 and last > 0 and course.alternatives[s, a]
                allowed[a] = allowed[a] and not course.pinned[t]
                if changed == 1 and not allowed[a]:
                    continue
                values[a], plain[a] = process.utility[s, a], process.utility[s, a]
                if t == transitions:
                    continue
                context = s * m + a
                count = row_at(process, course, worlds, t, context, p, scratch)
                influence = influence_of(
                    process.probabilities, scratch.entry, scratch.weight, count
                )
                values[a] += weight * influence
                if context != observed and influence < least[t]:
                    values[a] = -np.inf
                    continue
                worth_influenced(
                    process, h_next, earned_next, scratch, count, last - changed,
                    values[a], plain[a],
                )  # fmt: skip
            choose(values, allowed, kept, last, tie, OBSERVED_FIRST, h[s], policy[t, s])
            for c in range(left + 1):
                at = min(c, last)
                h[s, c], policy[t, s, c] = h[s, at], policy[t, s, at]
                chosen = policy[t, s, at]
                earned[s, c] = plain[chosen, at - (chosen != kept)]
        if t < transitions:
            clear_row(process, observed, p)
        h, h_next = h_next, h
        earned, earned_next = earned_next, earned
    return earned_next[course.states[0]].copy(), policy, fewest
