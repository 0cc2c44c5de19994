"""How far an answer depends on the estimate of the process: the same question asked of draws from
its posterior.

The episode that is explained has happened, so the posterior is the one that has seen it: a fit that
left it out is given its transitions first. That is the same as to weight draws by the probability
that they give to the episode, without the waste of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken.errors import InvalidPolicy, InvalidQuestion
from untaken.kernels.evaluate import policy_utility
from untaken.kernels.layout import Codes, Floats, Process, Worlds
from untaken.kernels.search import OBSERVED_FIRST
from untaken.kernels.search import solve as solve_kernel
from untaken.kernels.sequences import forced_utilities
from untaken.mechanism import ClosedForm
from untaken.model import Fit, Rows
from untaken.search import Policy, Problem
from untaken.search.problem import whole

SMALLEST_DRAW = 1e-290
"""What a drawn probability is at least: a draw rules nothing out."""


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """One outcome under each draw of the process.

    >>> import untaken as ut
    >>> trial = ut.datasets.cbt_trial()
    >>> fit = ut.fit(trial.episodes, ut.neighbour_prior(), reward=trial.reward)
    >>> cf = ut.explain(trial.episodes[0], fit.mdp, k=1)
    >>> spread = cf.credible(fit, draws=50, seed=0).policy
    >>> len(spread.outcomes), spread.observed == cf.observed, 0 <= spread.beats_observed <= 1
    (50, True, True)
    >>> low, high = spread.interval(0.9)
    >>> low < spread.mean < high
    True
    """

    outcomes: Floats
    """In the user's rewards or costs."""
    observed: float
    """What the observed course is worth, whatever the process."""
    sign: float
    """1 for rewards; -1 for costs, of which less is better."""
    tie: float
    """Outcomes closer than this to the observed one do not beat it."""

    @property
    def mean(self) -> float:
        """The expected outcome, the process averaged out."""
        return float(self.outcomes.mean())

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """The central interval that holds the outcome with this probability."""
        if not 0 < level < 1:
            raise InvalidQuestion(f"level is a probability between 0 and 1; {level} came")
        low, high = np.quantile(self.outcomes, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    @property
    def beats_observed(self) -> float:
        """The share of draws in which it is better than what was observed."""
        return float(np.mean(self.sign * (self.outcomes - self.observed) > self.tie))

    @property
    def beats_error(self) -> float:
        """The standard error of that share, from the number of draws."""
        share, draws = self.beats_observed, len(self.outcomes)
        return float(np.sqrt(share * (1 - share) / draws))

    def __repr__(self) -> str:
        low, high = self.interval()
        return (
            f"Spread(mean={self.mean:.4g}, 90% from {low:.4g} to {high:.4g}, "
            f"beats observed in {self.beats_observed:.1%})"
        )


@dataclass(frozen=True, eq=False)
class Credible:
    """An answer under the posterior of the process.

    >>> import untaken as ut
    >>> trial = ut.datasets.cbt_trial()
    >>> fit = ut.fit(trial.episodes, ut.neighbour_prior(), reward=trial.reward)
    >>> cf = ut.explain(trial.episodes[0], fit.mdp, k=1)
    >>> credible = cf.credible(fit, draws=20, seed=0)
    >>> credible.policy.outcomes.shape, credible.attainable.mean >= credible.policy.mean
    ((20,), True)
    >>> credible.policy.interval(0.9)[0] < credible.policy.mean < credible.policy.interval(0.9)[1]
    True
    """

    attainable: Spread
    """The best outcome that k changes could have had, each draw with a policy of its own, which
    needs no influence. Too high as a forecast: nobody knows which draw is true."""
    policy: Spread
    """The outcome of this answer's policy."""
    sequences: tuple[Spread, ...]
    """The outcome of each sequence, played whatever happens."""
    actions: Codes
    """The sequences in codes, a row each."""
    frontiers: Floats
    """The best outcome for every budget, `[draw, budget]`."""

    def __str__(self) -> str:
        lines = [f"attainable  {self.attainable}", f"this policy {self.policy}"]
        lines += [f"sequence {i}  {spread}" for i, spread in enumerate(self.sequences)]
        return "\n".join(lines)


def credible(
    problem: Problem,
    policy: Policy,
    fit: Fit,
    actions: Codes,
    draws: int,
    seed: int | np.random.Generator,
) -> Credible:
    """Ask a question of each draw, and what its answer's policy and some sequences yield there."""
    draws = whole(draws, "draws", "draws", 1)
    sequences = _sequences(problem, actions)
    weights, rng = posterior_weights(problem, fit), np.random.default_rng(seed)
    table = np.ascontiguousarray(policy.actions)
    frontiers = np.empty((draws, policy.budget + 1))
    of_policy, of_sequences = np.empty(draws), np.empty((draws, len(sequences)))
    for d in range(draws):
        process = problem.process._replace(probabilities=_draw(problem.process, weights, rng))
        worlds = _worlds(problem, process)
        course = problem.course
        frontiers[d] = solve_kernel(
            process, course, worlds, policy.budget, problem.tie, OBSERVED_FIRST
        )[0]
        of_policy[d] = policy_utility(process, course, worlds, table)[-1]
        of_sequences[d] = forced_utilities(process, course, worlds, sequences)

    def spread(utilities: Floats) -> Spread:
        return Spread(problem.sign * utilities, problem.observed, problem.sign, problem.tie)

    return Credible(
        attainable=spread(frontiers[:, -1]),
        policy=spread(of_policy),
        sequences=tuple(spread(utilities) for utilities in of_sequences.T),
        actions=sequences,
        frontiers=problem.sign * frontiers,
    )


def posterior_weights(problem: Problem, fit: Fit) -> Floats:
    """The Dirichlet weights of the entries of the process, the episode counted in once."""
    if not isinstance(fit, Fit):
        raise InvalidQuestion(
            "the posterior of the process is that of a fit, as ut.fit() returns it; "
            f"a {type(fit).__name__} came"
        )
    mdp, rows = problem.mdp, problem.mdp.transitions
    if (fit.states.names, fit.actions.names) != (mdp.states.names, mdp.actions.names):
        raise InvalidQuestion(
            "the fit and the process of this answer do not have the same states and actions, in "
            "the same order; explain the episode with fit.mdp"
        )
    contexts = rows.context_of_entry()
    dense = fit.concentration.reshape(rows.contexts, rows.states)
    weights: Floats = dense[contexts, rows.successors]
    if np.any(weights <= 0) or np.count_nonzero(dense) != weights.size:
        raise InvalidQuestion(
            "the fit does not allow the same transitions as the process of this answer; explain "
            "the episode with fit.mdp"
        )
    if not _is_counted(problem, fit):
        for t in range(problem.transitions):
            states, action = problem.course.states, int(problem.course.actions[t])
            weights[rows.find(int(states[t]), action, int(states[t + 1]))] += 1
    return weights


def _is_counted(problem: Problem, fit: Fit) -> bool:
    id = problem.episode.id
    if id is None:
        raise InvalidQuestion(
            "the episode has no id, so it cannot be told whether the fit has counted it; "
            "take it from the episodes that were fitted, or give it an id of its own"
        )
    return id not in fit.left_out and id in fit.episodes.ids.tolist()


def _draw(process: Process, weights: Floats, rng: np.random.Generator) -> Floats:
    drawn = np.maximum(rng.standard_gamma(weights), SMALLEST_DRAW)
    starts, lengths = process.offsets[:-1], np.diff(process.offsets)
    rows: Floats = drawn / np.repeat(np.add.reduceat(drawn, starts), lengths)
    return rows


def _worlds(problem: Problem, process: Process) -> Worlds:
    """The mechanism in a drawn process; one that is no closed form has its table made anew."""
    course, mechanism = problem.course, problem.mechanism
    if problem.rules.drop_below:
        raise InvalidQuestion("draws of the process cannot be asked with drop_below; leave it at 0")
    if isinstance(mechanism, ClosedForm):
        return mechanism.worlds_in(process, course.states, course.actions)
    old = problem.mdp.transitions
    rows = Rows(old.offsets, old.successors, process.probabilities, old.states, old.actions)
    return mechanism.worlds(problem.mdp.replace(transitions=rows), course.states, course.actions)


def _sequences(problem: Problem, actions: Codes) -> Codes:
    codes = np.asarray(actions, dtype=np.int32)
    if codes.ndim != 2 or codes.shape[1] != problem.horizon:
        raise InvalidPolicy(
            f"sequences must be given as rows of {problem.horizon} action codes; "
            f"shape {codes.shape} came"
        )
    if codes.size and not 0 <= codes.min() <= codes.max() < len(problem.mdp.actions):
        raise InvalidPolicy(
            f"action codes run from 0 to {len(problem.mdp.actions) - 1}; "
            f"{codes.min()} to {codes.max()} came"
        )
    return np.ascontiguousarray(codes)
