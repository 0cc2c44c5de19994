"""Slow, obvious twins for other causal models, bounds, influence and parameter uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def inverse_cdf_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:
    """Cut the unit interval by q, and see what falls into the piece that p gave to y."""
    low, high = sum(p[:y]), sum(p[: y + 1])
    ends = [sum(q[:j]) for j in range(len(q) + 1)]
    inside = [max(0.0, min(high, ends[j + 1]) - max(low, ends[j])) for j in range(len(q))]
    return np.array([x if x > 1e-14 else 0.0 for x in inside]) / p[y]


def maximal_coupling_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:
    """Put min(p, q) on the diagonal of the coupling, and what is left of p against what is left
    of q as if they were independent."""
    p, q = np.array(p), np.array(q)
    diagonal = np.minimum(p, q)
    left, needed = p - diagonal, q - diagonal
    theta = np.diag(diagonal)
    if left.sum() > 0:
        theta = theta + np.outer(left, needed) / left.sum()
    return theta[y] / p[y]


def independent_row(p: Sequence, y: int, q: Sequence) -> np.ndarray:  # noqa: ARG001
    return np.array(q)
