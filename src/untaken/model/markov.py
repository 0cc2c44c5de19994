"""Does the past still inform the future once the present is known?

For every context (s, a) the next state is set against the state and the action before. The
statistic is the sum of the two likelihood ratios, G = 2 sum n log(n m / (r c)) over the cells n of
each table with its margins. It is compared with what comes when the next states of each context
are shuffled among themselves, which keeps all margins and breaks every tie with the past; so no
table needs to be large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.episodes import Episodes
from untaken.episodes.episodes import UNSEEN
from untaken.kernels.layout import Floats, Ints

LIMIT = 100_000
"""More transitions than this sharpen no answer: episodes are drawn until there are as many."""
DOUBT = 0.05


@dataclass(frozen=True)
class MarkovCheck:
    """One test of the Markov property. Printed, it is a sentence."""

    statistic: float
    """Twice the log likelihood ratio, summed over contexts, for the state and the action before."""
    excess: float
    """How much the past tells about the next state beyond chance, in nats a transition."""
    p_value: float
    """The chance of a statistic as large, were the process Markov."""
    transitions: int
    """How many transitions, each with one before it, were looked at."""

    def __str__(self) -> str:
        if not self.transitions:
            return "there are no two transitions in a row, so that nothing can be said"
        told = f"(p = {self.p_value:.3g}, {self.excess:+.4f} nats a transition beyond chance)"
        if self.p_value > DOUBT:
            return f"no sign that the state or action before still informs the next state {told}"
        return f"the state or action before still informs the next state {told}: Markov is doubtful"


def check_markov(
    episodes: Episodes, seed: int | np.random.Generator = 0, shuffles: int = 199
) -> MarkovCheck:
    """Test whether the state and action before inform the next state, given the present ones."""
    rng = np.random.default_rng(seed)
    context, after, before = _triples(enough(episodes, rng))
    if not len(context):
        return MarkovCheck(0.0, 0.0, 1.0, 0)
    order = np.argsort(context, kind="stable")
    context, after = context[order], after[order]
    pasts = [_numbered(np.stack([context, past[order]])) for past in before]
    observed = _statistic(pasts, after)
    null = np.empty(shuffles)
    for turn in range(shuffles):
        shuffled = np.lexsort((rng.random(len(context)), context))
        null[turn] = _statistic(pasts, after[shuffled])
    tolerance = 1e-9 * max(1.0, abs(observed))
    at_least = int((null >= observed - tolerance).sum())
    independent = _independent(context, after, pasts)
    return MarkovCheck(
        statistic=2 * (observed - independent),
        excess=float(observed - null.mean()) / len(context),
        p_value=(1 + at_least) / (1 + shuffles),
        transitions=len(context),
    )


def enough(episodes: Episodes, rng: np.random.Generator) -> Episodes:
    """The episodes, or where they are very many some of them, drawn at random."""
    if episodes.decisions <= LIMIT:
        return episodes
    order = rng.permutation(len(episodes))
    enough = int(np.searchsorted(np.cumsum(episodes.horizons[order]), LIMIT)) + 1
    return episodes[np.sort(order[:enough])]


def _triples(episodes: Episodes) -> tuple[Ints, Ints, tuple[Ints, Ints]]:
    """The context, the next state, and the state and action before, of every transition that has
    another before it."""
    inner = np.ones(episodes.decisions, dtype=np.bool_)
    inner[episodes.offsets[:-1]] = False
    here = np.flatnonzero(inner & (episodes.next_codes != UNSEEN))
    states, actions = (
        codes.astype(np.int64) for codes in (episodes.state_codes, episodes.action_codes)
    )
    context = states[here] * len(episodes.actions) + actions[here]
    after = episodes.next_codes[here].astype(np.int64)
    return context, after, (states[here - 1], actions[here - 1])


def _numbered(keys: Ints) -> Ints:
    """Columns of keys as numbers 0, 1, 2, ..."""
    number: Ints = np.unique(keys, axis=1, return_inverse=True)[1]
    return number.reshape(-1)


def _statistic(pasts: list[Ints], after: Ints) -> float:
    """The part of the likelihood that shuffling changes: sum of n log n over cells."""
    size = int(after.max()) + 1
    return sum(_n_log_n(np.unique(past * size + after, return_counts=True)[1]) for past in pasts)


def _independent(context: Ints, after: Ints, pasts: list[Ints]) -> float:
    """What `_statistic` would be if cells were the products of their margins."""
    columns = _n_log_n(np.unique(_numbered(np.stack([context, after])), return_counts=True)[1])
    total = _n_log_n(np.unique(context, return_counts=True)[1])
    return sum(_n_log_n(np.bincount(past)) + columns - total for past in pasts)


def _n_log_n(counts: Ints | Floats) -> float:
    return float((counts * np.log(counts)).sum())
