"""The Monte Carlo procedure that the exact search is compared with, vectorised over its samples.

The plain one, loop for loop, is `tests.oracles.monte_carlo_transitions` with `paper_search`.
"""

from __future__ import annotations

import numpy as np


def vectorised_transitions(P, states, actions, d: int, rng: np.random.Generator) -> np.ndarray:
    """P_tau[t, s, a, s'] from d draws of the noise a step, all draws of a context at once."""
    n, m, _ = P.shape
    with np.errstate(divide="ignore"):
        log_P = np.log(P)
    P_tau = np.zeros((len(states) - 1, n, m, n))
    for t in range(len(states) - 1):
        noise = vectorised_noise(log_P[states[t], actions[t]], states[t + 1], d, rng)
        for s in range(n):
            for a in range(m):
                outcomes = np.argmax(log_P[s, a] + noise, axis=1)
                P_tau[t, s, a] = np.bincount(outcomes, minlength=n) / d
    return P_tau


def vectorised_noise(log_p, y: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Top-down for all draws at once: the maximum first, the others truncated below it. All of p
    is positive here."""
    top = rng.gumbel(size=(d, 1))
    free = rng.gumbel(size=(d, len(log_p))) + log_p
    noise = -np.log(np.exp(-top) + np.exp(-free)) - log_p
    noise[:, y] = top[:, 0] - log_p[y]
    return noise
