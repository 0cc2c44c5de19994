"""Everything that can happen under a policy, unfolded into layers of nodes, and what can be read
off that graph.

A node is (step, state, changes left) as far as the policy can reach it; its edges are the
counterfactual transitions of the action chosen there. Utilities in it are discounted already, so
that the utility of a course is the plain sum along it. Where the last state was seen it is a layer
of its own, without action. Every exact answer about a policy is one pass over this graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from untaken.kernels.baselines import pick, row_at
from untaken.kernels.compile import inlined, kernel
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.kernels.worlds import clear_row, scatter_row, scratch_for

SUPPORT = 1e-12
"""An edge rarer than this cannot be told from one that rounding has made."""


class Graph(NamedTuple):
    """The layers of courses that a policy can take."""

    layers: Ints  # (layers + 1,): where each layer's nodes start
    state: Codes  # (nodes,)
    left: Codes  # (nodes,): changes left
    action: Codes  # (nodes,): -1 in the layer of seen last states
    utility: Floats  # (nodes,): what being there and acting pays
    edges: Ints  # (nodes + 1,): where each node's edges start
    target: Ints  # (edges,): node in the next layer
    weight: Floats  # (edges,)
    paid: Floats  # (edges,): what arriving pays


@kernel
def grown(array, size):
    """A copy of an array with room for `size` values."""
    larger = np.empty(size, array.dtype)
    larger[: array.size] = array
    return larger


@kernel
def unfold(process, course, worlds, policy, counting):
    """The graph of a policy `[t, s, c]`, started with as many changes as it is wide. Where
    `counting` is false the policy does not depend on them, and nothing is counted."""
    steps, n, width = policy.shape
    m, transitions = course.alternatives.shape[1], course.states.size - 1
    room = (transitions + 1) * n * width
    layers = np.zeros(transitions + 2, np.int64)
    state, left, action = (
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )
    utility, edges = np.empty(room), np.zeros(room + 1, np.int64)
    target, weight, paid = np.empty(256, np.int64), np.empty(256), np.empty(256)
    node_of = np.full((n, width), -1, np.int64)
    scratch, p = scratch_for(n), np.zeros(n)

    state[0], left[0] = course.states[0], width - 1
    nodes, used, discount = 1, 0, 1.0
    layers[1] = 1
    for t in range(transitions + 1):
        acting, moving = t < steps, t < transitions
        if moving:
            observed = course.states[t] * m + course.actions[t]
            scatter_row(process, observed, p)
        for node in range(layers[t], layers[t + 1]):
            s, c = state[node], left[node]
            a = policy[t, s, c] if acting else -1
            action[node] = a
            utility[node] = discount * (process.utility[s, a] if acting else process.final[s])
            if moving:
                c_next = c - (a != course.actions[t]) if counting else c
                count = row_at(process, course, worlds, t, s * m + a, p, scratch)
                while used + count > target.size:
                    target = grown(target, 2 * target.size)
                    weight = grown(weight, 2 * weight.size)
                    paid = grown(paid, 2 * paid.size)
                for i in range(count):
                    e = scratch.entry[i]
                    j = process.successors[e]
                    if node_of[j, c_next] < 0:
                        node_of[j, c_next] = nodes
                        state[nodes], left[nodes] = j, c_next
                        nodes += 1
                    target[used] = node_of[j, c_next]
                    weight[used] = scratch.weight[i]
                    paid[used] = discount * process.arrival[e] if process.arrival.size else 0.0
                    used += 1
            edges[node + 1] = used
        if moving:
            clear_row(process, observed, p)
            layers[t + 2] = nodes
            for node in range(layers[t + 1], nodes):
                node_of[state[node], left[node]] = -1
            discount *= process.discount
    return Graph(
        layers,
        state[:nodes].copy(),
        left[:nodes].copy(),
        action[:nodes].copy(),
        utility[:nodes].copy(),
        edges[: nodes + 1].copy(),
        target[:used].copy(),
        weight[:used].copy(),
        paid[:used].copy(),
    )


@kernel
def expected_utility(graph):
    """The expected utility from each node on."""
    value = np.empty(graph.state.size)
    for node in range(value.size - 1, -1, -1):
        total = graph.utility[node]
        for e in range(graph.edges[node], graph.edges[node + 1]):
            total += graph.weight[e] * (graph.paid[e] + value[graph.target[e]])
        value[node] = total
    return value


@kernel
def occupancy(graph):
    """The probability of coming to each node."""
    mass = np.zeros(graph.state.size)
    mass[0] = 1.0
    for node in range(mass.size):
        for e in range(graph.edges[node], graph.edges[node + 1]):
            mass[graph.target[e]] += mass[node] * graph.weight[e]
    return mass


@kernel
def extreme_course(graph, sign, tie):
    """The possible course of the highest utility (the lowest, where sign is -1), the most probable
    one among equals: its nodes, its utility and its probability."""
    size = graph.state.size
    best, chance = np.empty(size), np.empty(size)
    follow = np.full(size, -1, np.int64)
    for node in range(size - 1, -1, -1):
        best[node], chance[node] = 0.0, 1.0
        for e in range(graph.edges[node], graph.edges[node + 1]):
            if graph.weight[e] < SUPPORT:
                continue
            j = graph.target[e]
            value = sign * graph.paid[e] + best[j]
            probability = graph.weight[e] * chance[j]
            better = follow[node] < 0 or value > best[node] + tie
            if better or (value >= best[node] - tie and probability > chance[node]):
                best[node], chance[node], follow[node] = value, probability, j
        best[node] += sign * graph.utility[node]
    path = np.empty(graph.layers.size - 1, np.int64)
    node = 0
    for layer in range(path.size):
        path[layer] = node
        node = follow[node]
    return path, sign * best[0], chance[0]


@kernel
def chances_given(graph, sequence):
    """How probable each node is, given that exactly this sequence of actions is played."""
    layers = graph.layers.size - 1
    before, after = np.zeros(graph.state.size), np.zeros(graph.state.size)
    before[0] = 1.0
    for layer in range(layers):
        for node in range(graph.layers[layer], graph.layers[layer + 1]):
            if before[node] > 0.0 and plays(graph, node, layer, sequence):
                for e in range(graph.edges[node], graph.edges[node + 1]):
                    before[graph.target[e]] += before[node] * graph.weight[e]
    for layer in range(layers - 1, -1, -1):
        for node in range(graph.layers[layer], graph.layers[layer + 1]):
            if before[node] > 0.0 and plays(graph, node, layer, sequence):
                after[node] = 1.0 if layer == layers - 1 else 0.0
                for e in range(graph.edges[node], graph.edges[node + 1]):
                    after[node] += graph.weight[e] * after[graph.target[e]]
    return before * after / after[0]


@inlined
def plays(graph, node, layer, sequence):
    """Whether a node of a layer takes the action of a sequence; after the last one there is none to
    take."""
    return layer >= sequence.size or graph.action[node] == sequence[layer]


@kernel
def sample_courses(graph, uniforms):
    """Nodes and utilities of sampled courses; `uniforms[i, t]` decides transition t of course i."""
    draws, layers = uniforms.shape[0], graph.layers.size - 1
    nodes, utility = np.empty((draws, layers), np.int64), np.zeros(draws)
    for i in range(draws):
        node = 0
        for layer in range(layers):
            nodes[i, layer] = node
            utility[i] += graph.utility[node]
            if layer < layers - 1:
                start, stop = graph.edges[node], graph.edges[node + 1]
                e = start + pick(graph.weight[start:stop], stop - start, uniforms[i, layer])
                utility[i] += graph.paid[e]
                node = graph.target[e]
    return nodes, utility
