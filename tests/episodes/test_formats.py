"""The same log through every kind of file and frame gives the same episodes."""

import datetime
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untaken as ut
from untaken.episodes.sources import without_progress

COLUMNS = {
    "patient": ["007", "007", "007", "8", "8", "ä 'x'\"", "ä 'x'\"", "ä 'x'\""],
    "day": [2, 0, 1, 1, 0, 0, 1, 2],
    "severity": [3, 4, 4, 2, 10, 2, 3, 2],
    'the "theme"; DROP': ["CRT", "STR", "BHA", None, "STR", "STR", "BHA, too", None],
    "paid": [2.0, 1.0, 1.5, None, 3.0, 3.0, 2.0, None],
    "ward": ["a", "a", "a", "b", "b", None, None, None],
}
READ = {
    "episode": "patient",
    "step": "day",
    "state": "severity",
    "action": 'the "theme"; DROP',
    "reward": "paid",
    "keep": "ward",
}


def pandas_frame():
    return pd.DataFrame(COLUMNS)


def write_csv(path):
    pandas_frame().to_csv(path, index=False)


def write_parquet(path):
    pa.parquet.write_table(pa.table(COLUMNS), path)


def write_jsonl(path):
    pl.DataFrame(COLUMNS).write_ndjson(path)


def sources(folder):
    import pyarrow.parquet  # noqa: F401

    connection = duckdb.connect()
    connection.register("log", pa.table(COLUMNS))
    kinds = {
        "pandas": pandas_frame(),
        "polars": pl.DataFrame(COLUMNS),
        "polars lazy": pl.LazyFrame(COLUMNS),
        "pyarrow": pa.table(COLUMNS),
        "duckdb": connection.table("log"),
    }
    for kind, write in {"csv": write_csv, "parquet": write_parquet, "jsonl": write_jsonl}.items():
        kinds[kind] = str(folder / f"log '1'.{kind}")
        write(kinds[kind])
    return kinds


def same(one, two):
    assert one.states == two.states
    assert one.actions == two.actions
    for name in ("offsets", "state_codes", "action_codes", "final_codes", "ids", "rewards"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert [column.name for column in one.kept] == [column.name for column in two.kept]
    for ours, theirs in zip(one.kept, two.kept, strict=True):
        assert ours.values.tolist() == theirs.values.tolist()


def test_every_kind_of_source_gives_the_same_codes_and_labels(tmp_path):
    read = {kind: ut.read_episodes(s, **READ) for kind, s in sources(tmp_path).items()}
    first = read["pandas"]
    assert first.ids.tolist() == ["007", "8", "ä 'x'\""]
    assert first.states.names == (2, 3, 4, 10)
    assert all(type(label) is int for label in first.states)
    assert first.by_id("007").states == (4, 4, 3)
    assert first.by_id("007").rewards == (1.0, 1.5, 2.0)
    assert first.by_id("ä 'x'\"") == ut.Episode(
        (2, 3, 2), ("STR", "BHA, too"), "ä 'x'\"", rewards=(3.0, 2.0)
    )
    assert first.column("ward").tolist() == ["a", "b", None]
    for episodes in read.values():
        same(first, episodes)


def test_tables_come_back_as_the_kind_that_went_in_and_read_the_same(tmp_path):
    kinds = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "polars lazy": pl.DataFrame,
        "pyarrow": pa.Table,
    }
    for kind, source in sources(tmp_path).items():
        episodes = ut.read_episodes(source, **READ)
        frame = episodes.to_frame()
        assert isinstance(frame, kinds.get(kind, duckdb.DuckDBPyRelation))
        same(episodes, ut.read_episodes(frame, **READ))


def test_files_with_and_without_compression_and_in_parts(tmp_path):
    frame = pandas_frame()
    frame[:4].to_csv(tmp_path / "part1.csv.gz", index=False)
    frame[4:][frame.columns[::-1]].to_csv(tmp_path / "part2.csv.gz", index=False)
    frame.to_csv(tmp_path / "whole.tsv", index=False, sep="\t")
    same(
        ut.read_episodes(tmp_path / "whole.tsv", **READ),
        ut.read_episodes(str(tmp_path / "part*.csv.gz"), **READ),
    )


def test_sql_over_files_and_over_an_open_connection(tmp_path):
    write_csv(tmp_path / "log.csv")
    sql = f"SELECT * FROM read_csv('{tmp_path}/log.csv', all_varchar = true) WHERE patient <> '8'"
    from_file = ut.read_episodes(sql, **{**READ, "state": "severity"})
    assert from_file.ids.tolist() == ["007", "ä 'x'\""]
    assert from_file.states.names == ("2", "3", "4")  # all_varchar makes texts of them

    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE visits AS SELECT 1 p, 0 t, 's' s, 'a' a")
    query = "FROM visits"
    roles = {"episode": "p", "step": "t", "state": "s", "action": "a"}
    for asked in (
        query,
        "(SELECT * FROM visits)",
        "-- all of them\nTABLE visits",
        "/* * */ FROM visits",
    ):
        assert len(ut.read_episodes(asked, connection=connection, **roles)) == 1
    assert connection.sql("SELECT count(*) FROM visits").fetchall() == [(1,)]


def test_none_of_the_frame_libraries_is_needed(tmp_path):
    write_csv(tmp_path / "log.csv")
    write_jsonl(tmp_path / "log.jsonl")
    write_parquet(tmp_path / "log.parquet")
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import untaken as ut
for kind in ("csv", "jsonl", "parquet"):
    episodes = ut.read_episodes(f"{tmp_path}/log.{{kind}}", **{READ!r})
    frame = episodes.to_frame()
    again = ut.read_episodes(frame, **{READ!r})
    assert again.state_codes.tolist() == episodes.state_codes.tolist()
    print(len(frame.fetchall()))
    frame.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["8", "8", "8"], done.stderr


ORDER = ["none", "mild", "severe"]


def test_ordered_categories_keep_their_order_also_for_labels_that_do_not_occur():
    columns = {"p": [1, 1, 1], "t": [0, 1, 2], "s": ["severe", "none", "none"], "a": ["x"] * 3}
    roles = {"episode": "p", "step": "t", "state": "s", "action": "a"}
    frame = pd.DataFrame(columns)
    ordered = pd.Categorical(columns["s"], categories=ORDER, ordered=True)
    loose = pd.Categorical(columns["s"], categories=ORDER[::-1])
    arrow = pa.DictionaryArray.from_arrays([2, 0, 0], ORDER, ordered=True)
    connection = duckdb.connect()
    connection.execute("CREATE TYPE severity AS ENUM ('none', 'mild', 'severe')")
    connection.execute("CREATE TABLE log AS SELECT 1 p, 0 t, 'severe'::severity s, 'x' a")
    keeping = [
        frame.assign(s=ordered),
        pl.DataFrame(columns, schema_overrides={"s": pl.Enum(ORDER)}),
        pa.table(columns | {"s": arrow}),
        connection.table("log"),
    ]
    for source in keeping:
        assert ut.read_episodes(source, **roles).states.names == tuple(ORDER)
    assert ut.read_episodes(frame.assign(s=loose), **roles).states.names == ("none", "severe")
    numbers = pd.Categorical([5, 3, 3], categories=[5, 4, 3], ordered=True)
    assert ut.read_episodes(frame.assign(s=numbers), **roles).states.names == (5, 4, 3)
    given = ut.read_episodes(frame, states=["severe", "other", "none"], **roles)
    assert given.states.names == ("severe", "other", "none")
    assert given.state_codes.tolist() == [0, 2, 2]


def test_several_columns_make_one_label_in_the_order_of_the_columns():
    frame = pd.DataFrame(
        {
            "site": ["b", "b", "a"],
            "p": [1, 1, 1],
            "t": [0, 1, 0],
            "mood": pd.Categorical(
                ["low", "high", "low"], categories=["low", "high"], ordered=True
            ),
            "sleep": [2, 1, 1],
            "drug": ["x", None, "x"],
            "dose": [1.0, np.nan, 2.0],
        }
    )
    roles = {
        "episode": ["site", "p"],
        "step": "t",
        "state": ["mood", "sleep"],
        "action": ["drug", "dose"],
    }
    episodes = ut.read_episodes(frame, **roles)
    assert episodes.states.names == (("low", 1), ("low", 2), ("high", 1))
    assert episodes.actions.names == (("x", 1), ("x", 2))
    assert episodes.ids.tolist() == [("a", 1), ("b", 1)]
    assert episodes.by_id(("b", 1)).final_state == ("high", 1)
    same(episodes, ut.read_episodes(episodes.to_frame(), **roles, states=episodes.states))
    fixed = ut.read_episodes(frame, **roles, actions=[("y", 1), ("x", 2), ("x", 1)])
    assert fixed.action_codes.tolist() == [1, 2]


STEPS = {
    "numbers": ([1, 2, 3], False),
    "floats": ([0.5, 1.5, 7.0], True),
    "texts of numbers": (["1", "2", "10"], False),
    "large texts": (["9007199254740993", "9007199254740994", "9007199254740995"], True),
    "texts of fractions": (["01.5", "1e1", "99"], True),
    "nanoseconds": (np.array([1, 2, 3], "M8[ns]"), True),
    "dates": ([datetime.date(2020, 1, day) for day in (1, 9, 17)], True),
    "moments": ([datetime.datetime(2020, 1, 1, hour) for hour in (1, 9, 17)], True),
    "texts of dates": (["2020-01-09", "2020-01-10", "2020-02-01"], True),
    "texts with offsets": (
        ["2020-01-01T10:00+02:00", "2020-01-01T09:00", "2020-01-01T09:30Z"],
        True,
    ),
    "durations": ([datetime.timedelta(days=day) for day in (1, 2, 30)], True),
    "times of day": ([datetime.time(hour) for hour in (1, 2, 13)], True),
    "texts of times": (["09:30", "10:15", "10:15:01"], True),
}


@pytest.mark.parametrize("kind", STEPS)
def test_steps_of_many_kinds(kind):
    steps, without_gaps = STEPS[kind]
    table = pa.table(
        {"p": ["x"] * 3, "t": steps, "s": [1, 2, 3], "a": ["a", "b", "c"]},
    )
    roles = {"episode": "p", "step": "t", "state": "s", "action": "a"}
    gaps = "error" if without_gaps else "ignore"
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        episodes = ut.read_episodes(table.take(order), **roles, gaps=gaps)
        assert episodes[0].states == (1, 2, 3)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "pandas", "polars", "decimal"])
@pytest.mark.parametrize("missing", ["-999", -999, ["NA", "-999"]])
def test_numbers_that_stand_for_missing_values_do_so_in_every_source(tmp_path, kind, missing):
    log = pd.DataFrame(
        {"p": [7] * 4, "t": [0, 1, -999, 3], "s": [1, -999, 2, 3], "r": [5.0, 1, 1, -999]}
    ).assign(a="x")
    source = tmp_path / f"log.{kind}"
    if kind == "csv":
        log.to_csv(source, index=False)
    elif kind == "jsonl":
        log.to_json(source, orient="records", lines=True)
    elif kind == "parquet":
        log.to_parquet(source)
    else:
        source = log if kind == "pandas" else pl.DataFrame(log.to_dict(orient="list"))
    if kind == "decimal":
        source = source.with_columns(pl.col("t", "s").cast(pl.Decimal(20, 0)))
    episodes = ut.read_episodes(
        source,
        episode="p",
        step="t",
        state="s",
        action="a",
        reward="r",
        missing=missing,
        gaps="ignore",
        on_error="drop",
    )
    assert list(episodes) == [ut.Episode([1], ["x"], 7, [5.0])]
    assert [row.reason for row in episodes.rejected] == [
        "the state is missing",
        "the reward is missing, or not a finite number",
        "the step is missing, or cannot be ordered",
    ]


def test_parts_of_a_label_that_are_given_as_texts_stay_texts(tmp_path):
    (tmp_path / "log.csv").write_text("p,t,mood,sleep,a\n1,0,low,1,x\n1,1,high,2,x\n")
    roles = {"episode": "p", "step": "t", "state": ["mood", "sleep"], "action": "a"}
    for sleep in (("1", "2"), (1, 2)):
        states = list(zip(("low", "high"), sleep, strict=True))
        episodes = ut.read_episodes(tmp_path / "log.csv", **roles, states=states)
        assert episodes[0].states == tuple(states)


def test_columns_that_hold_nothing_and_times_of_many_precisions():
    roles = {"episode": "p", "step": "t", "state": "s", "action": "a"}
    start = pl.datetime_range(
        datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2), "1d", eager=True
    )
    for unit in ("ms", "us", "ns"):
        for zone in (None, "Europe/Berlin"):
            log = pl.DataFrame({"p": [1, 1], "s": ["i", "w"], "a": ["x", "y"]}).with_columns(
                t=start.reverse().cast(pl.Datetime(unit)).dt.replace_time_zone(zone),
                ward=pl.lit(None),
            )
            for source in (log, log.to_arrow(), log.to_pandas()):
                episodes = ut.read_episodes(source, **roles, keep="ward")
                assert episodes[0].states == ("w", "i")
                assert episodes.column("ward").tolist() == [None]


def test_kinds_of_values(tmp_path):
    roles = {"episode": "p", "step": "t", "state": "s", "action": "a"}

    def labels(text, **options):
        (tmp_path / "log.csv").write_text("p,t,s,a\n" + text)
        return ut.read_episodes(tmp_path / "log.csv", **roles, **options).states.names

    assert labels("x,0,1,a\nx,1,2,a\n") == (1, 2)
    assert labels("x,0,01,a\nx,1,2,a\n") == ("01", "2")
    assert labels("x,0,1.0,a\nx,1,2.5,a\n") == (1.0, 2.5)
    assert labels("x,0,1.0,a\nx,1,2.0,a\n") == (1, 2)
    assert labels("x,0,True,a\nx,1,False,a\n") == (False, True)
    assert labels("x,0,10,a\nx,1,9,a\nx,2,NA,\n", missing="NA", on_error="drop") == (9, 10)
    assert labels("x,0,10,a\nx,1,9,a\n", states=["9", "10"]) == ("9", "10")
    huge = pd.DataFrame({"p": [2**63 + 5, 2**63 + 5], "t": [0, 1], "s": [1, 2], "a": ["x", None]})
    assert ut.read_episodes(huge, **roles).ids.tolist() == [str(2**63 + 5)]
    flags = pd.DataFrame({"p": [1, 1], "t": [0, 1], "s": [True, False], "a": [True, None]})
    assert ut.read_episodes(flags, **roles).actions.names == (True,)
    halves = pl.DataFrame({"p": [1.5], "t": [0], "s": ["x"], "a": [-0.0]})
    assert ut.read_episodes(halves, **roles).ids.tolist() == [1.5]


def test_a_notebook_in_which_duckdb_refuses_to_speak_of_its_bar_is_no_obstacle():
    class Notebook:
        asked = ""

        def execute(self, sql):
            self.asked = sql
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")

    notebook, terminal = Notebook(), duckdb.connect()
    without_progress(notebook)
    without_progress(terminal)
    assert "enable_progress_bar" in notebook.asked
    assert terminal.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)
