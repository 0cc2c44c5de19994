"""Slow, obvious twins of the fast paths from logged data to a process."""

from __future__ import annotations

import numpy as np


def simulate_course(mdp, policy, first, horizon, uniforms, stop=True):
    """One course, drawn step by step from dense rows with the same uniform numbers."""
    P = mdp.transitions.dense()
    states, actions = [first], []
    for t in range(horizon):
        s = states[-1]
        if stop and mdp.absorbing[s]:
            break
        plan = policy[t % len(policy), s]
        a = int(np.searchsorted(np.cumsum(plan), uniforms[t, 0], side="right"))
        actions.append(a)
        states.append(int(np.searchsorted(np.cumsum(P[s, a]), uniforms[t, 1], side="right")))
    return states, actions
