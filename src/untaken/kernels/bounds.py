"""Dynamic programs over all causal models of a class: at every cell one adversary, or one ally,
picks the counterfactual row.

    low[t, s, c]  = max( R + worst w . low[t+1, ., c]   keeping a_t,
                         R + worst w . low[t+1, ., c-1] under any other a )

and high with the best row. Whichever model of the class is true, the optimum lies between them, and
the policy that attains low is worth that much at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from untaken.kernels.compile import inlined, kernel
from untaken.kernels.layout import Floats, Ints
from untaken.kernels.row_sets import EVERYWHERE, box, nested, pour_box, pour_nested, row_set_for
from untaken.kernels.search import OBSERVED_FIRST, choose, fewest_changes
from untaken.kernels.worlds import clear_row, position_of, rank_ascending, scatter_row


class Ahead(NamedTuple):
    """The values of the next step, and the states in the order in which a row is poured. Side 0 is
    that of the adversary, who begins with the lowest; side 1 that of the ally. One record for both:
    to pick one of two inside of a loop over rows takes as long as a row."""

    values: Floats  # (sides, states, changes left)
    order: Ints  # (sides, changes left, states)
    ranked: Floats  # (sides, changes left, states): the values in that order
    poured: Floats  # (changes left,): what a row is worth, poured
    key: Floats
    rank: Ints


@kernel
def ahead_of(process, seen, width):
    """The values after the last step."""
    n = process.final.size
    values = np.zeros((2, n, width))
    if seen:
        for s in range(n):
            values[:, s, :] = process.final[s]
    return Ahead(
        values,
        np.empty((2, width, n), np.int64),
        np.empty((2, width, n)),
        np.empty(width),
        np.empty(n),
        np.empty(n, np.int64),
    )


@inlined
def rank_places(ahead, side, values, size, order, ranked):
    """Put places into the order in which they are poured into."""
    for i in range(size):
        ahead.key[i] = (1.0 - 2.0 * side) * values[i]
    rank_ascending(ahead.key, size, ahead.rank)
    for i in range(size):
        order[ahead.rank[i]] = i
        ranked[ahead.rank[i]] = values[i]


@kernel
def rank_states(ahead, width):
    """The same for all states, once for all rows of a step."""
    for side in range(2):
        for c in range(width):
            rank_places(
                ahead, side, ahead.values[side, :, c], ahead.values.shape[1],
                ahead.order[side, c], ahead.ranked[side, c],
            )  # fmt: skip


@kernel
def rank_entries(process, start, stop, side, c, ahead, line):
    """The same for the successors of one row, where that is shorter or arriving pays."""
    for e in range(start, stop):
        line[e - start] = process.discount * ahead.values[side, process.successors[e], c]
        if process.arrival.size:
            line[e - start] += process.arrival[e]
    rank_places(ahead, side, line, stop - start, ahead.order[side, c], ahead.ranked[side, c])


@kernel
def worth(kind, process, context, p, y, dense, shift, first, last, ahead, rows, line, worths):
    """What acting in a context is worth at the worst and at the best, with first to last changes
    left, of which acting uses up `shift`: `worths[:, c]`."""
    start, stop = process.offsets[context], process.offsets[context + 1]
    at_y = position_of(y, process.successors, start, stop)
    y_place = y if dense else at_y - start
    size = process.final.size if dense else stop - start
    scale = process.discount if dense else 1.0
    m = process.utility.shape[1]
    utility = process.utility[context // m, context % m]
    groups, others, held = 0, 0.0, 0.0
    if kind == EVERYWHERE:
        groups, others = nested(
            process.successors, process.probabilities, start, stop, p, y, dense, rows
        )
    else:
        held = box(
            kind, process.successors, process.probabilities, start, stop, p, y, dense, rows.room
        )
    paid = process.arrival[at_y] if held > 0.0 and process.arrival.size else 0.0
    for side in range(2):
        if not dense:
            for c in range(first - shift, last - shift + 1):
                rank_entries(process, start, stop, side, c, ahead, line)
        if kind == EVERYWHERE:
            pour_nested(
                ahead.order, ahead.ranked, side, first - shift, last - shift, size, y_place, groups,
                others, rows.room, rows.more, rows.reach, rows.reach_more, rows.surplus, rows.left,
                rows.lender, ahead.poured,
            )  # fmt: skip
        else:
            pour_box(
                ahead.order, ahead.ranked, side, first - shift, last - shift, size, rows.room,
                1.0 - held, ahead.poured,
            )  # fmt: skip
        for c in range(first, last + 1):
            value = utility + scale * ahead.poured[c - shift]
            if held > 0.0:
                value += held * (process.discount * ahead.values[side, y, c - shift] + paid)
            worths[side, c] = value
    if dense:
        for e in range(start, stop):
            rows.room[process.successors[e]] = 0.0
            rows.more[process.successors[e]] = 0.0


@kernel
def settled_worth(process, context, y, shift, first, last, ahead, worths):
    """The same where there is nothing to choose from: in the observed context, or, with y below
    zero, at a last step that leads nowhere."""
    utility, paid = process.utility.ravel()[context], 0.0
    if y >= 0 and process.arrival.size:
        start, stop = process.offsets[context], process.offsets[context + 1]
        paid = process.arrival[position_of(y, process.successors, start, stop)]
    for side in range(2):
        for c in range(first, last + 1):
            worths[side, c] = utility
            if y >= 0:
                worths[side, c] += process.discount * ahead.values[side, y, c - shift]
                worths[side, c] += paid  # in the order of the plain search, to the last bit


@kernel
def solve_bounds(process, course, worlds, k, tie, kind, dense):
    """For every budget the worst and the best that the optimum can be, the policy that attains the
    worst, and the fewest changes to each state. `worlds` says what is possible at all."""
    n, m = course.alternatives.shape
    steps, transitions = course.actions.size, course.states.size - 1
    fewest = fewest_changes(process, course, worlds, k)
    policy, unused = np.empty((steps, n, k + 1), np.int32), np.empty(k + 1, np.int32)
    ahead = ahead_of(process, transitions == steps, k + 1)
    here = np.zeros((2, n, k + 1))
    worths = np.empty((m, 2, k + 1))
    allowed = np.empty(m, np.bool_)
    p, line, rows = np.zeros(n), np.empty(n), row_set_for(n)
    for t in range(steps - 1, -1, -1):
        kept = course.actions[t]
        observed = course.states[t] * m + kept
        y = course.states[t + 1] if t < transitions else -1
        if y >= 0:
            scatter_row(process, observed, p)
            if dense:
                rank_states(ahead, min(k, steps - t) + 1)
        for s in range(n):
            policy[t, s, :] = kept
            left = k - fewest[t, s]
            if left < 0:
                continue
            last = min(left, steps - t)
            for a in range(m):
                shift = np.int64(a != kept)
                allowed[a] = shift == 1 and last > 0 and course.alternatives[s, a]
                allowed[a] = allowed[a] and not course.pinned[t]
                if shift == 1 and not allowed[a]:
                    continue
                context = s * m + a
                most = last - shift  # by changes left after it, as `choose` has them
                if y < 0 or context == observed:
                    settled_worth(process, context, y, 0, 0, most, ahead, worths[a])
                else:
                    worth(
                        kind, process, context, p, y, dense, 0, 0, most,
                        ahead, rows, line, worths[a],
                    )  # fmt: skip
            choose(worths[:, 0], allowed, kept, last, tie, OBSERVED_FIRST, here[0, s], policy[t, s])
            choose(worths[:, 1], allowed, kept, last, tie, OBSERVED_FIRST, here[1, s], unused)
            for c in range(last + 1, left + 1):
                here[:, s, c] = here[:, s, last]
                policy[t, s, c] = policy[t, s, last]
        if y >= 0:
            clear_row(process, observed, p)
        ahead.values[:] = here
    start = course.states[0]
    return ahead.values[0, start].copy(), ahead.values[1, start].copy(), policy, fewest


@kernel
def policy_bounds(process, course, policy, counting, kind, dense):
    """The worst and the best that a policy `[t, s, c]` can be worth, for every budget. Where
    `counting` is false it does not depend on changes, and nothing is counted."""
    steps, n, width = policy.shape
    m, transitions = course.alternatives.shape[1], course.states.size - 1
    ahead = ahead_of(process, transitions == steps, width)
    here = np.zeros((n, 2, width))
    p, line, rows = np.zeros(n), np.empty(n), row_set_for(n)
    for t in range(steps - 1, -1, -1):
        kept = course.actions[t]
        observed = course.states[t] * m + kept
        y = course.states[t + 1] if t < transitions else -1
        if y >= 0:
            scatter_row(process, observed, p)
            if dense:
                rank_states(ahead, width)
        for s in range(n):
            first = 0
            while first < width:
                a, last = policy[t, s, first], first
                while last + 1 < width and policy[t, s, last + 1] == a:
                    last += 1
                shift = np.int64(counting and a != kept)
                if y < 0 or s * m + a == observed:
                    settled_worth(process, s * m + a, y, shift, first, last, ahead, here[s])
                else:
                    worth(
                        kind, process, s * m + a, p, y, dense, shift, first, last,
                        ahead, rows, line, here[s],
                    )  # fmt: skip
                first = last + 1
        if y >= 0:
            clear_row(process, observed, p)
        ahead.values[0], ahead.values[1] = here[:, 0], here[:, 1]
    start = course.states[0]
    return ahead.values[0, start].copy(), ahead.values[1, start].copy()


@kernel
def row_extremes(kind, p, y, support, q, values):
    """The lowest and the highest expectation of values over the rows of a class."""
    n, entries = p.size, support.size
    extremes, poured = np.empty(2), np.empty(1)
    rows, key, rank = row_set_for(n), np.empty(entries), np.empty(entries, np.int64)
    order, ranked = np.empty((1, 1, entries), np.int64), np.empty((1, 1, entries))
    y_place = position_of(y, support, 0, entries)
    groups, others, held = 0, 0.0, 0.0
    if kind == EVERYWHERE:
        groups, others = nested(support, q, 0, entries, p, y, False, rows)
    else:
        held = box(kind, support, q, 0, entries, p, y, False, rows.room)
    for side in range(2):
        for i in range(entries):
            key[i] = (1.0 - 2.0 * side) * values[support[i]]
        rank_ascending(key, entries, rank)
        for i in range(entries):
            order[0, 0, rank[i]], ranked[0, 0, rank[i]] = i, values[support[i]]
        if kind == EVERYWHERE:
            pour_nested(
                order, ranked, 0, 0, 0, entries, y_place, groups, others, rows.room, rows.more,
                rows.reach, rows.reach_more, rows.surplus, rows.left, rows.lender, poured,
            )  # fmt: skip
        else:
            pour_box(order, ranked, 0, 0, 0, entries, rows.room, 1.0 - held, poured)
        extremes[side] = poured[0] + (held * values[y] if held > 0.0 else 0.0)
    return extremes[0], extremes[1]
