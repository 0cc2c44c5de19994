"""The plain arrays that kernels take: what a process, and a question about an episode, look like
on the floor. Index order everywhere: (step, state, changes left).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Process(NamedTuple):
    """A decision process. The row of context (s, a) is stored at `s * actions + a`, its entries
    between two offsets, successors ascending, probabilities positive. Utilities are rewards with
    the sign that makes more better."""

    offsets: Ints  # (contexts + 1,)
    successors: Codes  # (entries,)
    probabilities: Floats  # (entries,)
    utility: Floats  # (states, actions), paid on departure
    arrival: Floats  # (entries,), paid on arrival; empty where there is none
    final: Floats  # (states,), paid at the last state where it was seen
    discount: float


class Course(NamedTuple):
    """An observed course in codes, and what may be asked of it."""

    states: Codes  # (steps,) or (steps + 1,): the last one only where it was seen
    actions: Codes  # (steps,)
    pinned: Flags  # (steps,): the action must stay
    alternatives: Flags  # (states, actions): may be chosen in place of the observed action


class Worlds(NamedTuple):
    """The causal model, as a kernel sees it: a closed form by its number, with what that form wants
    to know of each observed transition, or tabulated weights, one for each entry of the process."""

    form: int
    table: Floats  # (transitions, entries), or less for closed forms; often empty
