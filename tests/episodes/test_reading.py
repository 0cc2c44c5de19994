"""What becomes of rows that do not fit, and the messages that say so."""

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untaken as ut
from untaken.errors import InvalidFile, InvalidLog, InvalidQuestion, UnknownLabel

ROLES = {"episode": "p", "step": "t", "state": "s", "action": "a"}


def frame(*rows, columns="ptsa"):
    return pd.DataFrame(list(rows), columns=list(columns))


GOOD = [("A", 0, "ill", "x"), ("A", 1, "well", "y"), ("A", 2, "well", None)]
LATER = ("A", 4, "ill", "x"), ("A", 5, "ill", "y")


def read(*rows, columns="ptsa", **options):
    return ut.read_episodes(frame(*rows, columns=columns), **(ROLES | options))


def reasons(rejected):
    return [(row.episode, row.step, row.reason) for row in rejected]


def test_a_last_row_without_action_is_the_final_state():
    assert read(*GOOD)[0] == ut.Episode(("ill", "well", "well"), ("x", "y"), "A")


def test_gaps():
    whole = [*GOOD[:2], *LATER, ("B", 7, "ill", "y")]
    with pytest.raises(InvalidLog, match="'A', step 4: there is a gap before this step") as caught:
        read(*whole)
    assert len(caught.value.rejected) == 1
    assert [e.id for e in read(*whole, gaps="ignore")] == ["A", "B"]
    split = read(*whole, gaps="split")
    assert split.ids.tolist() == [("A", 1), ("A", 2), "B"]
    assert [e.states for e in split] == [("ill", "well"), ("ill", "ill"), ("ill",)]
    assert not split.final_seen.any()
    assert split.by_id(("A", 2)).actions == ("x", "y")
    dropped = read(*whole, on_error="drop")
    assert dropped.ids.tolist() == ["B"]
    assert reasons(dropped.rejected) == [
        ("A", 0, "another row of the episode was rejected"),
        ("A", 1, "another row of the episode was rejected"),
        ("A", 4, "there is a gap before this step"),
        ("A", 5, "another row of the episode was rejected"),
    ]
    assert "rejected   4 rows" in str(dropped.summary())


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_pieces_and_rejected_rows_have_tables_of_their_kind(library):
    rows = [*GOOD[:2], *LATER, ("B", 7, "ill", "y"), (None, 0, "ill", "y")]
    columns = dict(zip("ptsa", map(list, zip(*rows, strict=True)), strict=True))
    episodes = ut.read_episodes(library(columns), **ROLES, gaps="split", on_error="drop")
    ids = nw.from_native(episodes.to_frame())["p"].to_list()
    assert ids == ["('A', 1)"] * 2 + ["('A', 2)"] * 2 + ["B"]
    table = nw.from_native(episodes.rejected.to_frame())
    assert type(episodes.rejected.to_frame()) is type(episodes.to_frame())
    assert table.rows() == [(None, 0, "the episode is missing")]


def test_a_piece_after_a_gap_that_holds_no_action_is_left_out_and_listed():
    split = read(*GOOD[:2], ("A", 4, "ill", None), gaps="split")
    assert split.ids.tolist() == [("A", 1)]
    assert reasons(split.rejected) == [("A", 4, "the piece after a gap has a state but no action")]


def test_duplicates():
    twice = [*GOOD, ("A", 1, "well", "y")]
    quarrel = [*GOOD, ("A", 1, "ill", "x")]
    for rows, policy in [(twice, "error"), (quarrel, "error"), (quarrel, "merge")]:
        with pytest.raises(InvalidLog, match="'A', step 1: the step occurs more than once"):
            read(*rows, duplicates=policy)
    merged = read(*twice, duplicates="merge")
    assert merged[0].states == ("ill", "well", "well")
    assert reasons(merged.rejected) == [("A", 1, "it repeats a step, as duplicates= allows")]
    assert read(*quarrel, duplicates="first")[0].states == ("ill", "well", "well")
    assert read(*quarrel, duplicates="last")[0].states == ("ill", "ill", "well")
    paid = [(*row, 1.0) for row in twice[:-1]] + [(*twice[-1], 2.0)]
    with pytest.raises(InvalidLog, match="more than once"):
        read(*paid, columns="ptsar", reward="r", duplicates="merge")


BAD = {
    "the episode is missing": (None, 3, "ill", "x"),
    "the step is missing, or cannot be ordered": ("A", np.nan, "ill", "x"),
    "the state is missing": ("A", 3, "", "x"),
    "the action is missing before the last step": ("A", 3, "ill", None),
}


@pytest.mark.parametrize("reason", BAD)
def test_rows_with_missing_values(reason):
    before = [("A", t, "ill", "x") for t in range(3)]
    rows = [*before, BAD[reason], ("A", 4, "ill", "x"), ("B", 0, "ill", "x")]
    with pytest.raises(InvalidLog, match=reason) as caught:
        read(*rows, gaps="ignore")
    assert "1 of 6 rows cannot be read as episodes" in str(caught.value)
    assert len(caught.value.rejected) == 1
    joined = read(*rows, gaps="ignore", on_error="drop")
    assert joined.horizons.tolist() == [4, 1]
    assert [row.reason for row in joined.rejected] == [reason]
    assert read(*rows, on_error="drop").ids.tolist() == ["B"]


def test_a_rejected_row_splits_its_episode_whatever_the_steps_are():
    rows = [("A", 0.5, "ill", "x"), ("A", 0.6, None, "x"), ("A", 0.7, "ill", "y")]
    pieces = read(*rows, gaps="split", on_error="drop")
    assert pieces.ids.tolist() == [("A", 1), ("A", 2)]


def test_an_unknown_label_is_named():
    with pytest.raises(InvalidLog, match="not among the states given") as caught:
        read(*GOOD, states=["ill", "Well"])
    assert "labels of the log that were not given: 'well'" in str(caught.value)
    with pytest.raises(InvalidLog, match="not among the actions given"):
        read(*GOOD, actions=["x"])


def test_rewards_must_be_finite_where_there_is_an_action():
    paid = [(*row, 1.0) for row in GOOD]
    assert read(*paid, columns="ptsar", reward="r")[0].rewards == (1.0, 1.0)
    for bad in (np.inf, np.nan):
        paid[1] = (*GOOD[1], bad)
        with pytest.raises(InvalidLog, match="reward is missing, or not a finite number"):
            read(*paid, columns="ptsar", reward="r")
    paid[1] = (*GOOD[1], "1,5")
    with pytest.raises(InvalidLog, match="what stands in place of rewards: '1,5'"):
        read(*paid, columns="ptsar", reward="r")
    paid[2] = (*GOOD[2], np.nan)
    paid[1] = (*GOOD[1], 2.0)
    assert read(*paid, columns="ptsar", reward="r")[0].rewards == (1.0, 2.0)


def test_kept_columns_must_not_change_within_an_episode():
    rows = [(*row, "w") for row in GOOD]
    assert read(*rows, columns="ptsaw", keep="w").column("w").tolist() == ["w"]
    rows[1] = (*GOOD[1], "v")
    with pytest.raises(InvalidLog, match="'A', step 1: a kept column changes within the episode"):
        read(*rows, columns="ptsaw", keep=["w"])
    with pytest.raises(UnknownLabel, match=r"no column 'w' was kept; kept are: none. Give keep="):
        read(*GOOD).column("w")


def test_short_episodes_are_left_out_and_listed():
    kept = read(*GOOD, ("B", 0, "ill", "x"), min_length=2)
    assert kept.ids.tolist() == ["A"]
    assert reasons(kept.rejected) == [("B", 0, "the episode is shorter than min_length")]
    with pytest.raises(InvalidLog, match="none of 3 rows is left to make an episode") as caught:
        read(*GOOD, min_length=3)
    assert "3 because the episode is shorter than min_length" in str(caught.value)


def test_an_episode_without_any_action():
    with pytest.raises(InvalidLog, match="'B', step 0: the episode has a state but no action"):
        read(*GOOD, ("B", 0, "ill", None))


def test_the_message_lists_the_first_few_and_counts_the_rest():
    rows = [("A", step, None, "x") for step in range(8)] + [(None, 0, "ill", "x")]
    with pytest.raises(InvalidLog) as caught:
        read(*rows)
    assert str(caught.value) == (
        "9 of 9 rows cannot be read as episodes:\n"
        "  episode 'A', step 0: the state is missing\n"
        "  episode 'A', step 1: the state is missing\n"
        "  episode 'A', step 2: the state is missing\n"
        "  episode 'A', step 3: the state is missing\n"
        "  episode 'A', step 4: the state is missing\n"
        "  and 4 more\n"
        "in all: 8 because the state is missing, 1 because the episode is missing\n"
        'Repair them, or say what is to be done: gaps="split" or "ignore"; duplicates="merge", '
        '"first" or "last"; on_error="drop" leaves such rows out and keeps them in '
        "episodes.rejected"
    )
    with pytest.raises(ValueError, match="read-only"):
        caught.value.rejected.reasons[0] = "no reason"
    table = caught.value.rejected.to_frame()
    assert list(table.columns) == ["episode", "step", "reason"]
    assert len(table) == 9


def test_steps_are_shown_as_they_were_written():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03 10:30"], format="ISO8601")
    log = pd.DataFrame({"p": "A", "t": days, "s": [None, None, None], "a": "x"})
    with pytest.raises(InvalidLog, match=r"step 2020-01-01: .*\n.*\n.*step 2020-01-03T10:30:00"):
        ut.read_episodes(log, **ROLES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gaps": "join"}, "gaps must be one of error, split, ignore; 'join' came"),
        ({"duplicates": "any"}, "duplicates must be one of error, merge, first, last; 'any' came"),
        ({"on_error": "skip"}, "on_error must be one of raise, drop; 'skip' came"),
        ({"min_length": 0}, "min_length must be a whole number of at least 1; 0 came"),
        ({"min_length": 1.5}, "min_length must be a whole number of at least 1; 1.5 came"),
        ({"state": []}, "state must name at least one column"),
        ({"state": 2}, "columns are named by texts; 2 came"),
        ({"keep": ["s", 3]}, "columns are named by texts; 3 came"),
        ({"states": "ill"}, "expected a list of states; the single text 'ill' came"),
        ({"actions": "xy"}, "expected a list of actions; the single text 'xy' came"),
    ],
)
def test_options_that_do_not_exist(options, message):
    with pytest.raises(InvalidQuestion, match=message):
        read(*GOOD, **options)


@pytest.mark.parametrize("kind", ["pandas", "csv", "jsonl", "parquet", "sql"])
def test_a_column_that_is_not_there_is_named_with_its_likeliest_meaning(kind, tmp_path):
    log = frame(*GOOD).rename(columns={"s": "severity"})
    source = log
    if kind == "csv":
        log.to_csv(source := tmp_path / "log.csv", index=False)
    elif kind == "jsonl":
        log.to_json(source := tmp_path / "log.jsonl", orient="records", lines=True)
    elif kind == "parquet":
        log.to_parquet(source := tmp_path / "log.parquet")
    elif kind == "sql":
        source = "SELECT 1 p, 2 t, 3 severity, 4 a"
    expected = "no column 'severty'; did you mean 'severity'. Its columns are 'p', 't', 'severity'"
    with pytest.raises(InvalidLog, match=expected):
        ut.read_episodes(source, **(ROLES | {"state": "severty"}))


def test_sources_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidFile, match=r"'log.xlsx' does not say what it is; expected a path"):
        ut.read_episodes("log.xlsx", **ROLES)
    with pytest.raises(InvalidFile, match=r"log.csv cannot be read: no file is there"):
        ut.read_episodes(tmp_path / "log.csv", **ROLES)
    (tmp_path / "log.parquet").write_text("not parquet")
    with pytest.raises(InvalidFile, match=r"log.parquet cannot be read"):
        ut.read_episodes(tmp_path / "log.parquet", **ROLES)
    with pytest.raises(InvalidLog, match="DuckDB cannot run the SQL 'SELECT nothing FROM'"):
        ut.read_episodes("SELECT nothing FROM", **ROLES)
    with pytest.raises(InvalidLog, match="or a frame of pandas, polars, pyarrow or DuckDB; int"):
        ut.read_episodes(3, **ROLES)
    with pytest.raises(InvalidLog, match="the log has no rows"):
        ut.read_episodes(frame(columns="ptsa").astype(object), **ROLES)
    with pytest.raises(InvalidLog, match=r"steps must be numbers, dates .* or times.*'soon'"):
        read(("A", "soon", "ill", "x"))
    for address in ("https://127.0.0.1:1/log.csv", "s3://bucket/log.parquet"):
        with pytest.raises(InvalidFile, match="is not on this machine, and nothing is fetched"):
            ut.read_episodes(address, **ROLES)
    for folder in (tmp_path, tmp_path / "parts.parquet"):
        folder.mkdir(exist_ok=True)
        with pytest.raises(InvalidFile, match=r"is a folder; expected .* a glob such as '.*/\*\."):
            ut.read_episodes(folder, **ROLES)


def test_steps_that_cannot_be_ordered_are_shown_as_they_were_written():
    rows = [("A", 0, "ill", "x"), ("A", "soon", "ill", "x"), (None, "later", "ill", "x")]
    with pytest.raises(
        InvalidLog, match="'A', step soon: the step is missing, or cannot"
    ) as caught:
        read(*rows)
    assert reasons(caught.value.rejected) == [
        ("A", "soon", "the step is missing, or cannot be ordered"),
        (None, "later", "the episode is missing"),
    ]
    assert caught.value.rejected.to_frame()["step"].tolist() == ["soon", "later"]


def test_values_beyond_all_bounds_are_refused_in_words():
    with pytest.raises(InvalidLog, match=r"values of the log cannot be coded: .*Microseconds"):
        ut.read_episodes("SELECT 1 p, INTERVAL 100000000 YEAR t, 3 s, 4 a", **ROLES)


def test_frames_whose_columns_cannot_be_told_apart():
    twice = pd.DataFrame([("A", 0, "ill", "well", "x")], columns=list("ptssa"))
    with pytest.raises(InvalidLog, match="columns of a frame need names of their own"):
        ut.read_episodes(twice, **ROLES)


def test_what_duckdb_cannot_do_is_passed_on():
    with pytest.raises(InvalidQuestion, match="must be an open DuckDB connection; int came"):
        ut.read_episodes("SELECT 1", **ROLES, connection=3)
    with pytest.raises(InvalidLog, match=r"DuckDBPyConnection came; give SQL and connection=, or"):
        ut.read_episodes(duckdb.connect().execute("SELECT 1"), **ROLES)
    with pytest.raises(InvalidQuestion, match="connection= is for SQL; a file or a frame"):
        ut.read_episodes(frame(*GOOD), **ROLES, connection=duckdb.connect())
    failing = duckdb.sql("SELECT 1 p, 0 t, error('broken') s, 'x' a")
    with pytest.raises(InvalidLog, match=r"DuckDB cannot .*broken"):
        ut.read_episodes(failing, **ROLES)


def test_names_are_never_run_as_sql():
    evil = 'x"; DROP TABLE log; --'
    log = frame(*GOOD).rename(columns={"s": evil})
    assert ut.read_episodes(log, **(ROLES | {"state": evil}), missing=["'; DROP TABLE log"])[0]
    connection = duckdb.connect()
    connection.execute(
        f"""CREATE TABLE log AS SELECT 1 p, 1 t, 'u' "{evil.replace('"', '""')}", 1 a"""
    )
    table = connection.table("log")
    assert ut.read_episodes(table, **(ROLES | {"state": evil})).states.names == ("u",)


def test_the_record_is_immutable_and_sliceable():
    episodes = read(*GOOD, ("B", 0, "ill", "x"), ("B", 1, "ill", "y"), ("C", 0, "well", "x"))
    with pytest.raises(ValueError, match="read-only"):
        episodes.state_codes[0] = 1
    assert [e.id for e in episodes[1:]] == ["B", "C"]
    assert episodes[np.array([True, False, True])].ids.tolist() == ["A", "C"]
    assert episodes[::-1][0] == episodes[-1] == episodes.by_id("C")
    assert episodes[episodes.final_seen].next_codes.tolist() == [1, 1]
    assert episodes.next_codes.tolist() == [1, 1, 0, -1, -1]
    assert episodes.episode_of_decision.tolist() == [0, 0, 1, 1, 2]
    assert list(episodes) == [episodes[position] for position in range(3)]
    assert episodes[[2, 0]].ids.tolist() == ["C", "A"]
    assert episodes[[True, False, False]].ids.tolist() == ["A"]
    assert episodes[pd.Series([False, True, False])].ids.tolist() == ["B"]
    assert len(episodes[[]]) == 0
    with pytest.raises(InvalidQuestion, match=r"by position, slice, .*'A' came. For an id"):
        episodes["A"]
    with pytest.raises(IndexError, match=r"position 3 is outside 3 episodes; for an id use by_id"):
        episodes[3]
    with pytest.raises(UnknownLabel, match="no episode has the id 'D'; the ids are 'A', 'B', 'C'"):
        episodes.by_id("D")


def test_the_summary_reads_as_text():
    episodes = read(*GOOD, ("B", 0, "ill", "x"))
    assert str(episodes.summary()) == (
        "2 episodes, 3 decisions\n"
        "lengths    1 to 2, median 1.5\n"
        "final seen in 1 of 2 episodes\n"
        "states     ill 2, well 1\n"
        "actions    x 2, y 1\n"
        "contexts   2 of 4 occur (50%)"
    )


def test_gathering_episodes():
    one, two = ut.Episode(["b", "a"], [1]), ut.Episode(["a"], [0], rewards=[2.0])
    gathered = ut.Episodes.of([one, two])
    assert gathered.states.names == ("a", "b")
    assert [e.states for e in gathered] == [("b", "a"), ("a",)]
    assert gathered.rewards is None
    assert gathered.ids.tolist() == [0, 1]
    with pytest.raises(ut.errors.InvalidEpisode, match="2 episodes have the id 'A'"):
        ut.Episodes.of([ut.Episode(["a"], [1], id="A")] * 2)
    with pytest.raises(UnknownLabel, match="unknown state 'b'"):
        ut.Episodes.of([one], states=["a"])
    with pytest.raises(InvalidQuestion, match="a list of states; the single text 'ab' came"):
        ut.Episodes.of([one], states="ab")
    with pytest.raises(ut.errors.InvalidEpisode, match="expected episodes; int came at position 1"):
        ut.Episodes.of([one, 2])
    assert list(ut.Episodes.of(one)[0].states) == ["b", "a"]
    assert len(ut.Episodes.of([])) == 0
    assert "0 episodes" in str(ut.Episodes.of([]).summary())
