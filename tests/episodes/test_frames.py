"""Frames whose columns are not what they seem, and tables made of episodes."""

from datetime import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untaken as ut
from untaken.errors import InvalidLog

ROLES = {"episode": "p", "step": "t", "state": "s", "action": "a"}
MANY, ODD = 3_000, 2_222
"""How many rows, and which is the odd one: none that a sample of every third would show."""


def many(**odd):
    """A frame of Python objects, all alike but for one far from the beginning."""
    columns = {"p": np.arange(MANY), "t": 0, "s": 1, "a": 1}
    frame = pd.DataFrame(columns).astype(object)
    for name, value in odd.items():
        frame.loc[ODD, name] = value
    return frame


def test_one_odd_value_among_many_objects_stays_what_it_is():
    episodes = ut.read_episodes(many(s=2.5), **ROLES)
    assert episodes.states.names == (1, 2.5)
    assert episodes[ODD].states == (2.5,)
    assert ut.read_episodes(many(a="007"), **ROLES)[ODD].actions == ("007",)
    assert "007" in ut.read_episodes(many(p="007"), **ROLES).ids.tolist()
    large = ut.read_episodes(many(p=2**40, s=2**62), **ROLES)
    assert large.by_id(2**40).states == (2**62,)
    assert ut.read_episodes(many(t=1.5), **ROLES, gaps="ignore").decisions == MANY


def test_a_step_between_two_others_keeps_its_place_among_many():
    log = pd.DataFrame({"p": "A", "t": range(MANY), "s": 1, "a": 1}).astype(object)
    log.loc[1, "t"], log.loc[1, "s"] = MANY - 1.5, 2
    episodes = ut.read_episodes(log, **ROLES, gaps="ignore")
    assert episodes[0].states.index(2) == MANY - 2


def test_kinds_that_no_column_can_hold_are_named_with_the_column():
    log = pd.DataFrame({"p": ["A", "A"], "t": [0, 1], "s": [3, 8], "a": ["x", "y"]})
    for bad in (pd.cut(log.s, [0, 5, 10]), pd.period_range("2020", periods=2), [1, True]):
        odd = log.assign(s=pd.Series(bad, dtype=None if hasattr(bad, "dtype") else object))
        with pytest.raises(InvalidLog, match=r"read column 's' of the DataFrame: .*astype"):
            ut.read_episodes(odd, **ROLES)
    classes = log.assign(s=pd.cut(log.s, [0, 5, 10]).astype("string"))
    assert ut.read_episodes(classes, **ROLES).states.names == ("(0, 5]", "(5, 10]")
    objects = pl.from_pandas(log).with_columns(s=pl.Series([object(), 1], dtype=pl.Object))
    with pytest.raises(InvalidLog, match=r"column 's' of the frame holds Python objects"):
        ut.read_episodes(objects, **ROLES)


def test_what_is_nearly_a_frame_is_told_how_to_become_one():
    log = pd.DataFrame({"p": ["A"], "t": [0], "s": [3], "a": ["x"]})
    with pytest.raises(InvalidLog, match=r"'p' is an index of the frame.*reset_index"):
        ut.read_episodes(log.set_index("p"), **ROLES)
    assert len(ut.read_episodes(log.set_index("p").reset_index(), **ROLES)) == 1
    with pytest.raises(InvalidLog, match=r"RecordBatch came; make a table of it first"):
        ut.read_episodes(pa.Table.from_pandas(log).to_batches()[0], **ROLES)


def test_several_columns_may_hold_very_many_labels():
    size = 100_000
    order = np.random.default_rng(0).permutation(size)
    log = pl.DataFrame({"ward": order, "bed": order[::-1], "t": 0, "s": order, "u": -order})
    columns = {"step": "t", "action": "t"}
    episodes = ut.read_episodes(log, episode=["ward", "bed"], state=["s", "u"], **columns)
    first = int(order[0]), int(order[-1])
    assert episodes.by_id(first).states == ((first[0], -first[0]),)
    assert len(episodes) == len(episodes.states) == size
    with pytest.raises(InvalidLog, match=r"4 columns with 100000, .* name fewer columns"):
        ut.read_episodes(log, episode=["ward", "bed", "s", "u"], state="s", **columns)


@pytest.mark.parametrize("library", ["duckdb", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("actions", [[0, 1], [0.5, 1.5], [False, True], [7, 2**40]])
def test_the_final_state_has_no_action_in_a_table_whatever_actions_are(library, actions):
    rows = [("A", 0, 1, actions[0]), ("A", 1, 2, actions[1]), ("A", 2, 3, None)]
    log = pl.DataFrame(rows, schema=["p", "t", "s", "a"], orient="row")
    make = {
        "duckdb": lambda: duckdb.from_arrow(log.to_arrow()),
        "pandas": lambda: pd.DataFrame(log.to_dict(as_series=False)),
        "polars": lambda: log,
        "pyarrow": log.to_arrow,
    }
    episodes = ut.read_episodes(make[library](), **ROLES)
    assert list(episodes) == [ut.Episode((1, 2, 3), actions, "A")]
    again = ut.read_episodes(episodes.to_frame(), **ROLES)
    assert list(again) == list(episodes)
    assert again.actions == episodes.actions


def test_large_labels_that_are_rare_come_back_from_a_table():
    members = [ut.Episode([1, 2], [0.0, 1.0], id=id) for id in range(MANY)]
    del members[ODD]
    members.append(ut.Episode([1, 2**40, 2], [0.0, 2.5], id=2**50))
    episodes = ut.Episodes.of(members)
    frame = episodes.to_frame()
    assert frame.filter(f"episode = {2**50} AND step = 1").fetchall() == [(2**50, 1, 2**40, 2.5)]
    columns = {name: name for name in ("episode", "step", "state", "action")}
    assert list(ut.read_episodes(frame, **columns)) == list(episodes)


def test_times_without_a_zone_in_a_column_of_objects_are_not_guessed():
    stamps = [pd.Timestamp("2020-01-01 10:00", tz="Europe/Berlin"), datetime(2020, 1, 1, 9, 30)]
    log = pd.DataFrame({"p": "A", "t": pd.Series(stamps, dtype=object), "s": 1, "a": 1})
    with pytest.raises(InvalidLog, match="read column 't' of the DataFrame"):
        ut.read_episodes(log, **ROLES)
