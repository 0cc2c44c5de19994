"""Many courses in one go: threads that run these kernels do not wait for one another."""

from __future__ import annotations

import numpy as np

from untaken.kernels.compile import kernel
from untaken.kernels.layout import Course, Worlds
from untaken.kernels.search import OBSERVED_FIRST, solve
from untaken.kernels.worlds import (
    GUMBEL_MAX,
    TABULATED,
    any_in_common,
    clear_row,
    counterfactual_row,
    position_of,
    rank_ascending,
    scatter_row,
    scratch_for,
)


@kernel
def frontiers(process, form, kept, rows, offsets, states, actions, pinned, alternatives, k, ties):
    """The best utility for every budget 0..k, a row for each course.

    Decisions of course i stand from offsets[i, 0] to offsets[i, 1], its states from offsets[i, 2]
    to offsets[i, 3]. Under tabulated worlds, the weights of the transition out of a decision are
    those of `kept[rows[decision]]`.
    """
    found = np.empty((len(offsets), k + 1))
    longest = 0
    for i in range(len(offsets)):
        longest = max(longest, offsets[i, 3] - offsets[i, 2] - 1)
    table = np.empty((longest, process.successors.size) if form == TABULATED else (0, 0))
    for i in range(len(offsets)):
        first, last = offsets[i, 0], offsets[i, 1]
        seen = states[offsets[i, 2] : offsets[i, 3]]
        if form == TABULATED:
            for t in range(seen.size - 1):
                table[t] = kept[rows[first + t]]
        course = Course(seen, actions[first:last], pinned[first:last], alternatives)
        found[i] = solve(process, course, Worlds(form, table), k, ties[i], OBSERVED_FIRST)[0]
    return found


@kernel
def weights_of_steps(process, form, known, contexts, successors):
    """The counterfactual weights of all entries of the process, a row for each observed transition
    from a context to a successor. `known[i]` is what the form wants to know of it, if anything.

    What depends on a pair of contexts only is worked out once for all transitions out of the same
    context that stand side by side: whether the two have anything in common, and the race.
    """
    found = np.zeros((contexts.size, process.successors.size))
    p = np.zeros(process.final.size)
    scratch = scratch_for(process.final.size)
    delays = np.empty(process.final.size + 1)
    first = 0
    while first < contexts.size:
        last = first + 1
        while last < contexts.size and contexts[last] == contexts[first]:
            last += 1
        scatter_row(process, contexts[first], p)
        for context in range(process.offsets.size - 1):
            start, stop = process.offsets[context], process.offsets[context + 1]
            if context == contexts[first]:
                for i in range(first, last):
                    found[i, position_of(successors[i], process.successors, start, stop)] = 1.0
            elif form != GUMBEL_MAX:
                coupled_weights(
                    process, form, known, start, stop, p, successors, first, last, scratch, found
                )
            elif not any_in_common(p, process.successors, start, stop):
                for i in range(first, last):
                    found[i, start:stop] = process.probabilities[start:stop]
            else:
                raced_weights(
                    process, start, stop, p, successors, first, last, scratch, delays, found
                )
        clear_row(process, contexts[first], p)
        first = last
    return found


@kernel
def coupled_weights(process, form, known, start, stop, p, successors, first, last, scratch, found):
    """The weights of one context for several outcomes of another, outcome by outcome."""
    entry, weight, sigma, ranked, rival, rank = scratch
    for i in range(first, last):
        mine = known[i] if known.size else known.ravel()
        count = counterfactual_row(
            form, mine, process.successors, process.probabilities, start, stop, p, successors[i],
            entry, weight, sigma, ranked, rival, rank,
        )  # fmt: skip
        for j in range(count):
            found[i, entry[j]] = weight[j]


@kernel
def raced_weights(process, start, stop, p, successors, first, last, scratch, delays, found):
    """The same under Gumbel-max, from one race in which nobody waits: an outcome y ends it at
    sigma_y, and what came before is the race without y, step by step."""
    entry, omega, sigma, ranked, _, rank = scratch
    probabilities, size = process.probabilities, stop - start
    for e in range(start, stop):
        sigma[e - start] = p[process.successors[e]] / probabilities[e]
    rank_ascending(sigma, size, rank)
    for k in range(size):
        ranked[rank[k]] = sigma[k]
        entry[rank[k]] = start + k
    D, Q = 1.0, 0.0  # as in run_race
    for k in range(size):
        delays[k] = D
        Q += probabilities[entry[k]]
        if k + 1 < size:
            delta = ranked[k + 1] - ranked[k]
            D_next = D + Q * delta
            omega[k] = delta / (D * D_next)
            D = D_next
        else:  # where y is not among them
            omega[k] = 1.0 / (D * Q)
    for i in range(first, last):
        at_y = position_of(successors[i], process.successors, start, stop)
        rivals = size
        if at_y >= 0:
            rivals = rank[at_y - start]
            while rivals > 0 and ranked[rivals - 1] == sigma[at_y - start]:
                rivals -= 1  # who is tied with y cannot win
            found[i, at_y] = 1.0 / delays[rivals]
        tail = 0.0
        for k in range(rivals - 1, -1, -1):
            tail += omega[k]
            found[i, entry[k]] = probabilities[entry[k]] * tail
