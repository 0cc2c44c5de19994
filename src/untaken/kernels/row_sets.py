"""All counterfactual rows that some causal model of a class allows, and the extremes of an
expectation over them.

Given the observed row p with its outcome y and the row q of another context, a coupling of both
sends the mass p_y of y to the successors. What constrains where it goes, in units of w:

    NONE        w_j <= q_j / p_y
    STABLE      also w_j = 0 where sigma_j >= sigma_y, j not y and p_j > 0       (sigma = p / q)
    MONOTONE    also w_y >= q_y, and w_j <= q_j for other j with p_j > 0
    EVERYWHERE  STABLE, for the outcomes that did not happen too

In the first three w lies in a box. In the last all mass moves to smaller sigma, so the states
below some sigma have room for no more than D = Q - P from above them: their surplus q_j - p_j is
shared by them and by all that come from beyond. Both sets are polymatroids, so a greedy pour into
successors in the order of their values is exact.

Blocked are exact ties with y, and what lies clearly above it: near-ties are left open, so that
rounding cannot make a bound too tight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from untaken.kernels.compile import inlined, kernel
from untaken.kernels.layout import Floats, Ints
from untaken.kernels.worlds import position_of, rank_ascending

NONE = 0
STABLE = 1
MONOTONE = 2
EVERYWHERE = 3

NEAR = 1e-12
"""Ratios closer than this, relatively, may be in either order."""


class RowSet(NamedTuple):
    """One set of rows, on places: the positions of successors, or successors themselves."""

    room: Floats  # (places,): what a place takes at most
    more: Floats  # (places,): what a place with tied rivals takes beyond its own share of surplus
    reach: Ints  # (places,): the last group whose surplus `room` may use
    reach_more: Ints  # (places,): and `more`
    surplus: Floats  # (groups + 1,): what each group of equal sigma has to share
    left: Floats  # (groups + 1,): what a pour has left of it
    lender: Ints  # (groups + 1,): a group's link to the next one down that has something left
    sigma: Floats
    ranked: Floats
    rival: Ints
    entry: Ints
    rank: Ints


@kernel
def row_set_for(states):
    """Working memory for rows over that many states; no place has any room."""
    size = states + 2
    return RowSet(
        np.zeros(size),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.empty(size),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@inlined
def is_blocked(p_j, sigma_j, sigma_y):
    """Whether stability keeps mass of y from a successor."""
    return p_j > 0.0 and (sigma_j == sigma_y or sigma_j > sigma_y * (1.0 + NEAR))


@inlined
def box(kind, successors, probabilities, start, stop, p, y, dense, room):
    """Fill the room of each place under one of the box classes; returns what y holds at least."""
    at_y = position_of(y, successors, start, stop)
    sigma_y = p[y] / probabilities[at_y] if at_y >= 0 else np.inf
    for e in range(start, stop):
        j, q = successors[e], probabilities[e]
        free = kind == NONE or not is_blocked(p[j], p[j] / q, sigma_y)
        most = q if kind == MONOTONE and p[j] > 0.0 else min(1.0, q / p[y])
        room[j if dense else e - start] = most if free else 0.0
    held = 0.0
    if at_y >= 0:
        held = probabilities[at_y] if kind == MONOTONE else 0.0
        room[y if dense else at_y - start] = min(1.0, probabilities[at_y] / p[y]) - held
    return held


@inlined
def nested(successors, probabilities, start, stop, p, y, dense, rows):
    """Fill a row set under EVERYWHERE; returns the number of groups, and what all successors but y
    take together at most."""
    at_y = position_of(y, successors, start, stop)
    sigma_y = p[y] / probabilities[at_y] if at_y >= 0 else np.inf
    below, rivals = 0.0, 0
    for e in range(start, stop):
        j, q = successors[e], probabilities[e]
        place = j if dense else e - start
        rows.room[place], rows.more[place] = 0.0, 0.0
        if j == y:
            rows.room[place] = min(1.0, q / p[y])
            continue
        sigma = p[j] / q
        if is_blocked(p[j], sigma, sigma_y):
            if sigma == sigma_y:
                below -= max(p[j] - q, 0.0)
            continue
        surely = sigma < sigma_y * (1.0 - NEAR)
        below += q - p[j] if surely else max(q - p[j], 0.0)
        rows.room[place] = min(1.0, q / p[y])
        rows.reach[place] = stop - start  # all groups there are
        if sigma < 1.0:
            rows.sigma[rivals], rows.rival[rivals] = sigma, e
            rivals += 1
    groups = share_surplus(successors, probabilities, start, rivals, p, y, dense, rows)
    return groups, min(1.0, max(below, 0.0) / p[y]) if at_y >= 0 else 1.0


@inlined
def share_surplus(successors, probabilities, start, rivals, p, y, dense, rows):
    """Gather the surplus of rivals with equal sigma, and say how far each may reach for it: a
    rival to its own share, and to all of smaller sigma. Tied rivals cannot lend to each other;
    near-ties, which may be in either order, can."""
    rank_ascending(rows.sigma, rivals, rows.rank)
    for i in range(rivals):
        rows.ranked[rows.rank[i]] = rows.sigma[i]
        rows.entry[rows.rank[i]] = rows.rival[i]
    groups = 0
    for i in range(rivals):
        e = rows.entry[i]
        place = successors[e] if dense else e - start
        if i == 0 or rows.ranked[i] != rows.ranked[i - 1]:
            groups += 1
            rows.surplus[groups] = 0.0
        share = min(1.0, (probabilities[e] - p[successors[e]]) / p[y])
        rows.surplus[groups] += share
        rows.more[place] = share
        rows.reach[place] = groups
    last = groups
    for i in range(rivals - 1, -1, -1):
        e = rows.entry[i]
        place = successors[e] if dense else e - start
        own, share = rows.reach[place], rows.more[place]
        tied = i > 0 and rows.ranked[i - 1] == rows.ranked[i]
        if i < rivals - 1:
            tied = tied or rows.ranked[i + 1] == rows.ranked[i]
            if rows.ranked[i + 1] > rows.ranked[i] * (1.0 + NEAR):
                last = own
        rows.reach[place], rows.more[place] = last, 0.0
        if tied and last == own:
            rows.more[place] = max(rows.room[place] - share, 0.0)
            rows.reach_more[place] = own - 1
            rows.room[place] = share
    return groups


@inlined
def pour_box(order, ranked, side, first, last, size, room, free, poured):
    """What is free to be poured fills places in the order of their values, with first to last
    changes left: `poured[c]` is what it is worth. What rounding leaves over goes to the place that
    was filled first."""
    for c in range(first, last + 1):
        left, total, best = free, 0.0, 0.0
        i = 0
        while i < size and left > 0.0:
            taken = min(room[order[side, c, i]], left)
            if taken > 0.0:
                best = ranked[side, c, i] if left == free else best
                total += taken * ranked[side, c, i]
                left -= taken
            i += 1
        poured[c] = total + left * best if left > 0.0 else total


@inlined
def pour_nested(
    order, ranked, side, first, last, size, y_place, groups, all_others,
    room, more, reach, reach_more, surplus, left_over, lender, poured,
):  # fmt: skip
    """The same under EVERYWHERE: who is filled uses the surplus that is nearest to it."""
    lender[0] = 0
    for c in range(first, last + 1):
        for g in range(1, groups + 1):
            left_over[g], lender[g] = surplus[g], g
        left, others, total, best = 1.0, all_others, 0.0, 0.0
        i = 0
        while i < size and left > 0.0:
            place = order[side, c, i]
            taken = min(room[place], left)
            if taken > 0.0:
                if place != y_place:
                    taken = draw(min(reach[place], groups), min(taken, others), left_over, lender)
                    if more[place] > 0.0:
                        wanted = min(more[place], left - taken, others - taken)
                        taken += draw(reach_more[place], wanted, left_over, lender)
                    others -= taken
                best = ranked[side, c, i] if left == 1.0 else best
                total += taken * ranked[side, c, i] if taken > 0.0 else 0.0
                left -= taken
            i += 1
        poured[c] = total + left * best if left > 0.0 else total


@inlined
def draw(group, wanted, left, lender):
    """Take surplus from a group and those below it; returns how much there was."""
    taken = 0.0
    while group > 0 and wanted > 0.0:
        while lender[group] != group:
            lender[group] = lender[lender[group]]
            group = lender[group]
        if group > 0:
            part = min(left[group], wanted)
            left[group] -= part
            wanted -= part
            taken += part
            if left[group] <= 0.0:
                lender[group] = group - 1
    return taken
