"""How good an estimated process is: on episodes that it has not seen, and as a Markov model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.episodes.episodes import UNSEEN
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Codes, Floats, Ints
from untaken.model.markov import MarkovCheck, check_markov, enough
from untaken.model.posterior import Fit

BINS = 10


@dataclass(frozen=True)
class HeldOut:
    """How well transitions of episodes are predicted by a fit without these episodes."""

    folds: int
    transitions: int
    log_likelihood: float
    """The mean log probability (nats) of the state that came next."""
    without_actions: float
    """The same for rows that know the state and not the action: what actions tell is the rest."""
    standard_error: float
    """Of the difference between the two, over episodes."""

    def __str__(self) -> str:
        if not np.isfinite(self.log_likelihood):
            return "transitions happened that a prior with zeros rules out"
        gain = self.log_likelihood - self.without_actions
        return (
            f"{self.log_likelihood:.3f} nats a transition; actions add {gain:+.3f} "
            f"(standard error {self.standard_error:.3f})"
        )


@dataclass(frozen=True)
class CalibrationBin:
    """Predictions of about the same probability."""

    predicted: float
    """The mean probability that was predicted."""
    observed: float
    """How often it came true."""
    count: int


@dataclass(frozen=True)
class Calibration:
    """Whether events predicted with probability p happen in p of the cases, on held-out episodes:
    every possible next state of every transition is one prediction."""

    bins: tuple[CalibrationBin, ...]

    @property
    def error(self) -> float:
        """The mean distance between predicted and observed, weighted by the probability that the
        cases hold: of many states most are all but ruled out, and say nothing."""
        weights = [bin.count * bin.predicted for bin in self.bins]
        off = [abs(bin.predicted - bin.observed) for bin in self.bins]
        return float(np.average(off, weights=weights))


@dataclass(frozen=True)
class FitSummary:
    """Coverage and goodness of a fit. Printed, it is a short text."""

    states: int
    actions: int
    episodes: int
    transitions: int
    contexts_seen: int
    contexts_thin: int
    """Contexts that were seen, with fewer than five transitions."""
    contexts: int
    prior_share: float
    """Which part of the weight behind an average decision is the prior's."""
    held_out: HeldOut | None
    """None where there are too few episodes to hold any out."""
    calibration: Calibration | None
    markov: MarkovCheck

    def __str__(self) -> str:
        lines = [
            f"{self.states} states, {self.actions} actions, {self.episodes:,} episodes, "
            f"{self.transitions:,} transitions",
            f"contexts    {self.contexts_seen:,} of {self.contexts:,} seen, "
            f"{self.contexts_thin:,} of them with fewer than 5 transitions",
            f"prior       {self.prior_share:.0%} of the weight behind an average decision",
        ]
        if self.held_out and self.calibration:
            lines += [
                f"held out    {self.held_out}",
                f"calibration predicted and observed differ by {self.calibration.error:.3f}",
            ]
        return "\n".join([*lines, f"Markov      {self.markov}"])


@dataclass(frozen=True, eq=False)
class _Transitions:
    """Every transition that was seen, in codes."""

    state: Codes
    action: Codes
    after: Codes
    episode: Ints


def summarise(fit: Fit, folds: int, seed: int | np.random.Generator) -> FitSummary:
    """Coverage, held-out prediction, calibration and the Markov check of a fit."""
    if not isinstance(folds, int | np.integer) or folds < 2:
        raise InvalidQuestion(f"folds must be a whole number of at least 2; {folds!r} came")
    rng = np.random.default_rng(seed)
    episodes = fit.counted_episodes
    seen = ~fit.never_seen
    thin = seen & (fit.counts.sum(axis=2) < 5)
    weight = fit.visits / max(fit.visits.sum(), 1)
    held_out, calibration = hold_out(fit, folds, rng)
    return FitSummary(
        states=len(fit.states),
        actions=len(fit.actions),
        episodes=len(episodes),
        transitions=int(fit.counts.sum()),
        contexts_seen=int(seen.sum()),
        contexts_thin=int(thin.sum()),
        contexts=seen.size,
        prior_share=float((weight * fit.prior_share).sum()),
        held_out=held_out,
        calibration=calibration,
        markov=check_markov(episodes, rng),
    )


def hold_out(
    fit: Fit, folds: int, rng: np.random.Generator
) -> tuple[HeldOut | None, Calibration | None]:
    """Predict the transitions of each fold of episodes from the counts of the others: the counts
    of the fold are subtracted, and nothing is estimated anew."""
    episodes = enough(fit.counted_episodes, rng)
    folds = min(folds, len(episodes))
    seen = episodes.next_codes != UNSEEN
    every = _Transitions(
        episodes.state_codes[seen],
        episodes.action_codes[seen],
        episodes.next_codes[seen],
        episodes.episode_of_decision[seen],
    )
    if folds < 2 or not len(every.state):
        return None, None
    fold_of = rng.permutation(len(episodes)) % folds
    own, blind = np.empty(len(every.state)), np.empty(len(every.state))
    tally = np.zeros((3, BINS))
    for fold in range(folds):
        here = fold_of[every.episode] == fold
        part = _Transitions(
            every.state[here], every.action[here], every.after[here], every.episode[here]
        )
        rows, without_actions = _rows_without(fit, part)
        own[here] = rows[np.arange(len(part.after)), part.after]
        blind[here] = without_actions[part.state, part.after]
        tally += _binned(rows, part.after)
    held_out = _scored(own, blind, every.episode, folds)
    bins = [
        CalibrationBin(predicted / count, hit / count, int(count))
        for predicted, hit, count in tally.T.tolist()
        if count
    ]
    return held_out, Calibration(tuple(bins))


def _rows_without(fit: Fit, part: _Transitions) -> tuple[Floats, Floats]:
    """The predictions for each transition of a fold, and rows that do not know the action; both
    from the other folds."""
    states, actions = len(fit.states), len(fit.actions)
    context = part.state.astype(np.int64) * actions + part.action
    flat = fit.concentration.reshape(-1, states)
    counts = np.bincount(context * states + part.after, minlength=flat.size).reshape(flat.shape)
    rest = flat - counts * ~np.repeat(fit.absorbing, actions)[:, None]
    rows = rest[context]
    by_state = rest.reshape(states, actions, states).sum(axis=1)
    return _scaled(rows), _scaled(by_state)


def _scaled(rows: Floats) -> Floats:
    """Rows that sum to one; those without any weight predict nothing."""
    sums = rows.sum(axis=1, keepdims=True)
    return np.asarray(rows / np.where(sums > 0, sums, 1.0))


def _binned(rows: Floats, after: Codes) -> Floats:
    """By bins of predicted probability: its sum, the number that came true, and the number."""
    place = np.minimum((rows * BINS).astype(np.int64), BINS - 1)
    true = np.bincount(place[np.arange(len(after)), after], minlength=BINS)
    predicted = np.bincount(place.ravel(), weights=rows.ravel(), minlength=BINS)
    return np.stack([predicted, true, np.bincount(place.ravel(), minlength=BINS)])


def _scored(own: Floats, blind: Floats, episode: Ints, folds: int) -> HeldOut:
    with np.errstate(divide="ignore", invalid="ignore"):  # a prior with zeros may be refuted
        log_own, log_blind = np.log(own), np.log(blind)
        gain = log_own - log_blind
        by_episode = np.bincount(episode, weights=gain - gain.mean())
    error = float(np.sqrt((by_episode**2).sum()) / len(gain))
    return HeldOut(folds, len(own), float(log_own.mean()), float(log_blind.mean()), error)
