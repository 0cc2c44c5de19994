"""Files as they come from other programs: what is read of them, and what is said of broken ones."""

import gzip
import json
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untaken as ut
from untaken.errors import InvalidFile, InvalidLog

ROLES = {"episode": "p", "step": "t", "state": "s", "action": "a"}
LONG = 12345678901234567890, 12345678901234567891


def read(folder, text, name="log.csv", encoding="utf-8", **options):
    (folder / name).write_bytes(text.encode(encoding))
    return ut.read_episodes(folder / name, **ROLES, **options)


LINES = "p,t,s,a\nA,0,ill,x\nA,1,well,y\nB,0,ill,x\n"
FORMS = {
    "plain": LINES,
    "byte order mark": "\ufeff" + LINES,
    "semicolons": LINES.replace(",", ";"),
    "semicolons after a byte order mark": "\ufeff" + LINES.replace(",", ";"),
    "tabs": LINES.replace(",", "\t"),
    "bars": LINES.replace(",", "|"),
    "carriage returns": LINES.replace("\n", "\r\n"),
    "old carriage returns": LINES.replace("\n", "\r"),
    "no end of line": LINES.rstrip(),
    "blank lines": LINES.replace("\n", "\n\n"),
    "spaces in the header": LINES.replace("p,t,s,a", "p, t, s , a"),
    "quotes": '"p","t","s","a"\n"A","0","ill","x"\n"A","1","well","y"\n"B","0","ill","x"\n',
    "a column without a name": LINES.replace("\n", ",\n"),
    "an index": ",p,t,s,a\n0,A,0,ill,x\n1,A,1,well,y\n2,B,0,ill,x\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_csv_of_many_makes_is_one_log(tmp_path, form, packed):
    if packed:
        path = tmp_path / "log.csv.gz"
        path.write_bytes(gzip.compress(FORMS[form].encode()))
        episodes = ut.read_episodes(path, **ROLES)
    else:
        episodes = read(tmp_path, FORMS[form])
    assert [(e.id, e.states, e.actions) for e in episodes] == [
        ("A", ("ill", "well"), ("x", "y")),
        ("B", ("ill",), ("x",)),
    ]


@pytest.mark.parametrize("mark", ["#", "//", ";", "--", "%", "'"])
@pytest.mark.parametrize("count", [1, 3, 30])
def test_no_row_is_taken_for_a_comment(tmp_path, mark, count):
    rows = [f"{mark}{number},0,ill,x" for number in range(count)]
    plain = [f"{number},0,ill,x" for number in range(count)]
    episodes = read(tmp_path, "\n".join(["p,t,s,a", *rows, *plain]) + "\n")
    assert len(episodes) == 2 * count
    assert f"{mark}0" in episodes.ids.tolist()


def test_quoted_texts_keep_what_they_hold(tmp_path):
    text = 'p,t,s,a\nA,0,"ill, very\nindeed","say ""x"""\nA,1,5" wide,\'x\'\nA,2,,\n'
    episodes = read(tmp_path, text, on_error="drop")
    assert episodes[0].states == ("ill, very\nindeed", '5" wide')
    assert episodes[0].actions == ('say "x"', "'x'")
    assert len(episodes.rejected) == 1


def test_a_quote_that_first_occurs_late_is_still_a_quote(tmp_path):
    rows = [f"{number},0,ill,x" for number in range(60_000)]
    episodes = read(tmp_path, "\n".join(["p,t,s,a", *rows, 'A,0,"ill","x, y"']) + "\n")
    assert episodes.states.names == ("ill",)
    assert episodes.actions.names == ("x", "x, y")


@pytest.mark.parametrize(
    "ids",
    [
        LONG,
        (LONG[0] * 10, LONG[1] * 10),
        (90071992547409931, 90071992547409932, 1.5),
        ("0.12345678901234567890", "0.12345678901234567891"),
        ("1e3", "1000", "1E03"),
    ],
)
def test_long_numbers_that_differ_stay_different(tmp_path, ids):
    text = "p,t,s,a\n" + "".join(f"{id},0,ill,x\n" for id in ids)
    assert set(read(tmp_path, text).ids.tolist()) == {str(id) for id in ids}
    if isinstance(ids[0], int):  # in JSON all other numbers are floats
        lines = "".join(f'{{"p": {id}, "t": 0, "s": "ill", "a": "x"}}\n' for id in ids)
        assert set(read(tmp_path, lines, "log.jsonl").ids.tolist()) == {str(id) for id in ids}


@pytest.mark.parametrize("fraction", ["", ".25"])
def test_long_decimals_that_differ_stay_different(fraction):
    exact = [Decimal(f"{number}{fraction}") for number in LONG]
    table = pa.table({"p": exact, "t": [0, 0], "s": ["i", "w"], "a": ["x", "y"]})
    assert ut.read_episodes(table, **ROLES).ids.tolist() == [str(id) for id in exact]


def test_numbers_that_fit_stay_numbers(tmp_path):
    written = [0.1, 1 / 3, 1e-7, 1e16, 123456.789, 2.5e-300, -0.0001234567890123456]
    text = "p,t,s,a\n" + "".join(f"A,{t},{value!r},x\n" for t, value in enumerate(written))
    assert list(read(tmp_path, text)[0].states) == written
    doses = [Decimal("1.50"), Decimal(2)]
    table = pa.table({"p": [Decimal(7)] * 2, "t": [0, 1], "s": doses, "a": ["x", "y"]})
    assert ut.read_episodes(table, **ROLES)[0] == ut.Episode((1.5, 2.0), ("x", "y"), 7)
    steps = pa.array([Decimal(LONG[0] // 10 + 1), Decimal(LONG[0] // 10)], pa.decimal128(38, 0))
    assert ut.read_episodes(table.set_column(1, "t", steps), **ROLES)[0].states == (2.0, 1.5)


def test_parts_may_differ_in_form_and_be_empty(tmp_path):
    for name, text in {
        "1": "p,t,s,a\nA,1,well,y\n",
        "2": "",
        "3": "a;s;t;p\nx;ill;0;A\n",
        "4": "p,t,s,a\n",
    }.items():
        (tmp_path / f"part{name}.csv").write_text(text)
    episodes = ut.read_episodes(str(tmp_path / "part*.csv"), **ROLES)
    assert list(episodes) == [ut.Episode(("ill", "well"), ("x", "y"), "A")]
    (tmp_path / "part5.csv").write_text("p,t,s\nB,0,ill\n")
    with pytest.raises(InvalidLog, match=r"the first line of .*part5.csv has no column 'a'"):
        ut.read_episodes(str(tmp_path / "part*.csv"), **ROLES)


BROKEN = {
    "empty": ("", InvalidLog, r"log.csv is empty; expected a line of column names, and rows"),
    "blank": ("\n\n", InvalidLog, r"the first line of .*log.csv has no column 'p'.*are none"),
    "ends": ("p,t,s,a\r\nA,0,i,x\nA,1,i,x\r\n", InvalidFile, "lines end in another way"),
    "header only": ("p,t,s,a\n", InvalidLog, "the log has no rows"),
    "title": ("Export\np,t,s,a\nA,0,i,x\n", InvalidLog, "no column 'p'.* Its columns are 'Export'"),
    "case": ("P,T,S,A\nA,0,i,x\n", InvalidLog, "no column 'p'; did you mean 'P'"),
    "twice": ("p,t,s,s,a\nA,0,i,w,x\n", InvalidLog, "has the column 's' more than once"),
    "short": ("p,t,s,a\nA,0,i,x\nA,1,i\n", InvalidFile, "Line: 3; .*A,1,i; .*Columns: 4 Found: 3"),
    "long": ("p,t,s,a\nA,0,i,x,y\n", InvalidFile, "Line: 2; .*Expected Number of Columns: 4 Found"),
    "quote": ('p,t,s,a\nA,0,"i,x\n', InvalidFile, "log.csv cannot be read.*unterminated quote"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_csv(tmp_path, case):
    text, error, message = BROKEN[case]
    with pytest.raises(error, match=message) as caught:
        read(tmp_path, text)
    assert "strict_mode" not in str(caught.value)


def test_a_file_in_another_encoding_is_told_how_to_be_read(tmp_path):
    text = LINES.replace("A", "Ä")
    with pytest.raises(InvalidFile, match=r"not utf-8 encoded. Save it as UTF-8, or read it with"):
        read(tmp_path, text, encoding="latin-1")
    sql = f"FROM read_csv('{tmp_path}/log.csv', encoding = 'latin-1')"
    assert ut.read_episodes(sql, **ROLES).ids.tolist() == ["B", "Ä"]


def test_a_message_about_a_very_long_line_is_short(tmp_path):
    with pytest.raises(InvalidFile, match="cannot be read") as caught:
        read(tmp_path, "p,t,s,a\nA,0," + "i" * 3_000_000 + ",x\n")
    assert len(str(caught.value)) < 2_000


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_glob_that_matches_nothing(tmp_path, kind):
    with pytest.raises(InvalidFile, match=r"none\*\.[a-z]+ cannot be read"):
        ut.read_episodes(str(tmp_path / f"none*.{kind}"), **ROLES)


@pytest.mark.parametrize("text", ["", "[]", "1\n2\n"])
def test_json_without_objects(tmp_path, text):
    with pytest.raises(InvalidLog, match=r"log.jsonl holds no objects; expected one a line"):
        read(tmp_path, text, "log.jsonl")


def test_a_broken_line_of_json_is_named(tmp_path):
    with pytest.raises(InvalidFile, match=r"log.jsonl cannot be read: .*in line"):
        read(tmp_path, '{"p": 1, "t": 0, "s": 1, "a": 1}\n{"p": 1, "t":\n', "log.jsonl")


def test_a_column_of_json_may_begin_late(tmp_path):
    rows = [{"p": id, "t": 0, "s": "i", "a": "x"} for id in range(25_000)]
    rows.append({"p": "last", "t": 0, "s": "i", "a": "x", "ward": "w"})
    text = "\n".join(map(json.dumps, rows)) + "\n"
    assert read(tmp_path, text, "log.jsonl", keep="ward").column("ward")[-1] == "w"


def test_a_file_is_meant_itself_whatever_its_name_holds(tmp_path):
    for name in ("log1", "log[1]", "log[12]", "l*g", "lo?1"):
        (tmp_path / f"{name}.csv").write_text(f"p,t,s,a\n{name},0,i,x\n")
        row = json.dumps({"p": name, "t": 0, "s": "i", "a": "x"})
        (tmp_path / f"{name}.jsonl").write_text(row)
        table = pa.table({"p": [name], "t": [0], "s": ["i"], "a": ["x"]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    for file in sorted(tmp_path.iterdir()):
        assert ut.read_episodes(file, **ROLES).ids.tolist() == [file.stem]
    for kind in ("csv", "jsonl", "parquet"):
        whole = ut.read_episodes(str(tmp_path / f"log*.{kind}"), **ROLES)
        assert whole.ids.tolist() == ["log1", "log[12]", "log[1]"]
        stream = ut.read_episodes(str(tmp_path / f"log[12].{kind}"), **ROLES)
        assert stream.ids.tolist() == ["log[12]"]


@pytest.mark.parametrize("word", ["NaN", "nan", "inf", "-Infinity", "NA", "n/a", "#N/A", "NULL"])
def test_what_is_no_number_is_missing_among_numbers_and_a_text_among_texts(tmp_path, word):
    numbers = f"p,t,s,a\nA,0,1,x\nA,1,{word},x\nA,2,2.5,x\n"
    with pytest.raises(InvalidLog, match="'A', step 1: the state is missing"):
        read(tmp_path, numbers)
    left = read(tmp_path, numbers, on_error="drop", gaps="ignore")
    assert left[0].states == (1, 2.5)
    words = numbers.replace("2.5", "high")
    assert read(tmp_path, words)[0].states == ("1", word, "high")
    actions = f"p,t,s,a\nA,0,i,1\nA,1,i,none\nA,2,i,{word}\n"
    assert read(tmp_path, actions)[0].actions == ("1", "none", word)
    assert read(tmp_path, actions, missing=word)[0].actions == ("1", "none")


def test_numbers_that_are_missing_are_so_in_every_kind_of_file(tmp_path):
    frame = pl.DataFrame({"p": "A", "t": [0, 1, 2], "s": [1.0, float("nan"), 2.5], "a": "x"})
    frame.write_csv(tmp_path / "log.csv")
    frame.write_parquet(tmp_path / "log.parquet")
    rows = frame.to_dicts()
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for source in (frame, *tmp_path.iterdir()):
        episodes = ut.read_episodes(source, **ROLES, on_error="drop", gaps="split")
        assert [(e.id, e.states) for e in episodes] == [(("A", 1), (1.0,)), (("A", 2), (2.5,))]
        assert [row.reason for row in episodes.rejected] == ["the state is missing"]


@pytest.mark.parametrize(
    "steps",
    [
        ("1/5/21", "2/3/21"),  # the fifth of January, or the first of May?
        ("21-05-01", "01-06-21"),
        ("12/31/2020", "1/1/2021"),
        ("1:30:00 pm", "11:00:00 am"),
        ("09:30:00+02", "09:00:00+00"),
    ],
)
def test_dates_and_times_that_can_be_read_in_two_ways_are_refused(tmp_path, steps):
    text = f"p,t,s,a\nA,{steps[0]},i,x\nA,{steps[1]},i,x\n"
    with pytest.raises(InvalidLog, match=r"the step column holds texts such as '.*strptime"):
        read(tmp_path, text)
    sql = (
        "SELECT * REPLACE (strptime(t, '%d.%m.%Y') AS t) "
        f"FROM read_csv('{tmp_path}/log.csv', types = {{'t': 'VARCHAR'}})"
    )
    (tmp_path / "log.csv").write_text("p,t,s,a\nA,01.02.2021,i,x\nA,31.01.2021,j,y\n")
    assert ut.read_episodes(sql, **ROLES)[0].states == ("j", "i")
