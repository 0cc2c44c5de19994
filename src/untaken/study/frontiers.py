"""The short way for studies that keep frontier and gain only: a chunk at a time, in columns.

The kernel is the same as everywhere; what is left out is one object after another in Python, which
would take a third of the time and keep threads waiting for one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from untaken.episodes import Episodes, Labels
from untaken.kernels.frontiers import frontiers
from untaken.kernels.layout import Codes, Flags, Floats, Ints
from untaken.kernels.worlds import TABULATED
from untaken.mechanism import Mechanism
from untaken.mechanism.mechanism import ClosedForm
from untaken.model import MDP
from untaken.search import Rules
from untaken.search.problem import TIE
from untaken.study.asked import Asked
from untaken.study.reuse import Remembered

BLOCK = 32 << 20
"""How many bytes of weights are laid out at once, in each thread."""


@dataclass(frozen=True, eq=False)
class Frontiers:
    """The frontiers of the episodes that can be answered."""

    answered: Flags
    """Which episodes of the chunk those are."""
    outcomes: Floats
    """`[episode, k]`, in the user's rewards or costs."""
    open_ends: Flags
    """Whether what happens after T may decide the answer."""


@dataclass(frozen=True, eq=False)
class ShortWay:
    """A process and a mechanism, ready for chunks."""

    mdp: MDP
    mechanism: Remembered | ClosedForm
    asked: Asked

    @classmethod
    def where_it_leads(cls, mdp: MDP, mechanism: Mechanism, asked: Asked) -> ShortWay | None:
        """None for studies that need more than the frontier, or another order of things."""
        plain = not (asked.depth.policy or asked.detail or asked.leave_out)
        if plain and _needs_no_table(mechanism) and asked.rules == Rules():
            return cls(mdp, mechanism, asked)  # type: ignore[arg-type]
        return None

    def frontiers(self, episodes: Episodes) -> Frontiers:
        """The frontiers of a chunk."""
        coded = Coded.of(episodes, self.mdp)
        pinned, inside = self._pinned(coded)
        answered = coded.known & inside & self._possible(coded)
        chosen = np.flatnonzero(answered)
        blocks = [self._utilities(coded, pinned, block) for block in self._blocks(coded, chosen)]
        sign = -1.0 if self.mdp.minimise else 1.0
        outcomes = sign * np.maximum.accumulate(np.concatenate(blocks), axis=1)
        return Frontiers(answered, outcomes, self._open_ends(coded)[chosen])

    def _blocks(self, coded: Coded, chosen: Ints) -> list[Ints]:
        """The episodes in groups whose weights fit into `BLOCK`; an episode is never cut."""
        if not isinstance(self.mechanism, Remembered):
            return [chosen]
        steps = np.cumsum((coded.stops - coded.starts)[chosen])
        several = max(1, BLOCK // (8 * self.mdp.transitions.successors.size))
        return np.split(chosen, np.flatnonzero(np.diff((steps - 1) // several)) + 1)

    def _utilities(self, coded: Coded, pinned: Flags, block: Ints) -> Floats:
        """The best utility of each episode of a block, for every budget."""
        offsets = np.stack([coded.starts, coded.stops, coded.seen_from, coded.seen_to], axis=1)
        form, kept, rows = self._weights(coded, block)
        found: Floats = frontiers(
            self.mdp.arrays,
            form,
            kept,
            rows,
            offsets[block],
            coded.states,
            coded.actions,
            pinned,
            self._alternatives,
            self.asked.k,
            self._ties(coded)[block],
        )
        return found

    @cached_property
    def _alternatives(self) -> Flags:
        alternatives = self.mdp.available.copy()
        alternatives[:, self.mdp.actions.codes(self.asked.excluded)] = False
        return alternatives

    @cached_property
    def _entries(self) -> Ints:
        """The possible transitions as ascending numbers."""
        rows = self.mdp.transitions
        numbers: Ints = rows.context_of_entry() * rows.states + rows.successors
        return numbers

    def _possible(self, coded: Coded) -> Flags:
        """Whether each episode can be a course of the process."""
        numbers = coded.contexts * len(self.mdp.states) + coded.successors
        place = np.minimum(np.searchsorted(self._entries, numbers), len(self._entries) - 1)
        possible = (self._entries[place] == numbers) | ~coded.moves
        return np.logical_and.reduceat(possible, coded.starts)

    def _pinned(self, coded: Coded) -> tuple[Flags, Flags]:
        """Which decisions must stay, and which episodes have all steps that were named."""
        pinned = np.zeros(len(coded.actions), dtype=np.bool_)
        inside = np.ones(len(coded.starts), dtype=np.bool_)
        horizons = coded.stops - coded.starts
        for step in self.asked.pinned:
            has = (-horizons <= step) & (step < horizons)
            pinned[(coded.starts + step % horizons)[has]] = True
            inside &= has
        return pinned, inside

    def _ties(self, coded: Coded) -> Floats:
        final = np.where(coded.final_seen, np.abs(self.mdp.final_reward).max(), 0.0)
        scale = np.maximum(self.mdp.rewards.scale, final)
        ties: Floats = TIE * scale * (coded.stops - coded.starts)
        return ties

    def _open_ends(self, coded: Coded) -> Flags:
        going = ~self.mdp.absorbing
        forgotten = going.any() and not np.any(self.mdp.final_reward[going] != 0)
        last = coded.states[coded.seen_to - 1]
        return np.asarray(self.mdp.absorbing[last] & forgotten)

    def _weights(self, coded: Coded, block: Ints) -> tuple[int, Floats, Ints]:
        """The form of the worlds, and where the weights of each decision's transition are."""
        rows = np.zeros(len(coded.actions), dtype=np.int64)
        if not isinstance(self.mechanism, Remembered):
            return self.mechanism.form, np.empty((0, 0)), rows
        mine = np.zeros(len(coded.starts), dtype=np.bool_)
        mine[block] = True
        wanted = coded.moves & np.repeat(mine, coded.stops - coded.starts)
        seen = np.stack([coded.contexts[wanted], coded.successors[wanted]], axis=1)
        distinct, which = np.unique(seen, axis=0, return_inverse=True)
        rows[wanted] = which.ravel()
        kept = self.mechanism.weights(distinct[:, 0], distinct[:, 1].astype(np.int32))
        return TABULATED, kept, rows


@dataclass(frozen=True, eq=False)
class Coded:
    """A chunk in the codes of the process, decisions and states one after another."""

    starts: Ints
    stops: Ints
    seen_from: Ints
    seen_to: Ints
    """Where each episode's decisions and its states start and stop."""
    states: Codes
    actions: Codes
    successors: Codes
    """The state after each decision; -1 where it was not seen."""
    contexts: Ints
    known: Flags
    """Whether the process has all labels of an episode."""
    final_seen: Flags

    @classmethod
    def of(cls, episodes: Episodes, mdp: MDP) -> Coded:
        """Match labels, then lay out states with those seen last among them."""
        state_of, action_of = (
            _match(episodes.states, mdp.states),
            _match(episodes.actions, mdp.actions),
        )
        here, actions = state_of[episodes.state_codes], action_of[episodes.action_codes]
        after, final = state_of[episodes.next_codes], state_of[episodes.final_codes]
        starts, stops, seen = episodes.offsets[:-1], episodes.offsets[1:], episodes.final_seen
        strangers = (here < 0) | (actions < 0)
        known = ~np.logical_or.reduceat(strangers, starts) & ~(seen & (final < 0))
        return cls(
            starts=starts,
            stops=stops,
            seen_from=starts + np.cumsum(seen) - seen,
            seen_to=stops + np.cumsum(seen),
            states=np.insert(here, stops[seen], final[seen]),
            actions=actions,
            successors=after,
            contexts=here.astype(np.int64) * len(mdp.actions) + actions,
            known=known,
            final_seen=seen,
        )

    @property
    def moves(self) -> Flags:
        """Whether the state after a decision was seen."""
        return np.asarray(self.successors >= 0)


def _needs_no_table(mechanism: Mechanism) -> bool:
    """Whether the kernel can do without anything worked out for each course."""
    if isinstance(mechanism, Remembered):
        return True
    closed = isinstance(mechanism, ClosedForm)
    return closed and type(mechanism).worlds_in is ClosedForm.worlds_in  # type: ignore[attr-defined]


def _match(old: Labels, new: Labels) -> Codes:
    """The code of each label in another vocabulary; -1 for strangers, and for -1, the last."""
    codes: list[Any] = [new.code(label) if label in new else -1 for label in old]
    return np.array([*codes, -1], dtype=np.int32)
