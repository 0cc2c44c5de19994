"""What is believed about rows before any transition is counted: Dirichlet weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from untaken.episodes import Labels
from untaken.errors import InvalidProcess
from untaken.kernels.layout import Floats


class Prior(Protocol):
    """Anything that gives Dirichlet weights for states and actions."""

    def weights(self, states: Labels, actions: Labels) -> Floats:
        """Weights `alpha[s, a, s']`, or an array that broadcasts to that shape."""


@dataclass(frozen=True)
class NeighbourPrior:
    """Moves to the same or a neighbouring state are likely, others are not ruled out."""

    near: float
    far: float

    def weights(self, states: Labels, actions: Labels) -> Floats:
        """`near` where states stand next to each other in their order, `far` elsewhere."""
        del actions
        place = np.arange(len(states))
        distance = np.abs(place[:, None, None] - place)
        return np.where(distance <= 1, self.near, self.far)


@dataclass(frozen=True)
class UniformPrior:
    """Every next state is as likely."""

    weight: float

    def weights(self, states: Labels, actions: Labels) -> Floats:
        """The same weight everywhere."""
        del actions
        return np.full((1, 1, len(states)), self.weight)


@dataclass(frozen=True, eq=False)
class ArrayPrior:
    """Weights that a user wrote down."""

    array: Floats

    def weights(self, states: Labels, actions: Labels) -> Floats:
        """The array as it is: (S,) for all rows alike, (S, S) for all actions alike, or all."""
        size, choices = len(states), len(actions)
        if self.array.shape == (size, size):
            return self.array[:, None, :]
        if self.array.shape in ((size,), (size, choices, size)):
            return self.array
        raise InvalidProcess(
            f"a prior for {size} states and {choices} actions has the shape ({size},), "
            f"({size}, {size}) or ({size}, {choices}, {size}); {self.array.shape} came"
        )


def neighbour_prior(near: float = 1.0, far: float = 0.01) -> Prior:
    """The paper's prior: weight `near` for staying or moving to the next state up or down, in the
    order of the states, and `far` for everything else. States that are words stand in the order of
    the alphabet unless `states` says another one, to `read_episodes` or to `fit`.

    >>> import untaken as ut
    >>> states, actions = ut.Labels.numbered(4, "state"), ut.Labels.numbered(1, "action")
    >>> ut.neighbour_prior().weights(states, actions)[0]
    array([[1.  , 1.  , 0.01, 0.01]])
    """
    return NeighbourPrior(near, far)


def uniform_prior(weight: float = 1.0) -> Prior:
    """The same weight for every next state.

    >>> import untaken as ut
    >>> states, actions = ut.Labels.numbered(3, "state"), ut.Labels.numbered(1, "action")
    >>> ut.uniform_prior(0.5).weights(states, actions)
    array([[[0.5, 0.5, 0.5]]])
    """
    return UniformPrior(weight)


def read_prior(prior: Prior | Any, states: Labels, actions: Labels) -> Floats:
    """Weights `alpha[s, a, s']` from a prior or a user's array, checked."""
    if not hasattr(prior, "weights"):
        try:
            prior = ArrayPrior(np.asarray(prior, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidProcess(
                "a prior is neighbour_prior(), uniform_prior(), an array of weights or an object "
                f"with a method weights(states, actions); {type(prior).__name__} came"
            ) from None
    shape = (len(states), len(actions), len(states))
    alpha = np.broadcast_to(np.asarray(prior.weights(states, actions), dtype=np.float64), shape)
    bad = ~(np.isfinite(alpha) & (alpha >= 0))
    if bad.any():
        s, a, after = (int(place) for place in np.argwhere(bad)[0])
        raise InvalidProcess(
            f"the prior gives the weight {alpha[s, a, after]} to the step from {states[s]!r} under "
            f"{actions[a]!r} to {states[after]!r}; weights are finite and not negative"
        )
    return alpha
