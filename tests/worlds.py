"""Random small questions for hypothesis: with zeros, ties, one state, one step, impossible rows."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.oracles import World


def random_rows(rng: np.random.Generator, *shape: int, plain: bool = False) -> np.ndarray:
    """Rows that sum to one. Unless `plain`: with zeros, and with equal entries, which make ties."""
    weights = rng.exponential(size=shape)
    if not plain:
        weights = np.where(rng.random(shape) < 0.5, rng.integers(0, 3, shape), weights)
        weights *= rng.random(shape) > 0.2
        empty = weights.sum(-1) == 0
        weights[empty, rng.integers(shape[-1])] = 1.0
    return weights / weights.sum(-1, keepdims=True)


@st.composite
def worlds(
    draw: st.DrawFn, states: int = 4, actions: int = 3, steps: int = 4, plain: bool = False
) -> World:
    """A random process and a course that it can produce."""
    n, m, T = (draw(st.integers(1, size)) for size in (states, actions, steps))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    P = random_rows(rng, n, m, n, plain=plain)
    R = rng.integers(-3, 4, (n, m)).astype(float)
    if draw(st.booleans()):
        R += rng.normal(size=(n, m))
    arrival = rng.integers(-2, 3, (n, m, n)) * float(draw(st.booleans()))
    seen = draw(st.booleans())
    course, acted = [int(rng.integers(n))], []
    for t in range(T):
        acted.append(int(rng.integers(m)))
        if t < T - 1 or seen:
            course.append(int(rng.choice(n, p=P[course[-1], acted[-1]])))
    return World(
        P=P,
        R=R,
        arrival=arrival,
        final=rng.integers(0, 5, n).astype(float),
        available=(rng.random((n, m)) < 0.8) | draw(st.booleans()),
        discount=draw(st.sampled_from([1.0, 0.9])),
        sign=draw(st.sampled_from([1.0, -1.0])),
        states=course,
        actions=acted,
        pinned=set(draw(st.lists(st.integers(0, T - 1), max_size=2))),
    )
