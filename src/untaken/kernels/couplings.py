"""The rows of causal models that are couplings of two rows, with the formulas in closed form.

As in `untaken.kernels.worlds`, each leaves its positive entries in `entry` and `weight` and returns
their number. `known` is what a form wants to be told of the observed transition, beyond p and y.
"""

from __future__ import annotations

import numpy as np

from untaken.kernels.compile import inlined, kernel

INVERSE_CDF = 2
MAXIMAL_COUPLING = 3
INDEPENDENT = 4

SLIVER = 1e-14
"""Intervals overlap by more than this, or by the rounding of the sums that made their ends."""


@kernel
def coupled_row(form, known, successors, probabilities, start, stop, p, y, entry, weight):
    """The row under one of the forms of this file."""
    if form == INVERSE_CDF:
        count = inverse_cdf_row(probabilities, start, stop, known[0], p[y], entry, weight)
    elif form == MAXIMAL_COUPLING:
        count = maximal_coupling_row(successors, probabilities, start, stop, p, y, entry, weight)
    else:
        count = independent_row(probabilities, start, stop, entry, weight)
    return count


@inlined
def inverse_cdf_row(probabilities, start, stop, below, p_y, entry, weight):
    """What of the interval (below, below + p_y) falls to each successor, when these divide the
    unit interval among them in the order of states."""
    above = below + p_y
    count, total, cut = 0, 0.0, 0.0
    widest, widest_overlap = start, -np.inf
    for e in range(start, stop):
        next_cut = cut + probabilities[e]
        overlap = min(above, next_cut) - max(below, cut)
        cut = next_cut
        if overlap > widest_overlap:
            widest, widest_overlap = e, overlap
        if overlap > SLIVER:
            entry[count], weight[count] = e, overlap
            total += overlap
            count += 1
    if count == 0:  # p_y itself is a sliver
        entry[0], weight[0] = widest, 1.0
        count, total = 1, 1.0
    for i in range(count):
        weight[i] /= total
    return count


@inlined
def maximal_coupling_row(successors, probabilities, start, stop, p, y, entry, weight):
    """As much as possible stays at y; the rest goes where q exceeds p, in proportion to that."""
    count, excess, q_y, at_y = 0, 0.0, 0.0, -1
    for e in range(start, stop):
        more = probabilities[e] - p[successors[e]]
        entry[count], weight[count] = e, more
        if successors[e] == y:
            at_y, q_y = e, probabilities[e]
        else:
            excess += max(more, 0.0)
            count += more > 0.0
    stays = min(1.0, q_y / p[y])
    if count == 0 and at_y < 0:  # p_y was lost in rounding, and with it all that q has to gain
        for e in range(start, stop):
            entry[count], weight[count] = e, probabilities[e]
            count += 1
    elif stays == 1.0 or count == 0:
        entry[0], weight[0] = at_y, 1.0
        count = 1
    else:
        leaves = (p[y] - q_y) / p[y] / excess
        for i in range(count):
            weight[i] *= leaves
        entry[count], weight[count] = at_y, stays
        count += at_y >= 0
    return count


@inlined
def independent_row(probabilities, start, stop, entry, weight):
    """Nothing is learnt from another context: w = q."""
    for e in range(start, stop):
        entry[e - start], weight[e - start] = e, probabilities[e]
    return stop - start


@kernel
def mass_below(process, states, actions):
    """`[t, 0]`: what the observed row of each transition puts on states below its outcome."""
    transitions, m = states.size - 1, process.utility.shape[1]
    below = np.zeros((transitions, 1))
    for t in range(transitions):
        context = states[t] * m + actions[t]
        for e in range(process.offsets[context], process.offsets[context + 1]):
            if process.successors[e] < states[t + 1]:
                below[t, 0] += process.probabilities[e]
    return below
