"""The process that logged episodes speak for: counts, a Dirichlet posterior, and its mean.

With prior weights alpha and counted transitions c, the row of context (s, a) has the posterior
Dirichlet(alpha + c). Its mean, (alpha + c) / sum(alpha + c), is exact: nothing is sampled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from untaken.episodes import Episodes, Label, Labels
from untaken.errors import InvalidProcess
from untaken.kernels.layout import Flags, Floats, Ints
from untaken.model.counting import counted, reward_sums
from untaken.model.mdp import MDP
from untaken.model.reward_tables import RewardSums
from untaken.model.rows import frozen

if TYPE_CHECKING:
    from untaken.model.goodness import FitSummary

SMALLEST_DRAW = 1e-290
"""What a drawn probability is at least: tiny weights underflow, and nothing possible is ruled out
by a draw."""


class Unseen(Enum):
    """What becomes of contexts that the log never shows.

    The paper gives them a reward of minus infinity. To reproduce that, leave them unavailable and
    give `explain(..., rules=Rules(minus_infinity=True))`.

    >>> import untaken as ut
    >>> episodes = ut.Episodes.of([ut.Episode(["ill", "well"], ["treat"])])
    >>> labels = {"reward": {"ill": 0, "well": 1}, "actions": ["wait", "treat"]}
    >>> ut.fit(episodes, ut.uniform_prior(), **labels).mdp.available
    array([[False,  True],
           [False, False]])
    >>> trusting = ut.fit(episodes, ut.uniform_prior(), unseen=ut.Unseen.AS_SEEN, **labels)
    >>> trusting.mdp.available.tolist()
    [[True, True], [True, True]]
    """

    UNAVAILABLE = "may not be chosen"
    """Nothing is known about them, so they are no alternatives. Observed ones may be kept."""
    AS_SEEN = "may be chosen, on the word of the prior alone"
    """They are alternatives like all others, and lead where the prior says."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A decision process estimated from episodes, with its uncertainty. Made by `fit`.

    >>> import untaken as ut
    >>> episodes = ut.Episodes.of([ut.Episode([2, 1, 0, 1], ["treat", "treat", "wait"], id="A")])
    >>> fit = ut.fit(episodes, ut.uniform_prior(0.5), reward=lambda severity: -severity)
    >>> fit.mdp.transitions.row(2, 0)
    array([0.2, 0.6, 0.2])
    >>> fit.draw(0).transitions.row(2, 0).round(3)
    array([0.271, 0.364, 0.365])
    >>> fit.leave_out("A").mdp.transitions.row(2, 0).round(3)
    array([0.333, 0.333, 0.333])
    """

    episodes: Episodes
    """The episodes, in the vocabulary of the process."""
    alpha: Floats
    """Prior weights `alpha[s, a, s']`."""
    counts: Ints
    """Transitions counted, `counts[s, a, s']`."""
    visits: Ints
    """Decisions counted, `visits[s, a]`: a last step without a final state has no transition."""
    reward: Floats | RewardSums
    """Rewards `R[s, a]`, or the sums of which the log's mean rewards are made."""
    final_reward: Floats
    """What the last state pays where an episode saw it."""
    unseen: Unseen
    """What becomes of contexts never seen."""
    absorbing: Flags
    """States declared to be absorbing: no action leaves them, whatever is counted."""
    discount: float = 1.0
    minimise: bool = False
    left_out: tuple[Label, ...] = ()
    """The ids of episodes that do not count."""

    @property
    def states(self) -> Labels:
        """The vocabulary of states."""
        return self.episodes.states

    @property
    def actions(self) -> Labels:
        """The vocabulary of actions."""
        return self.episodes.actions

    def __repr__(self) -> str:
        without = f", without {len(self.left_out)}" if self.left_out else ""
        return (
            f"Fit({len(self.states)} states, {len(self.actions)} actions, "
            f"{int(self.counts.sum()):,} transitions of {len(self.episodes):,} episodes{without})"
        )

    @cached_property
    def concentration(self) -> Floats:
        """`alpha + counts`: the posterior of each row, `concentration[s, a, s']`. Absorbing states
        have all of their weight on themselves."""
        weights = self.alpha + self.counts
        weights[self.absorbing] = np.eye(len(self.states))[self.absorbing][:, None, :]
        return frozen(weights)

    @cached_property
    def effective_counts(self) -> Floats:
        """On how many transitions each row rests, those that the prior stands for included."""
        return frozen(self.concentration.sum(axis=2))

    @property
    def prior_share(self) -> Floats:
        """Which part of each row's weight is the prior's; none where a state was declared to be
        absorbing."""
        share = self.alpha.sum(axis=2) / self.effective_counts
        return np.where(self.absorbing[:, None], 0.0, share)

    @property
    def never_seen(self) -> Flags:
        """Contexts that no episode shows."""
        return np.asarray(self.visits == 0)

    @cached_property
    def mdp(self) -> MDP:
        """The process with the posterior mean of every row."""
        return self._process(self.concentration / self.effective_counts[..., None])

    def draw(self, seed: int | np.random.Generator) -> MDP:
        """The process with every row drawn from its posterior."""
        return self._process(self.draw_rows(seed))

    def draw_rows(self, seed: int | np.random.Generator) -> Floats:
        """Rows `P[s, a, s']` drawn from the posterior, without the process around them."""
        drawn = np.random.default_rng(seed).standard_gamma(self.concentration)
        drawn = np.where(self.concentration > 0, np.maximum(drawn, SMALLEST_DRAW), 0.0)
        drawn /= drawn.sum(axis=2, keepdims=True)
        return drawn

    def leave_out(self, id: Any) -> Fit:
        """The same fit without one episode: its transitions are subtracted. Give the answer for a
        patient with a process that does not rest on that patient."""
        position = self.episodes.position(id)
        id = self.episodes.ids.tolist()[position]
        if id in self.left_out:
            raise InvalidProcess(f"episode {id!r} is left out already")
        only = self.episodes[np.array([position])]
        counts, visits = counted(only)
        reward = self.reward
        if isinstance(reward, RewardSums):
            minus = reward_sums(only)
            reward = RewardSums(reward.total - minus.total, reward.visits - minus.visits)
        left = replace(
            self,
            counts=frozen(self.counts - counts),
            visits=frozen(self.visits - visits),
            reward=reward,
            left_out=(*self.left_out, id),
        )
        check_weight(left)
        return left

    @cached_property
    def counted_episodes(self) -> Episodes:
        """The episodes that count: those that are not left out."""
        if not self.left_out:
            return self.episodes
        positions = [self.episodes.position(id) for id in self.left_out]
        return self.episodes[np.delete(np.arange(len(self.episodes)), positions)]

    def summary(self, folds: int = 10, seed: int | np.random.Generator = 0) -> FitSummary:
        """Coverage, and how good the model is: on episodes held out, and as a Markov model.
        Printed, it is a short text; "What the answer does not say" goes through it line by line.
        """
        from untaken.model.goodness import summarise

        return summarise(self, folds, seed)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fit to one file of arrays and labels. Kept columns are not in it."""
        from untaken.model.fit_files import save_fit

        save_fit(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Fit:
        """The fit that `save` wrote. The file is data and can run no code."""
        from untaken.model.fit_files import load_fit

        return load_fit(path)

    def _process(self, rows: Floats) -> MDP:
        available = ~self.never_seen | self.absorbing[:, None]
        reward = self.reward
        return MDP(
            rows,
            reward.means() if isinstance(reward, RewardSums) else reward,
            final_reward=self.final_reward,
            discount=self.discount,
            minimise=self.minimise,
            available=available | (self.unseen is Unseen.AS_SEEN),
            states=self.states,
            actions=self.actions,
        )


def check_weight(fit: Fit) -> None:
    """Refuse a fit in which neither the prior nor any transition says where a context leads."""
    empty = fit.alpha.sum(axis=2) + fit.counts.sum(axis=2) == 0
    empty &= ~fit.absorbing[:, None]
    if empty.any():
        state, action = (int(place) for place in np.argwhere(empty)[0])
        without = f"without {', '.join(map(repr, fit.left_out))}, " if fit.left_out else ""
        raise InvalidProcess(
            f"{without}context (state {fit.states[state]!r}, action {fit.actions[action]!r}) has "
            f"no transition and no prior weight, so that nothing is known about it "
            f"({int(empty.sum())} such contexts). Give a prior above zero"
        )
