"""Messy logs, made up by hypothesis, against reading row by row."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.oracles_data import read_log
from untaken.errors import InvalidLog

ROLES = {"episode": "p", "step": "t", "state": "s", "action": "a"}
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4)
messy_rows = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "'", '"ü', "山", None]),
        st.sampled_from([0, 1, 2, 3, 4, 7, None]),
        st.sampled_from(["ill", "well", "", None]),
        st.sampled_from(["x", "y", None]),
    ),
    min_size=1,
    max_size=14,
)


def frame(rows):
    columns = dict(zip("ptsa", zip(*rows, strict=True), strict=True))
    kinds = {"p": pl.String, "t": pl.Int64, "s": pl.String, "a": pl.String}
    return pl.DataFrame({k: list(v) for k, v in columns.items()}, schema=kinds)


def plain(rows):
    return [(p, t, s or None, a) for p, t, s, a in rows]


def unambiguous(rows, duplicates):
    """Where one of several rows at a step lacks its state, the twin and the reader may pick
    different ones of them; such logs are not compared."""
    keys = [(p, t) for p, t, _, _ in rows if p is not None and t is not None]
    bad = {(p, t) for p, t, s, _ in plain(rows) if s is None}
    return all(keys.count(key) == 1 for key in bad if key in keys) or duplicates == "error"


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    messy_rows,
    st.sampled_from(["error", "split", "ignore"]),
    st.sampled_from(["error", "merge", "first", "last"]),
    st.integers(1, 2),
)
def test_what_is_read_is_what_reading_row_by_row_gives(rows, gaps, duplicates, min_length):
    if not unambiguous(rows, duplicates):
        return
    options = ROLES | {"gaps": gaps, "duplicates": duplicates, "min_length": min_length}
    expected, faulty = read_log(plain(rows), gaps, duplicates, min_length)
    if faulty or not expected:
        with pytest.raises(InvalidLog):
            ut.read_episodes(frame(rows), **options)
    if not expected:
        return
    episodes = ut.read_episodes(frame(rows), **options, on_error="drop")
    assert [(e.id, list(e.states), list(e.actions)) for e in episodes] == [
        (id, states, actions) for id, states, actions in expected
    ]
    used = episodes.decisions + int(episodes.final_seen.sum())
    assert used + len(episodes.rejected) == len(rows)
    if not faulty:
        again = ut.read_episodes(frame(rows), **options)
        assert list(again) == list(episodes)


@st.composite
def tidy_logs(draw):
    ids = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    rows = []
    for id in ids:
        horizon = draw(st.integers(1, 4))
        for step in range(horizon):
            rows.append((id, step, draw(words), draw(words)))
        if draw(st.booleans()):
            rows.append((id, horizon, draw(words), None))
    return draw(st.permutations(rows))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(tidy_logs())
def test_labels_of_any_kind_survive_every_source(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("log")
    table = frame(rows)
    table.write_parquet(folder / "log.parquet")
    table.write_ndjson(folder / "log.jsonl")
    sources = [table, table.to_arrow(), pd.DataFrame(table.to_dict(as_series=False))]
    sources += [folder / "log.parquet", folder / "log.jsonl"]
    first, *others = (ut.read_episodes(source, **ROLES) for source in sources)
    expected, _ = read_log(rows, "error", "error", 1)
    assert [(e.id, list(e.states), list(e.actions)) for e in first] == expected
    for other in others:
        assert (other.states, other.actions) == (first.states, first.actions)
        assert list(other) == list(first)


def test_millions_of_labels():
    size = 1_000_000
    rng = np.random.default_rng(0)
    order = rng.permutation(size)
    log = pl.DataFrame({"p": order // 4, "t": order % 4, "s": order, "a": order % 3}).with_columns(
        pl.col("s").cast(pl.String)
    )
    episodes = ut.read_episodes(log, **ROLES)
    assert len(episodes.states) == size
    assert len(episodes) == size // 4
    assert episodes.by_id(77).states == ("308", "309", "310", "311")


mixed = st.one_of(st.integers(-9, 9), st.sampled_from(["1", "x", "007", "#", "ü"]), st.none())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(mixed, mixed), min_size=1, max_size=6))
def test_columns_of_mixed_types_hold_texts_unless_all_are_numbers(rows):
    ids, states = ([row[place] for row in rows] for place in (0, 1))
    log = pd.DataFrame({"p": ids, "t": range(len(rows)), "s": states, "a": "x"}, dtype=object)
    good = [row for row in rows if None not in row]
    options = ROLES | {"gaps": "ignore", "on_error": "drop"}
    if not good:
        with pytest.raises(InvalidLog):
            ut.read_episodes(log, **options)
        return
    episodes = ut.read_episodes(log, **options)

    def kind(values):
        whole = all(isinstance(value, int) for value in values if value is not None)
        return int if whole else str

    courses = {}
    for id, state in good:
        courses.setdefault(kind(ids)(id), []).append(kind(states)(state))
    assert {e.id: list(e.states) for e in episodes} == courses
    assert len(episodes.rejected) == len(rows) - len(good)


def test_mixed_types_are_texts():
    log = pd.DataFrame({"p": [1, "x", "x"], "t": [0, 0, 1], "s": [1, "1", 2.5], "a": ["x"] * 3})
    episodes = ut.read_episodes(log, **ROLES)
    assert episodes.ids.tolist() == ["1", "x"]
    assert episodes.states.names == ("1", "2.5")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(tidy_logs(), st.sampled_from([",", ";", "\t", "|"]))
def test_texts_of_any_kind_survive_csv(tmp_path_factory, rows, separator):
    path = tmp_path_factory.mktemp("log") / "log.csv"
    worded = [(f"{p}w", t, f"{s}w", None if a is None else f"{a}w") for p, t, s, a in rows]
    table = frame(worded)
    table.write_csv(path, separator=separator)
    episodes = ut.read_episodes(path, **ROLES)
    assert list(episodes) == list(ut.read_episodes(table, **ROLES))
