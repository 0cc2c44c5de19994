"""The distinct action sequences that a policy produces, and the law of what they are worth."""

from __future__ import annotations

import numpy as np

from untaken.kernels.baselines import row_at
from untaken.kernels.compile import kernel
from untaken.kernels.courses import grown
from untaken.kernels.worlds import clear_row, scatter_row, scratch_for


@kernel
def sequences_above(graph, steps, threshold, limit, effort):
    """Every action sequence at least as probable as the threshold: its actions, its probability
    and its mean utility given that it occurs; and whether the search was cut short, by more than
    `limit` sequences or by more than `effort` edges walked, on whatever prefixes.

    Depth first: a prefix carries the measure f over the nodes where it may be, and g, the measure
    weighted with the utility so far. The mass of a prefix never grows along the tree, so that a
    prefix below the threshold is left with all that follows from it. Memory is one such pair of
    vectors for each step.
    """
    f, g, nodes, count = whole_measure(graph)
    tried = np.full(steps, -1, np.int64)
    sequence = np.empty(steps, np.int32)
    found = 0
    actions = np.empty((16, steps), np.int32)
    probability, mean = np.empty(16), np.empty(16)

    t, walked = 0, 0
    while t >= 0:
        a = next_action(graph, nodes[t], count[t], tried[t])
        if a < 0:
            t -= 1
            continue
        tried[t] = a
        sequence[t] = a
        mass, worth, edges = act(graph, t, a, f, g, nodes, count)
        walked += edges
        if walked > effort:
            return actions[:found], probability[:found], mean[:found], True
        if mass < threshold or mass == 0.0:
            continue
        if t < steps - 1:
            t += 1
            tried[t] = -1
            continue
        if found == limit:
            return actions[:found], probability[:found], mean[:found], True
        if found == probability.size:
            actions = grown_rows(actions, 2 * found)
            probability, mean = grown(probability, 2 * found), grown(mean, 2 * found)
        actions[found] = sequence
        probability[found], mean[found] = mass, worth / mass
        found += 1
    return actions[:found], probability[:found], mean[:found], False


@kernel
def whole_measure(graph):
    """Memory for the measure of a prefix in each layer, f and g over `count` nodes, with all of it
    at the first node."""
    layers = graph.layers.size - 1
    widest = np.max(np.diff(graph.layers))
    f, g = np.zeros((layers, widest)), np.zeros((layers, widest))
    nodes, count = np.empty((layers, widest), np.int64), np.zeros(layers, np.int64)
    f[0, 0], nodes[0, 0], count[0] = 1.0, 0, 1
    return f, g, nodes, count


@kernel
def followed_sequence(graph, steps):
    """The sequence that takes, at each step, the action that is most probable after those before
    it, with its probability and its mean utility. No other need be less probable, but where all
    are rare this one is found at once."""
    f, g, nodes, count = whole_measure(graph)
    sequence = np.empty(steps, np.int32)
    mass, worth = 1.0, 0.0
    for t in range(steps):
        most = -1.0
        a = next_action(graph, nodes[t], count[t], -1)
        while a >= 0:
            mass = act(graph, t, a, f, g, nodes, count)[0]
            if mass > most:
                most, sequence[t] = mass, a
            a = next_action(graph, nodes[t], count[t], a)
        mass, worth, _ = act(graph, t, sequence[t], f, g, nodes, count)
    return sequence, mass, worth / mass


@kernel
def next_action(graph, nodes, count, after):
    """The lowest action above `after` that is chosen at one of the nodes; -1 if there is none."""
    lowest = -1
    for i in range(count):
        a = graph.action[nodes[i]]
        if a > after and (lowest < 0 or a < lowest):
            lowest = a
    return lowest


@kernel
def act(graph, t, a, f, g, nodes, count):
    """Follow the nodes of layer t at which action a is chosen into the next layer, if there is
    one. Returns the mass that goes there, the utility that it carries, and the edges walked."""
    here, moving = graph.layers[t], t + 2 < graph.layers.size
    mass, worth, walked = 0.0, 0.0, 0
    if moving:
        there = graph.layers[t + 1]
        for i in range(count[t + 1]):
            j = nodes[t + 1, i] - there
            f[t + 1, j], g[t + 1, j] = 0.0, 0.0
        count[t + 1] = 0
    for i in range(count[t]):
        node = nodes[t, i]
        if graph.action[node] != a:
            continue
        f_here = f[t, node - here]
        g_here = g[t, node - here] + f_here * graph.utility[node]
        mass += f_here
        worth += g_here
        if not moving:
            continue
        for e in range(graph.edges[node], graph.edges[node + 1]):
            j = graph.target[e] - there
            if f[t + 1, j] == 0.0 and graph.weight[e] * f_here > 0.0:
                nodes[t + 1, count[t + 1]] = graph.target[e]
                count[t + 1] += 1
            f[t + 1, j] += graph.weight[e] * f_here
            g[t + 1, j] += graph.weight[e] * (g_here + f_here * graph.paid[e])
        walked += graph.edges[node + 1] - graph.edges[node]
    if moving and t + 3 == graph.layers.size:  # the last layer may hold what a seen s_T pays
        if graph.action[graph.layers[t + 1]] < 0:
            worth = 0.0
            for i in range(count[t + 1]):
                j = nodes[t + 1, i] - there
                worth += g[t + 1, j] + f[t + 1, j] * graph.utility[nodes[t + 1, i]]
    return mass, worth, walked


@kernel
def grown_rows(array, rows):
    """A copy of a table with room for more rows."""
    larger = np.empty((rows, array.shape[1]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@kernel
def outcome_law(graph, node_steps, edge_steps, reach, sequence):
    """The measure of courses over the lattice: `[v]` for a utility of v lattice steps.

    `node_steps` and `edge_steps` are what each node and edge adds, in whole steps; `reach[layer]`
    is the most that a course can have gathered before a layer. A `sequence` of actions restricts
    the measure to the courses that play it; an empty one does not.
    """
    layers = graph.layers.size - 1
    law = np.zeros(reach[layers] + 1)
    slot = np.full(
        graph.state.size, -1, np.int64
    )  # where a node's measure is kept, once it has any
    slot[0] = 0
    here, low, high = np.zeros((1, reach[0] + 1)), np.zeros(1, np.int64), np.zeros(1, np.int64)
    here[0, 0] = 1.0
    for layer in range(layers):
        wanted = sequence[layer] if layer < sequence.size else -1
        size = assign_slots(graph, layer, wanted, slot)
        there = np.zeros((size, reach[layer + 1] + 1))
        low_next, high_next = np.full(size, there.shape[1]), np.full(size, -1)
        for node in range(graph.layers[layer], graph.layers[layer + 1]):
            i = slot[node]
            if i < 0 or (wanted >= 0 and graph.action[node] != wanted):
                continue
            if layer == layers - 1:
                for v in range(low[i], high[i] + 1):
                    law[v + node_steps[node]] += here[i, v]
            for e in range(graph.edges[node], graph.edges[node + 1]):
                j = slot[graph.target[e]]
                shift, w = node_steps[node] + edge_steps[e], graph.weight[e]
                source = here[i, low[i] : high[i] + 1]
                target = there[j, low[i] + shift : high[i] + shift + 1]
                for v in range(source.size):
                    target[v] += w * source[v]
                low_next[j] = min(low_next[j], low[i] + shift)
                high_next[j] = max(high_next[j], high[i] + shift)
        here, low, high = there, low_next, high_next
    return law


@kernel
def assign_slots(graph, layer, wanted, slot):
    """Number the nodes of the next layer that the wanted action (-1: any) leads to; returns how
    many there are."""
    size = 0
    for node in range(graph.layers[layer], graph.layers[layer + 1]):
        if slot[node] < 0 or (wanted >= 0 and graph.action[node] != wanted):
            continue
        for e in range(graph.edges[node], graph.edges[node + 1]):
            if slot[graph.target[e]] < 0:
                slot[graph.target[e]] = size
                size += 1
    return size


@kernel
def forced_utilities(process, course, worlds, sequences):
    """The expected utility of playing each fixed sequence, whatever happens.

    Forward over the states, all sequences abreast: they share most of their steps, and the rows
    of an action are made once a step.
    """
    count, steps = sequences.shape
    n, m = course.alternatives.shape
    transitions = course.states.size - 1
    mass, mass_next = np.zeros((count, n)), np.zeros((count, n))
    mass[:, course.states[0]] = 1.0
    utility, paid = np.zeros(count), 1.0
    scratch, p = scratch_for(n), np.zeros(n)
    for t in range(steps):
        if t < transitions:
            observed = course.states[t] * m + course.actions[t]
            scatter_row(process, observed, p)
            mass_next[:] = 0.0
        for s in range(n):
            for a in range(m):
                entries = -1  # the row is made when the first sequence needs it
                for i in range(count):
                    if sequences[i, t] != a or mass[i, s] == 0.0:
                        continue
                    utility[i] += paid * mass[i, s] * process.utility[s, a]
                    if t == transitions:
                        continue
                    if entries < 0:
                        entries = row_at(process, course, worlds, t, s * m + a, p, scratch)
                    for j in range(entries):
                        e, moved = scratch.entry[j], mass[i, s] * scratch.weight[j]
                        mass_next[i, process.successors[e]] += moved
                        if process.arrival.size:
                            utility[i] += paid * moved * process.arrival[e]
        if t < transitions:
            clear_row(process, observed, p)
            mass, mass_next = mass_next, mass
        paid *= process.discount
    if transitions == steps:
        for i in range(count):
            for s in range(n):
                utility[i] += paid * mass[i, s] * process.final[s]
    return utility
