"""Transition rows over contexts, in compressed form, and the door through which they come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untaken.errors import InvalidProcess
from untaken.kernels.layout import Codes, Floats, Ints

SUM_TOLERANCE = 1e-6
"""How far a row may be from one: rounding of stored numbers, no more. It is rescaled to one."""


@dataclass(frozen=True, eq=False)
class Rows:
    """`P[s, a, s']` as one compressed row per context, in the order (state, action).

    >>> import untaken as ut
    >>> rows = ut.MDP([[[0.9, 0.1], [1, 0]], [[0, 1], [0, 1]]], [0, 1]).transitions
    >>> rows.successors, rows.probabilities
    (array([0, 1, 0, 1, 1], dtype=int32), array([0.9, 0.1, 1. , 1. , 1. ]))
    >>> rows.row(0, 0), rows.find(1, 0, 0) is None
    (array([0.9, 0.1]), True)
    """

    offsets: Ints
    """Where each context's entries start; one more than there are contexts."""
    successors: Codes
    """The next state of each entry, ascending within a context."""
    probabilities: Floats
    """The probability of each entry, always positive."""
    states: int
    actions: int

    @property
    def contexts(self) -> int:
        """The number of contexts (state, action)."""
        return self.states * self.actions

    def span(self, state: int, action: int) -> slice:
        """Where the entries of a context stand."""
        context = state * self.actions + action
        return slice(int(self.offsets[context]), int(self.offsets[context + 1]))

    def row(self, state: int, action: int) -> Floats:
        """The dense row of one context."""
        return self.spread(self.probabilities, state, action)

    def spread(self, values: Floats, state: int, action: int) -> Floats:
        """Values that belong to entries (probabilities, weights, rewards) as a dense row."""
        span = self.span(state, action)
        row = np.zeros(self.states)
        row[self.successors[span]] = values[span]
        return row

    def dense(self, values: Floats | None = None) -> Floats:
        """`P[s, a, s']`, or any values that belong to entries in that shape."""
        values = self.probabilities if values is None else values
        flat = np.zeros((self.contexts, self.states))
        flat[self.context_of_entry(), self.successors] = values
        return flat.reshape(self.states, self.actions, self.states)

    def context_of_entry(self) -> Ints:
        """The context to which each entry belongs."""
        return np.repeat(np.arange(self.contexts), np.diff(self.offsets))

    def find(self, state: int, action: int, successor: int) -> int | None:
        """The position of one entry, or None where its probability is zero."""
        span = self.span(state, action)
        position = span.start + int(np.searchsorted(self.successors[span], successor))
        found = position < span.stop and self.successors[position] == successor
        return position if found else None


def read_rows(transitions: Any) -> Rows:
    """Rows from what a user has: `P[s, a, s']` dense, a list with one sparse (S, S) matrix for
    each action, one sparse (S * A, S) matrix over contexts in the order (state, action), or `Rows`.

    A dense array is always read as (state, action, next state): a layout is never guessed.
    """
    if isinstance(transitions, Rows):
        raw = transitions
    elif hasattr(transitions, "tocsr"):
        raw = _from_stacked(transitions)
    elif isinstance(transitions, (list, tuple)) and any(hasattr(m, "tocsr") for m in transitions):
        raw = _from_each_action(transitions)
    else:
        raw = _from_dense(transitions)
    return _checked(raw)


def _from_dense(transitions: Any) -> Rows:
    dense = numbers(transitions, "transitions")
    if dense.ndim != 3 or dense.shape[0] != dense.shape[2] or 0 in dense.shape:
        raise InvalidProcess(
            f"dense transitions must have the shape (S, A, S), as P[s, a, s']; {dense.shape} came. "
            "For (A, S, S) use MDP.from_mdptoolbox"
        )
    states, actions, _ = dense.shape
    flat = dense.reshape(states * actions, states)
    present = flat != 0  # NaN counts as present, and is reported by the check
    successors = np.nonzero(present)[1]
    offsets = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    return Rows(offsets, successors.astype(np.int32), flat[present], states, actions)


def _from_each_action(matrices: Any) -> Rows:
    """Interleave one (S, S) matrix for each action into rows over (state, action)."""
    shapes = [getattr(matrix, "shape", None) for matrix in matrices]
    states, actions = (shapes[0] or (0,))[0], len(matrices)
    for action, (matrix, shape) in enumerate(zip(matrices, shapes, strict=True)):
        if not hasattr(matrix, "tocsr") or shape != (states, states):
            raise InvalidProcess(
                f"expected one sparse ({states}, {states}) matrix for each action; "
                f"action {action} came as {type(matrix).__name__} of shape {shape}"
            )
    parts = [_canonical(matrix) for matrix in matrices]
    source = np.concatenate([np.repeat(np.arange(states), np.diff(m.indptr)) for m in parts])
    action_of = np.repeat(np.arange(actions), [m.indices.size for m in parts])
    contexts = source * actions + action_of
    order = np.argsort(contexts, kind="stable")
    counts = np.bincount(contexts, minlength=states * actions)
    return Rows(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([m.indices for m in parts])[order].astype(np.int32),
        np.concatenate([m.data for m in parts]).astype(np.float64)[order],
        states,
        actions,
    )


def _from_stacked(matrix: Any) -> Rows:
    contexts, states = matrix.shape
    if states == 0 or contexts == 0 or contexts % states:
        raise InvalidProcess(
            "one sparse matrix over contexts must have the shape (S * A, S), its rows in the order "
            f"(state, action); {matrix.shape} came"
        )
    csr = _canonical(matrix)
    return Rows(
        csr.indptr.astype(np.int64),
        csr.indices.astype(np.int32),
        csr.data.astype(np.float64),
        states,
        contexts // states,
    )


def _canonical(matrix: Any) -> Any:
    csr = matrix.tocsr(copy=True)
    csr.sum_duplicates()
    csr.sort_indices()
    return csr


def _checked(raw: Rows) -> Rows:
    """The rows with zeros dropped and each scaled to one, or a complaint that names the context."""
    _check_form(raw)
    probabilities = np.asarray(raw.probabilities, dtype=np.float64)
    contexts = raw.context_of_entry()

    def name(entry_context: int) -> str:
        state, action = divmod(int(entry_context), raw.actions)
        return f"context (state {state}, action {action})"

    bad = ~(np.isfinite(probabilities) & (probabilities >= 0))
    if bad.any():
        entry = int(np.argmax(bad))
        raise InvalidProcess(
            f"{name(contexts[entry])} has probability {probabilities[entry]} for next state "
            f"{raw.successors[entry]}; probabilities are finite and not negative "
            f"({int(bad.sum())} such entries in all)"
        )
    sums = np.bincount(contexts, weights=probabilities, minlength=raw.contexts)
    off = np.abs(sums - 1) > SUM_TOLERANCE
    if off.any():
        context = int(np.argmax(off))
        raise InvalidProcess(
            f"the row of {name(context)} sums to {sums[context]:.9g}, expected 1 "
            f"({int(off.sum())} of {raw.contexts} rows are off). "
            "Divide each row by its sum if these are counts"
        )
    kept = probabilities >= np.finfo(np.float64).tiny  # a denormal is a zero that lost its way
    counts = np.bincount(contexts[kept], minlength=raw.contexts)
    rounding = np.finfo(np.float64).eps * np.bincount(contexts, minlength=raw.contexts)
    scale = np.where(np.abs(sums - 1) <= rounding, 1.0, sums)  # rows that were scaled stay as is
    return Rows(
        frozen(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)),
        frozen(raw.successors[kept].astype(np.int32)),
        frozen((probabilities / scale[contexts])[kept]),
        raw.states,
        raw.actions,
    )


def _check_form(raw: Rows) -> None:
    """Kernels follow offsets and successors without looking: they must lead somewhere."""
    offsets, successors = np.asarray(raw.offsets), np.asarray(raw.successors)
    entries = np.size(raw.probabilities)
    if offsets.shape != (raw.contexts + 1,) or offsets[0] != 0 or np.any(np.diff(offsets) < 0):
        raise InvalidProcess(
            f"the offsets of {raw.states} states and {raw.actions} actions are "
            f"{raw.contexts + 1} numbers that start at 0 and never fall; "
            f"{offsets.tolist()[:8]} came"
        )
    if not offsets[-1] == entries == successors.size:
        raise InvalidProcess(
            f"the offsets end at {offsets[-1]}; {entries} probabilities and {successors.size} "
            "successors came"
        )
    if np.any((successors < 0) | (successors >= raw.states)):
        raise InvalidProcess(f"successors must be state codes from 0 to {raw.states - 1}")
    same_row = np.diff(raw.context_of_entry()) == 0
    if np.any(same_row & (np.diff(successors) <= 0)):
        raise InvalidProcess("the successors of a context must ascend, each of them once")


def numbers(values: Any, name: str) -> Floats:
    """An array of what a user gave as real numbers, in whatever form."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex ones came")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidProcess(f"{name} must be numbers: {error}") from None


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, contiguous and read-only."""
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
