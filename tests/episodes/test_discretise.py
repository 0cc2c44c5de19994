"""Numbers as labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from untaken.errors import InvalidQuestion

numbers = st.floats(-100, 100)


@given(st.lists(numbers, min_size=1), st.lists(numbers, unique=True, max_size=5))
def test_a_value_lies_above_the_edges_that_its_bin_counts(values, edges):
    edges = sorted(edges)
    bins = ut.cut(values, edges)
    assert bins.tolist() == [sum(edge < value for edge in edges) for value in values]


def test_missing_values_and_frames():
    assert ut.cut([1, None, np.nan], [1]).tolist() == [0, None, None]
    for series in (pd.Series([1.0, 2.0, np.nan]), pl.Series([1, 2, None])):
        assert ut.cut(series, [1], ["a", "b"]).tolist() == ["a", "b", None]


@given(st.lists(st.integers(0, 10_000), min_size=12, max_size=80, unique=True), st.integers(1, 5))
def test_quantiles_hold_about_as_many_values_each(values, n):
    bins = ut.quantiles(values, n)
    sizes = np.bincount(bins.astype(int), minlength=n)
    assert sizes.max() - sizes.min() <= 1
    order = np.argsort(values)
    assert (np.diff(bins[order].astype(int)) >= 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ut.cut([1], [2, 1]), r"edges must be finite numbers that ascend; \[2, 1\] came"),
        (lambda: ut.cut([1], ["b"]), r"edges must be finite numbers that ascend; \['b'\] came"),
        (lambda: ut.cut([1], 3), "edges must be finite numbers that ascend; 3 came"),
        (lambda: ut.cut([[1, 2]], [1]), "one column of numbers is put into bins; 2 came"),
        (lambda: ut.quantiles([1, 2], 1.5), "1.5 bins of 2 values cannot be made"),
        (lambda: ut.cut([1], [2], ["a"]), "1 edges make 2 bins; 1 labels came"),
        (lambda: ut.cut(["low"], [2]), "only numbers can be put into bins"),
        (lambda: ut.quantiles([None], 2), "2 bins of 0 values cannot be made"),
        (lambda: ut.quantiles([1, 1, 1, 2], 3), "too many values are equal for 3 quantiles"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InvalidQuestion, match=message):
        call()
