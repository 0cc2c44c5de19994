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
    gumbel_max_row,
    position_of,
    prior_row,
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
    from a context to a successor. `known[i]` is what the form wants to know of it, if anything."""
    states = process.final.size
    found = np.zeros((contexts.size, process.successors.size))
    p = np.zeros(states)
    entry, weight, sigma, ranked, rival, rank = scratch_for(states)
    entries, probabilities = process.successors, process.probabilities
    for i in range(contexts.size):
        y = successors[i]
        mine = known[i] if known.size else known.ravel()
        scatter_row(process, contexts[i], p)
        for context in range(process.offsets.size - 1):
            start, stop = process.offsets[context], process.offsets[context + 1]
            if context == contexts[i]:
                found[i, position_of(y, entries, start, stop)] = 1.0
                continue
            if form != GUMBEL_MAX:
                count = counterfactual_row(
                    form, mine, entries, probabilities, start, stop, p, y,
                    entry, weight, sigma, ranked, rival, rank,
                )  # fmt: skip
            elif not any_in_common(p, entries, start, stop):
                count = prior_row(probabilities, start, stop, entry, weight)
            else:  # not by way of counterfactual_row, which takes three times as long
                count = gumbel_max_row(
                    entries, probabilities, start, stop, p, y,
                    entry, weight, sigma, ranked, rival, rank,
                )  # fmt: skip
            for j in range(count):
                found[i, entry[j]] = weight[j]
        clear_row(process, contexts[i], p)
    return found
