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


def held_out_predictions(members, folds, states, actions, alpha):
    """For each held-out transition: its episode, the row predicted for it, the row that does not
    know the action, and the place of the state that came."""
    told = []
    for place, (episode, own) in enumerate(zip(members, folds, strict=True)):
        rest = [e for e, fold in zip(members, folds, strict=True) if fold != own]
        for t in range(min(episode.horizon, len(episode.states) - 1)):
            s, a, after = episode.states[t], episode.actions[t], episode.states[t + 1]
            by_action = {}
            for b in actions:
                by_action[b] = [alpha(s, b, j) for j in states]
                for e in rest:
                    triples = zip(e.states, e.actions, e.states[1:], strict=False)
                    for here, taken, there in triples:
                        if (here, taken) == (s, b):
                            by_action[b][states.index(there)] += 1
            pooled = [sum(parts) for parts in zip(*by_action.values(), strict=True)]
            own_row = [weight / sum(by_action[a]) for weight in by_action[a]]
            blind = [weight / sum(pooled) for weight in pooled]
            told.append((place, own_row, blind, states.index(after)))
    return told


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


def read_log(rows, gaps, duplicates, min_length):
    """Episodes from rows (episode, step, state, action), one row after the other: pieces as
    (id, states, actions), and whether any row is at fault."""
    faulty, courses, lost = False, {}, set()
    for episode, step, state, action in rows:
        if episode is None:
            faulty = True
        elif step is None:
            faulty = True
            lost.add(episode)
            courses.setdefault(episode, [])
        else:
            courses.setdefault(episode, []).append((step, state, action))
    pieces = []
    for id in sorted(courses):
        course = sorted(courses[id], key=lambda row: row[0])
        kept, bad = _judged(course, duplicates)
        faulty |= bad
        cut, torn, jumped = _cut(kept)
        if gaps == "error":
            faulty |= jumped
            if torn or jumped or id in lost:
                continue
        if gaps == "split" and id in lost:
            continue
        parts = cut if gaps == "split" else [[row for part in cut for row in part]]
        parts = [part for part in parts if part]
        for number, part in enumerate(parts, 1):
            actions = [action for _, _, action in part if action is not None]
            if not actions and len(parts) == 1:
                faulty = True
            if len(actions) >= min_length:
                name = (id, number) if len(parts) > 1 else id
                pieces.append((name, [state for _, state, _ in part], actions))
    return pieces, faulty


def _judged(course, duplicates):
    """The rows of one course, None in place of a rejected one; and whether any is at fault."""
    kept, bad = [], False
    for step in sorted({row[0] for row in course}):
        same = [row for row in course if row[0] == step]
        whole = [row for row in same if row[1] is not None]
        if len(same) == 1 or duplicates in ("first", "last"):
            chosen = same[-1] if duplicates == "last" else same[0]
        elif duplicates == "merge" and all(row == same[0] for row in same):
            chosen = same[0]
        else:
            chosen = None
        if len(whole) < len(same):
            bad = True
        if chosen is None or chosen[1] is None:
            bad = True
            kept.append(None)
        elif len(whole) < len(same):
            kept.extend([None, chosen, None])
        else:
            kept.append(chosen)
    last = max((place for place, row in enumerate(kept) if row), default=None)
    for place, row in enumerate(kept):
        if row and row[2] is None and place != last:
            bad = True
            kept[place] = None
    return kept, bad


def _cut(kept):
    """Pieces between rejected rows and skipped steps, whether rows are missing inside, and whether
    steps are skipped where no row was rejected."""
    pieces, torn, jumped, hole = [[]], False, False, False
    for row in kept:
        if row is None:
            hole = True
            continue
        before = pieces[-1][-1] if pieces[-1] else None
        if before and hole:
            torn = True
            pieces.append([])
        elif before and row[0] != before[0] + 1:
            jumped = True
            pieces.append([])
        pieces[-1].append(row)
        hole = False
    return pieces, torn, jumped
