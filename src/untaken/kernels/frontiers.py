"""The frontiers of many courses in one go: threads that run it do not wait for one another."""

from __future__ import annotations

import numpy as np

from untaken.kernels.compile import kernel
from untaken.kernels.layout import Course, Worlds
from untaken.kernels.search import OBSERVED_FIRST, solve
from untaken.kernels.worlds import TABULATED


@kernel
def frontiers(process, form, kept, rows, offsets, states, actions, pinned, alternatives, k, ties):
    """The best utility for every budget 0..k, a row for each course.

    Decisions of course i stand from offsets[i, 0] to offsets[i, 1], its states from offsets[i, 2]
    to offsets[i, 3]. Under tabulated worlds, the weights of the transition out of a decision are
    those of `kept[rows[decision]]`.
    """
    found = np.empty((len(offsets), k + 1))
    for i in range(len(offsets)):
        first, last = offsets[i, 0], offsets[i, 1]
        seen = states[offsets[i, 2] : offsets[i, 3]]
        table = np.empty((0, 0))
        if form == TABULATED:
            table = np.empty((seen.size - 1, process.successors.size))
            for t in range(seen.size - 1):
                table[t] = kept[rows[first + t]]
        course = Course(seen, actions[first:last], pinned[first:last], alternatives)
        found[i] = solve(process, course, Worlds(form, table), k, ties[i], OBSERVED_FIRST)[0]
    return found
