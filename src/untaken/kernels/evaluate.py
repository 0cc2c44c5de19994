"""What a policy is worth, without unfolding its courses: for when only the number is asked for."""

from __future__ import annotations

import numpy as np

from untaken.kernels.baselines import row_at
from untaken.kernels.compile import kernel
from untaken.kernels.worlds import clear_row, scatter_row, scratch_for


@kernel
def policy_utility(process, course, worlds, policy):
    """The expected utility of a policy `[t, s, c]` from each budget of changes. A row serves all
    numbers of changes left under which the policy takes the same action."""
    steps, n, width = policy.shape
    m, transitions = course.alternatives.shape[1], course.states.size - 1
    value, value_next = np.zeros((n, width)), np.zeros((n, width))
    if transitions == steps:
        for s in range(n):
            value_next[s, :] = process.final[s]
    scratch, p = scratch_for(n), np.zeros(n)
    for t in range(steps - 1, -1, -1):
        if t < transitions:
            observed = course.states[t] * m + course.actions[t]
            scatter_row(process, observed, p)
        for s in range(n):
            first = 0
            while first < width:
                a, beyond = policy[t, s, first], first + 1
                while beyond < width and policy[t, s, beyond] == a:
                    beyond += 1
                changed = np.int64(a != course.actions[t])
                value[s, first:beyond] = process.utility[s, a]
                count = 0
                if t < transitions:
                    count = row_at(process, course, worlds, t, s * m + a, p, scratch)
                for i in range(count):
                    e, w = scratch.entry[i], scratch.weight[i]
                    j = process.successors[e]
                    paid = w * process.arrival[e] if process.arrival.size else 0.0
                    for c in range(first, beyond):
                        after = value_next[j, c - changed]
                        value[s, c] += paid + process.discount * w * after
                first = beyond
        if t < transitions:
            clear_row(process, observed, p)
        value, value_next = value_next, value
    return value_next[course.states[0]].copy()
