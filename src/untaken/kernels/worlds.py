"""Counterfactual rows: from the observed row p with its outcome y, and the row q of another
context, the law w of what would have come there. The formulas and their names are those of the
theory page: sigma = p / q, S the chance that nothing has arrived yet, D = 1 / S.

The functions that run once a row take bare arrays: handing records over costs more than a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from untaken.kernels.compile import inlined, kernel
from untaken.kernels.couplings import coupled_row
from untaken.kernels.layout import Floats, Ints

TABULATED = 0
GUMBEL_MAX = 1


class Scratch(NamedTuple):
    """Working memory for one row; `entry` and `weight` are where its result is left."""

    entry: Ints  # positions of the row's positive entries in the process
    weight: Floats  # their counterfactual probabilities
    sigma: Floats
    ranked: Floats
    rival: Ints
    rank: Ints


@kernel
def scratch_for(states):
    """Working memory for rows over that many states."""
    size = states + 1
    return Scratch(
        np.empty(size, np.int64),
        np.empty(size, np.float64),
        np.empty(size, np.float64),
        np.empty(size, np.float64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@kernel
def scatter_row(process, context, p):
    """Write the row of a context into the dense vector p, which must be zero."""
    for e in range(process.offsets[context], process.offsets[context + 1]):
        p[process.successors[e]] = process.probabilities[e]


@kernel
def clear_row(process, context, p):
    """Make the dense vector p zero again after `scatter_row`."""
    for e in range(process.offsets[context], process.offsets[context + 1]):
        p[process.successors[e]] = 0.0


@inlined
def known_at(worlds, transition):
    """What the causal model has tabulated for a transition."""
    return worlds.table[transition] if worlds.table.size else worlds.table.ravel()


@inlined
def counterfactual_row(
    form, known, successors, probabilities, start, stop, p, y,
    entry, weight, sigma, ranked, rival, rank,
):  # fmt: skip
    """The row w of the context whose entries stand from start to stop, given that a transition
    with the dense row p led to y. Leaves its positive entries in `entry` and `weight`; returns
    their number. `known` is the row of `Worlds.table` for that transition."""
    if form == TABULATED:
        count = tabulated_row(known, start, stop, entry, weight)
    elif form != GUMBEL_MAX:
        count = coupled_row(
            form, known, successors, probabilities, start, stop, p, y, entry, weight
        )
    elif not any_in_common(p, successors, start, stop):
        count = prior_row(probabilities, start, stop, entry, weight)
    else:
        count = gumbel_max_row(
            successors, probabilities, start, stop, p, y,
            entry, weight, sigma, ranked, rival, rank,
        )  # fmt: skip
    return count


@inlined
def tabulated_row(weights, start, stop, entry, weight):
    """The positive ones among given weights."""
    count = 0
    for e in range(start, stop):
        entry[count] = e
        weight[count] = weights[e]
        count += weights[e] > 0.0
    return count


@inlined
def gumbel_max_row(
    successors, probabilities, start, stop, p, y, entry, weight, sigma, ranked, rival, rank
):
    """The Gumbel-max row in closed form.

    A race: i may arrive, at rate q_i, once time has passed sigma_i = p_i / q_i, and the observed
    outcome arrives at sigma_y. Who comes first, averaged over the pace of the observed race, is
    the counterfactual outcome. Only differences of sigma are subtracted, so that rows which span
    many decades keep their relative accuracy.
    """
    at_y = position_of(y, successors, start, stop)
    limit = p[y] / probabilities[at_y] if at_y >= 0 else np.inf
    rivals = 0  # only those who may arrive before sigma_y compete with it
    for e in range(start, stop):
        ratio = p[successors[e]] / probabilities[e]
        sigma[rivals] = ratio
        rival[rivals] = e
        rivals += ratio < limit
    rank_ascending(sigma, rivals, rank)
    for k in range(rivals):
        ranked[rank[k]] = sigma[k]
        entry[rank[k]] = rival[k]
    ranked[rivals] = limit
    entry[rivals] = at_y
    weight[rivals] = run_race(probabilities, entry, ranked, rivals, at_y >= 0, weight)
    return rivals + (at_y >= 0)


@inlined
def prior_row(probabilities, start, stop, entry, weight):
    """The row as it is: that of a context with nothing in common with the observed one, of which
    nothing is learnt."""
    for i in range(stop - start):
        entry[i] = start + i
        weight[i] = probabilities[start + i]
    return stop - start


@inlined
def run_race(probabilities, entry, sigma, rivals, y_waits, w):
    """The chance of each rival, in ascending order of sigma, to arrive first; returns that of y,
    who waits at sigma[rivals]. Overwrites sigma with the chances omega of each interval."""
    D, Q = 1.0, 0.0
    timed = rivals if y_waits else rivals - 1
    for k in range(rivals):
        q = probabilities[entry[k]]
        w[k] = q
        Q += q
        if k < timed:
            delta = sigma[k + 1] - sigma[k]
            D_next = D + Q * delta
            sigma[k] = delta / (D * D_next)
            D = D_next
        else:  # nobody waits at sigma_y: whoever is in the race by now wins it
            sigma[k] = 1.0 / (D * Q)
    tail = 0.0
    for k in range(rivals - 1, -1, -1):
        tail += sigma[k]
        w[k] *= tail
    return 1.0 / D


@inlined
def position_of(state, successors, start, stop):
    """Where a state stands among the successors from start to stop; -1 if it does not."""
    position = -1
    for e in range(start, stop):
        if successors[e] == state:
            position = e
    return position


@inlined
def any_in_common(p, successors, start, stop):
    """Whether one of the successors from start to stop is possible under p."""
    e = start
    while e < stop and p[successors[e]] == 0.0:
        e += 1
    return e < stop


@inlined
def rank_ascending(values, size, rank):
    """The place of each value in ascending order, equal ones in their own order.

    By counting, for each value, those below it: without a branch to mispredict this is faster than
    a sort up to some two thousand values, and a call to a sort that allocates, were it never made,
    would slow down every short row. The counts of different values add up to the number of pairs;
    equal ones fall short of it, and are told apart by one more round, which is rare.
    """
    ordered = 0
    for k in range(size):
        own = values[k]
        below = 0
        for other in range(size):
            below += int(values[other] < own)
        rank[k] = below
        ordered += below
    if 2 * ordered < size * (size - 1):
        for k in range(size):
            for other in range(k):
                rank[k] += int(values[other] == values[k])


@kernel
def closed_form_row(form, known, p, y, support, q):
    """One row by itself: `support` are the states to which q belongs; the result is dense."""
    entry, weight, sigma, ranked, rival, rank = scratch_for(p.size)
    count = counterfactual_row(
        form, known, support, q, 0, support.size, p, y, entry, weight, sigma, ranked, rival, rank
    )
    w = np.zeros(p.size)
    for i in range(count):
        w[support[entry[i]]] = weight[i]
    return w


@kernel
def step_weights(process, worlds, transition, observed, y):
    """The counterfactual weights of all entries of the process, given that one transition left
    the observed context for y."""
    states = process.final.size
    weights = np.zeros(process.successors.size)
    p = np.zeros(states)
    entry, weight, sigma, ranked, rival, rank = scratch_for(states)
    scatter_row(process, observed, p)
    known = known_at(worlds, transition)
    for context in range(process.offsets.size - 1):
        start, stop = process.offsets[context], process.offsets[context + 1]
        if context == observed:
            weights[position_of(y, process.successors, start, stop)] = 1.0
            continue
        count = counterfactual_row(
            worlds.form, known, process.successors, process.probabilities, start, stop, p, y,
            entry, weight, sigma, ranked, rival, rank,
        )  # fmt: skip
        for i in range(count):
            weights[entry[i]] = weight[i]
    return weights


@kernel
def tally_races(process, arrival_times, weights):
    """The share of races that each entry wins within its context: the Monte Carlo estimate of
    counterfactual weights from draws of the posterior noise, `arrival_times[draw, state]`."""
    draws = arrival_times.shape[0]
    for context in range(process.offsets.size - 1):
        start, stop = process.offsets[context], process.offsets[context + 1]
        for d in range(draws):
            first, earliest = start, np.inf
            for e in range(start, stop):
                time = arrival_times[d, process.successors[e]] / process.probabilities[e]
                if time < earliest:
                    first, earliest = e, time
            weights[first] += 1.0
        for e in range(start, stop):
            weights[e] /= draws
