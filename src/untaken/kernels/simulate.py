"""Courses drawn from a process under a policy: inverse transforms of given uniform numbers."""

from __future__ import annotations

from untaken.kernels.compile import inlined, kernel


@inlined
def drawn(probabilities, start, stop, uniform):
    """The position from start to stop at which the running sum of probabilities passes the uniform
    number; the last positive one where rounding leaves it short of one."""
    chosen = start
    total = 0.0
    for position in range(start, stop):
        if probabilities[position] > 0.0:
            chosen = position
            total += probabilities[position]
            if uniform < total:
                break
    return chosen


@kernel
def draw_courses(
    offsets, successors, probabilities, departure, arrival,
    policy, first, horizons, ends, uniforms,
    states, actions, rewards, lengths,
):  # fmt: skip
    """Fill states[i, t], actions[i, t], rewards[i, t] and lengths[i] for each course i.

    `policy[t, s, a]` holds for every step where it has one step only. A course stops after
    horizons[i] decisions, or on arrival in a state that `ends`. Each decision takes two uniform
    numbers: one for the action, one for the next state.
    """
    courses, width = actions.shape
    choices = policy.shape[2]
    for i in range(courses):
        s = first[i]
        states[i, 0] = s
        t = 0
        while t < horizons[i] and t < width and not ends[s]:
            plan = policy[t % policy.shape[0], s]
            a = drawn(plan, 0, choices, uniforms[i, t, 0])
            context = s * choices + a
            e = drawn(probabilities, offsets[context], offsets[context + 1], uniforms[i, t, 1])
            actions[i, t] = a
            rewards[i, t] = departure[s, a] + (arrival[e] if arrival.size else 0.0)
            s = successors[e]
            t += 1
            states[i, t] = s
        lengths[i] = t
