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


def posterior_mean(episodes, states, actions, alpha):
    """The posterior mean of every row, counted label by label; and the pairs that occur."""
    weights, seen = {}, set()
    for s in states:
        for a in actions:
            for after in states:
                weights[s, a, after] = alpha(s, a, after)
    for episode in episodes:
        for t, action in enumerate(episode.actions):
            seen.add((episode.states[t], action))
            if t + 1 < len(episode.states):
                weights[episode.states[t], action, episode.states[t + 1]] += 1
    mean = {}
    for s in states:
        for a in actions:
            total = sum(weights[s, a, after] for after in states)
            for after in states:
                mean[s, a, after] = weights[s, a, after] / total
    return mean, seen


def held_out_score(members, folds, states, actions, alpha):
    """The mean log probability of held-out transitions, each fold's rows counted from scratch."""
    scores = []
    for fold in set(folds):
        rest = [episode for episode, own in zip(members, folds, strict=True) if own != fold]
        mean, _ = posterior_mean(rest, states, actions, alpha)
        for episode, own in zip(members, folds, strict=True):
            if own == fold:
                triples = zip(episode.states, episode.actions, episode.states[1:], strict=False)
                scores.extend(float(np.log(mean[triple])) for triple in triples)
    return float(np.mean(scores))


def likelihood_ratio(episodes):
    """G of the state before and of the action before, context by context, cell by cell."""
    tables = {}
    for episode in episodes:
        for t in range(1, len(episode.states) - 1):
            context = episode.states[t], episode.actions[t]
            for kind, past in enumerate((episode.states[t - 1], episode.actions[t - 1])):
                tables.setdefault((kind, context), []).append((past, episode.states[t + 1]))
    total = 0.0
    for pairs in tables.values():
        for past, after in set(pairs):
            cell = pairs.count((past, after))
            row = sum(p == past for p, _ in pairs)
            column = sum(n == after for _, n in pairs)
            total += 2 * cell * np.log(cell * len(pairs) / (row * column))
    return total
