"""Rows from every form a user may have, and complaints about what is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import untaken as ut
from tests.oracles import World
from tests.worlds import worlds

HALVES = np.full((2, 3, 2), 0.5)


def each_action(values: np.ndarray, form=sparse.csr_array) -> list:
    return [form(values[:, action]) for action in range(values.shape[1])]


def stacked(values: np.ndarray, form=sparse.csr_array):
    return form(values.reshape(-1, values.shape[2]))


@settings(max_examples=50)
@given(world=worlds(states=5, actions=3, steps=4), k=st.integers(0, 3))
def test_dense_and_sparse_forms_are_one_process(world: World, k):
    dense = ut.MDP(world.P, world.R)
    twins = [
        ut.MDP(each_action(world.P), world.R),
        ut.MDP(each_action(world.P, sparse.coo_matrix), world.R),
        ut.MDP(stacked(world.P), world.R),
        ut.MDP(stacked(world.P, sparse.csc_matrix), world.R),
        ut.MDP(dense.transitions, world.R),
    ]
    for twin in twins:
        np.testing.assert_allclose(twin.transitions.dense(), world.P, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            ut.explain(world.episode(), twin, k).frontier,
            ut.explain(world.episode(), dense, k).frontier,
            rtol=0,
            atol=1e-12,
        )


def test_unsorted_doubled_and_explicitly_zero_entries_are_put_in_order():
    data, columns, starts = [0.25, 0.5, 0.0, 0.25, 1.0], [2, 0, 1, 2, 1], [0, 4, 5, 5]
    matrix = sparse.csr_matrix((data, columns, starts), shape=(3, 3)).copy()
    matrix += sparse.csr_matrix(([1.0], ([2], [2])), shape=(3, 3))
    rows = ut.MDP(matrix, [0, 0, 0]).transitions
    np.testing.assert_array_equal(rows.dense()[:, 0], [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 1]])
    assert rows.successors.tolist() == [0, 2, 1, 2]


def test_lists_of_numbers_are_dense():
    mdp = ut.MDP([[[0.5, 0.5]], [[0, 1]]], [0, 1])
    assert mdp.transitions.find(1, 0, 0) is None
    assert mdp.transitions.find(1, 0, 1) == 2
    np.testing.assert_array_equal(mdp.transitions.row(0, 0), [0.5, 0.5])


def test_rows_are_scaled_to_one_and_denormals_dropped():
    mdp = ut.MDP([[[0.5, 0.5 + 5e-7]], [[1.0, 5e-324]]], [0, 1])
    assert mdp.transitions.dense().sum(axis=2) == pytest.approx(1, abs=1e-15)
    assert mdp.transitions.successors.tolist() == [0, 1, 0]


def test_what_was_given_is_not_what_is_held():
    P = HALVES.copy()
    mdp = ut.MDP(P, [0, 1])
    P[:] = 7
    np.testing.assert_array_equal(mdp.transitions.dense(), HALVES)
    with pytest.raises(ValueError, match="read-only"):
        mdp.transitions.probabilities[0] = 1


def changed(place, value) -> np.ndarray:
    P = HALVES.copy()
    P[place] = value
    return P


@pytest.mark.parametrize(
    ("transitions", "message"),
    [
        (changed((1, 2, 0), 0.4), r"row of context \(state 1, action 2\) sums to 0.9, expected 1"),
        (changed((0, 1), 0.0), r"context \(state 0, action 1\) sums to 0, expected 1 \(1 of 6"),
        (HALVES * 8, r"sums to 8, expected 1 \(6 of 6 rows are off\). Divide each row by its sum"),
        (
            changed((1, 0), [1.5, -0.5]),
            r"\(state 1, action 0\) has probability -0.5 for next state 1",
        ),
        (changed((0, 2, 0), np.nan), r"\(state 0, action 2\) has probability nan for next state 0"),
        (changed((0, 2, 1), np.inf), r"has probability inf .*\(1 such entries in all\)"),
        (
            np.full((3, 2, 2), 0.5),
            r"shape \(S, A, S\), as P\[s, a, s'\]; \(3, 2, 2\) came. .*mdptoolbox",
        ),
        (np.eye(2), r"shape \(S, A, S\), as P\[s, a, s'\]; \(2, 2\) came"),
        (np.empty((0, 1, 0)), r"\(0, 1, 0\) came"),
        ([[["a", "b"]]], "transitions must be numbers"),
        (HALVES + 0.5j, "transitions must be numbers: complex ones came"),
        ([[[0.5, 0.5]], [[1.0]]], "transitions must be numbers"),
        (
            sparse.csr_array(np.full((3, 2), 0.5)),
            r"must have the shape \(S \* A, S\).*\(3, 2\) came",
        ),
        (
            [sparse.eye(2).tocsr(), sparse.eye(3).tocsr()],
            r"sparse \(2, 2\) .*action 1 came as .* \(3, 3\)",
        ),
        ([sparse.eye(2).tocsr(), np.eye(2)], "action 1 came as ndarray of shape"),
    ],
)
def test_messages(transitions, message):
    with pytest.raises(ut.errors.InvalidProcess, match=message):
        ut.MDP(transitions, [0.0, 0.0])
