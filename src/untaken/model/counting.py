"""Transitions, decisions and rewards of episodes, counted by context."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from untaken.episodes import Episodes, Labels
from untaken.episodes.episodes import UNSEEN
from untaken.episodes.labels import listed
from untaken.kernels.layout import Codes, Ints
from untaken.model.reward_tables import RewardSums


def in_vocabulary(
    episodes: Episodes, states: Iterable[Any] | None, actions: Iterable[Any] | None
) -> Episodes:
    """The same episodes in other vocabularies, matched by label."""
    final_and_inside = np.append(episodes.state_codes, episodes.final_codes[episodes.final_seen])
    new_states, state_code = _recoded(episodes.states, states, final_and_inside)
    new_actions, action_code = _recoded(episodes.actions, actions, episodes.action_codes)
    return replace(
        episodes,
        states=new_states,
        actions=new_actions,
        state_codes=state_code[episodes.state_codes],
        action_codes=action_code[episodes.action_codes],
        final_codes=state_code[episodes.final_codes],
    )


def _recoded(old: Labels, given: Iterable[Any] | None, used: Codes) -> tuple[Labels, Codes]:
    """The new vocabulary, and the new code of each old one; -1, the last, stays -1."""
    if given is None:
        return old, np.append(np.arange(len(old)), UNSEEN).astype(np.int32)
    new = Labels(tuple(listed(given, old.kind)), old.kind)
    codes = np.full(len(old) + 1, UNSEEN, dtype=np.int32)
    occurs = np.bincount(used, minlength=len(old)) > 0
    for code, label in enumerate(old):
        if occurs[code] or label in new:
            codes[code] = new.code(label, "the episodes")
    return new, codes


def counted(episodes: Episodes) -> tuple[Ints, Ints]:
    """Transitions `counts[s, a, s']` and decisions `visits[s, a]`."""
    states, actions = len(episodes.states), len(episodes.actions)
    context = episodes.state_codes.astype(np.int64) * actions + episodes.action_codes
    seen = episodes.next_codes != UNSEEN
    entry = context[seen] * states + episodes.next_codes[seen]
    counts = np.bincount(entry, minlength=states * actions * states)
    visits = np.bincount(context, minlength=states * actions)
    return counts.reshape(states, actions, states), visits.reshape(states, actions)


def reward_sums(episodes: Episodes) -> RewardSums:
    """The rewards that the log carries, summed over the decisions of each context."""
    states, actions = len(episodes.states), len(episodes.actions)
    context = episodes.state_codes.astype(np.int64) * actions + episodes.action_codes
    size = states * actions
    total = np.bincount(context, weights=episodes.rewards, minlength=size).astype(np.float64)
    visits = np.bincount(context, minlength=size).astype(np.float64)
    return RewardSums(total.reshape(states, actions), visits.reshape(states, actions))
