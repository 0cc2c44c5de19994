"""The Gumbel-max mechanism: S' = argmax_j log P(j | s, a) + g_j with Gumbel noise g.

With g = -log U it is a race: j arrives at time U_j / P(j | s, a), U_j exponential, and the first
one wins. That form makes the posterior of the noise a line of code, and the counterfactual row an
integral with a closed form (see `untaken.kernels.worlds`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from untaken.errors import InvalidQuestion, InvalidRow
from untaken.kernels.layout import Codes, Floats, Ints, Worlds
from untaken.kernels.worlds import GUMBEL_MAX, TABULATED, tally_races
from untaken.mechanism.mechanism import ClosedForm, Mechanism, checked, distribution
from untaken.model import MDP

Seed = int | np.random.Generator | None


@dataclass(frozen=True)
class GumbelMax(ClosedForm):
    """The paper's causal model, its counterfactual rows exact.

    >>> import untaken as ut
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> ut.GumbelMax().row(p, 0, q).round(4)
    array([0.4   , 0.1385, 0.4615])
    >>> ut.GumbelMax().row(p, 2, q)
    array([0., 0., 1.])
    """

    name: ClassVar[str] = "Gumbel-max"
    form: ClassVar[int] = GUMBEL_MAX

    def abduct(self, p: ArrayLike, y: int, draws: int, seed: Seed = None) -> Floats:
        """Draws from the posterior of the Gumbel noise, given that the row p led to y: the first
        step of a counterfactual. One row of the result per draw."""
        p, y, _ = checked(p, y, p)
        return -np.log(posterior_arrival_times(p, y, draws, np.random.default_rng(seed)))

    def predict(self, noise: Floats, q: ArrayLike) -> Ints:
        """What comes of each draw of the noise under another row q: the last step.

        >>> noise = GumbelMax().abduct([0.5, 0.5], 1, draws=4, seed=0)
        >>> GumbelMax().predict(noise, [0.5, 0.5])
        array([1, 1, 1, 1])
        """
        q = distribution(q, "the row q")
        if noise.shape[1:] != q.shape:
            raise InvalidRow(
                f"noise must have a column for each of {q.size} states; {noise.shape} came"
            )
        with np.errstate(divide="ignore"):
            outcomes: Ints = np.argmax(np.log(q) + noise, axis=1)
        return outcomes


@dataclass(frozen=True)
class GumbelMaxSampled(Mechanism):
    """The same causal model as the paper computes it: the mean over `d` draws of the noise.

    Here for comparison. The optimum chosen on noisy estimates is too high on average.

    >>> import untaken as ut
    >>> ut.GumbelMaxSampled(d=10_000, seed=0).row([0.5, 0.3, 0.2], 0, [0.2, 0.3, 0.5]).round(2)
    array([0.4 , 0.14, 0.46])
    """

    name: ClassVar[str] = "sampled Gumbel-max"
    d: int = 1000
    """Draws of the noise for each observed transition."""
    seed: Seed = 0

    def __post_init__(self) -> None:
        if not isinstance(self.d, (int, np.integer)) or self.d < 1:
            raise InvalidQuestion(f"d must be a whole number of draws, at least 1; {self.d} came")

    def row(self, p: ArrayLike, y: int, q: ArrayLike) -> Floats:
        """The estimate of one counterfactual row."""
        p, y, q = checked(p, y, q)
        noise = GumbelMax().abduct(p, y, self.d, self.seed)
        outcomes = GumbelMax().predict(noise, q)
        return np.bincount(outcomes, minlength=q.size) / self.d

    def worlds(self, mdp: MDP, states: Codes, actions: Codes) -> Worlds:
        """The estimates for all contexts, the same draws for all of them, fresh ones each step."""
        rng = np.random.default_rng(self.seed)
        rows, transitions = mdp.transitions, len(states) - 1
        table = np.zeros((transitions, rows.successors.size))
        for t in range(transitions):
            p = rows.row(int(states[t]), int(actions[t]))
            tally_races(
                mdp.arrays, posterior_arrival_times(p, states[t + 1], self.d, rng), table[t]
            )
        return Worlds(TABULATED, table)


def posterior_arrival_times(p: Floats, y: int, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of U given that y won the race under p.

    The winning time M is exponential whoever wins. By memorylessness all others, not there by
    then, have another exponential time ahead of them.
    """
    M = rng.exponential(size=(draws, 1))
    U = p * M + rng.exponential(size=(draws, p.size))
    U[:, y] = p[y] * M[:, 0]
    return U
