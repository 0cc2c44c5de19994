"""The installed command, on good and on bad files, in a folder of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import untaken as ut
from untaken.present.doubts import doubts, kept_doubts
from untaken.present.inputs import kept_words
from untaken.present.words import Words

COMMAND = Path(sys.executable).parent / "untaken"
COLUMNS = ["--episode", "patient", "--step", "session", "--state", "severity", "--action", "theme"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the simulated trial as a CSV, and a file of options."""
    place = tmp_path_factory.mktemp("cli")
    episodes = ut.datasets.cbt_trial().episodes
    with open(place / "sessions.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "session", "severity", "theme"])
        for episode in episodes:
            for step, action in enumerate(episode.actions):
                rows.writerow([episode.id, step + 1, episode.states[step], action])
    options = 'episode = "patient"\nstep = "session"\nstate = "severity"\naction = ["theme"]\n'
    (place / "columns.toml").write_text(options + "keep-ends = true\n")
    (place / "wrong.toml").write_text(options + "budget = 3\n")
    return place


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def expected(k: int) -> ut.Counterfactual:
    trial = ut.datasets.cbt_trial()
    fit = ut.fit(trial.episodes, prior=ut.neighbour_prior(1.0, 0.01), reward=trial.reward)
    ends = ut.positional_actions(trial.episodes)
    episode = trial.episodes.by_id(17)
    return ut.explain(episode, fit.mdp, k, pinned=ends.pinned, excluded=ends.excluded)


def test_the_account_of_one_patient(folder):
    done = run(folder, "explain", "sessions.csv", *COLUMNS, "--id", "17", "-k", "3", "--keep-ends")
    assert done.returncode == 0
    assert done.stdout.startswith("17: 16 sessions, at most 3 changes\n")
    assert f"best expected outcome        {expected(3).outcome:.2f}" in done.stdout
    assert "How sure: " in done.stdout
    assert "No rewards were given: each step pays the rank of its state" in done.stderr


def test_a_log_may_say_things_twice_and_have_a_word_for_what_is_missing(folder):
    lines = (folder / "sessions.csv").read_text().splitlines()
    untidy = [*lines, lines[5], "17,17,1,NA"]
    (folder / "untidy.csv").write_text("\n".join(untidy))
    asked = ["explain", "untidy.csv", *COLUMNS, "--id", "17", "-k", "1", "--format", "json"]
    refused = run(folder, *asked)
    assert refused.returncode == 2
    assert "the step occurs more than once" in refused.stderr
    done = run(folder, *asked, "--duplicates", "merge", "--missing", "NA")
    assert "it repeats a step, as duplicates= allows" in done.stderr
    account = ut.Account.from_json(done.stdout)
    assert (len(account.observed.actions), account.observed.states[-1]) == (16, 1)


def test_ends_are_kept_also_where_one_patient_lacks_them(folder):
    lines = (folder / "sessions.csv").read_text().splitlines()
    assert lines[1].startswith("1,1,")
    (folder / "late.csv").write_text("\n".join([lines[0], *lines[2:]]))
    asked = [*COLUMNS, "-k", "8", "--keep-ends"]
    done = run(folder, "explain", "late.csv", *asked, "--id", "17", "--format", "json")
    account = ut.Account.from_json(done.stdout)
    changed = {change.step for way in account.explanations for change in way.changes}
    assert changed
    assert 0 not in changed
    study = run(folder, "study", "late.csv", *asked, "--out", "late")
    assert "lack what is done at step 1 only (STR)" in study.stderr
    assert "--pin 1 keeps it" in study.stderr


def test_json_from_options_in_a_file(folder):
    done = run(
        folder, "explain", "sessions.csv", "--config", "columns.toml", "--id", "17", "-k", "2",
        "--format", "json",
    )  # fmt: skip
    account = ut.Account.from_json(done.stdout)
    assert account.frontier == pytest.approx(tuple(expected(2).frontier))
    assert account.id == 17


def test_csv_for_pipes_and_a_figure(folder):
    done = run(
        folder, "explain", "sessions.csv", "--config", "columns.toml", "--id", "17", "-k", "2",
        "--format", "csv", "--plot", "page.png",
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    told = expected(2).explanations()
    assert [float(row["probability"]) for row in rows] == pytest.approx(
        [e.probability for e in told]
    )
    assert (folder / "page.png").stat().st_size > 10_000


def test_redacted_accounts_do_not_hold_the_id(folder):
    done = run(
        folder, "explain", "sessions.csv", "--config", "columns.toml", "--id", "70", "-k", "1",
        "--format", "json", "--redact",
    )  # fmt: skip
    assert json.loads(done.stdout)["id"].startswith("episode ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sessions.csv", *COLUMNS, "--id", "1000"], "'1000' is not among the 73 known ones"),
        (["absent.csv", *COLUMNS, "--id", "1"], "absent.csv cannot be read"),
        (["sessions.csv", "--id", "1"], "Missing option '--episode'"),
        (["sessions.csv", *COLUMNS[:-1], "thema", "--id", "1"], "no column 'thema'"),
        (["sessions.csv", "--config", "wrong.toml", "--id", "1"], "sets 'budget'"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--pin", "99"], "--pin 99 is outside"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--pin", "0"], "counted from 1 here"),
        (["sessions.csv", *COLUMNS, "--id", "1", "-k", "-1"], "-1 is not in the range"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--exclude", "XYZ"], "'XYZ' is not among the 11"),
        (["sessions.csv", "--config", "absent.toml", "--id", "1"], "absent.toml cannot be read"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--plot", "a.xyz"], "ends in one of"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--plot", "no/a.png"], "no/a.png cannot be"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--reward", "a", "--cost", "b"], "or --cost"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--states", "0,1"], "--drop-bad-rows leaves"),
        (
            ["sessions.csv", *COLUMNS, "--id", "1", "--process", "sessions.csv"],
            "it is no .npz file\n",
        ),
    ],
)
def test_bad_input_ends_with_one_message_and_status_2(folder, arguments, message):
    done = run(folder, "explain", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_debug_shows_the_traceback(folder):
    done = run(folder, "--debug", "explain", "absent.csv", *COLUMNS, "--id", "1")
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_a_study_is_kept_summarised_and_refused_to_others(folder):
    options = ["sessions.csv", "--config", "columns.toml", "--out", "kept", "--quiet"]
    done = run(folder, "study", *options, "-k", "2", "--format", "csv")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    kept = ut.open_study(folder / "kept")
    assert [float(row["mean"]) for row in rows] == [p.mean for p in kept.summary().frontier]
    asked = kept.budgets.filter("episode = 17 AND k = 2").project("outcome").fetchall()[0]
    assert asked[0] == pytest.approx(expected(2).outcome)
    again = run(folder, "study", *options, "-k", "2")
    assert again.stdout.startswith("73 episodes, 73 with an answer\n")
    other = run(folder, "study", *options, "-k", "3")
    assert other.returncode == 2
    assert "k was 2 and is 3" in other.stderr


def test_the_column_of_the_groups_is_kept(folder):
    log = folder / "grouped.csv"
    log.write_text(
        "episode,step,state,action,ward\n"
        + "".join(
            f"{e},{t},{(e + t) % 2},{t % 2},{'AB'[e % 2]}\n" for e in range(6) for t in (0, 1)
        )
    )
    columns = [word for c in ("episode", "step", "state", "action") for word in (f"--{c}", c)]
    arguments = ["study", "grouped.csv", *columns, "-k", "1", "--out", "grouped", "--quiet"]
    done = run(folder, *arguments, "--by", "ward", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert {row["group"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"A", "B"}
    again = run(folder, *arguments, "--by", "ward", "--keep", "ward")
    assert "ward: A" in again.stdout


def test_version_and_help(folder):
    assert run(folder, "--version").stdout == f"untaken, version {ut.__version__}\n"
    for command in ("demo", "explain", "study", "paper"):
        assert f"untaken {command}" in run(folder, command, "--help").stdout


@pytest.fixture(scope="module")
def study(folder) -> Path:
    done = run(
        folder, "study", "sessions.csv", "--config", "columns.toml", "-k", "1", "--out", "pages",
        "--robust", "--draws", "5", "--outcome-name", "well-being", "--format", "json", "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [row["k"] for row in json.loads(done.stdout)] == [0, 1]
    assert "untaken report pages" in done.stderr
    return folder / "pages"


def test_a_report_speaks_with_the_words_of_the_log(folder, study):
    done = run(folder, "report", study.name, "-o", "page.html", "--title", "Ward 3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("page.html (")
    assert "<title>Ward 3</title>" in (folder / "page.html").read_text(encoding="utf-8")
    assert kept_words(str(study)) == Words("well-being", "session", 1)
    assert len(kept_doubts(ut.open_study(study))) == 2


def test_an_explorer_answers_until_it_is_stopped(folder, study):
    command = [str(COMMAND), "explore", study.name, "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(f"{address}api/cohort") as answer:
                assert json.load(answer)["words"]["step"] == "session"
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def test_stopping_a_study_by_hand_says_what_is_done(folder):
    command = [str(COMMAND), "study", "sessions.csv", "--config", "columns.toml", "-k", "10"]
    command += ["--detail", "--robust", "--out", "stopped"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as study:
        while study.poll() is None and not (folder / "stopped" / "manifest.json").exists():
            time.sleep(0.01)
        study.send_signal(signal.SIGINT)
        _, told = study.communicate(timeout=60)
    assert study.returncode == 130
    last = told.strip().splitlines()[-1]
    assert last.startswith("stopped by hand. ")
    assert "of 73 episodes are done and safe in stopped" in last
    assert "Traceback" not in told


def test_whoever_opens_it_to_others_is_told(folder, study):
    command = [str(COMMAND), "explore", study.name, "--port", "0", "--host", "0.0.0.0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert "http://0.0.0.0:" in server.stdout.readline()
            assert "there is no password" in server.stderr.readline()
        finally:
            server.send_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "nowhere"], "nowhere"),
        (["explore", "nowhere"], "nowhere"),
        (["report", "pages", "-o", "sessions.csv/page.html"], "cannot be written"),
        (["report", "sessions.csv"], "sessions.csv holds no study"),
        (["report", "pages", "--episodes", "-1"], "-1"),
        (["report", "pages", "-o", "."], "is a directory"),
        (["report", "pages", "-o", ""], "expected the name of a file"),
        (["study", "sessions.csv", *COLUMNS, "--out", "x", "--draws", "2"], "belongs to --robust"),
        (["study", "sessions.csv", *COLUMNS, "--out", "x", "--jobs", "0"], "number of threads"),
        (["explore", "pages", "--host", "192.0.2.1"], "cannot listen at 192.0.2.1"),
    ],
)
def test_pages_that_cannot_be_made_end_with_one_message(folder, study, arguments, message):
    assert study.exists()
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["demo", "explain", "study", "report", "explore", "paper"])
def test_help_shows_examples(folder, command):
    done = run(folder, command, "--help")
    assert done.returncode == 0
    assert f"untaken {command}" in done.stdout.split("Options:")[0].split("\n", 1)[1]


def test_steps_count_as_the_log_counts(folder):
    done = run(folder, "explain", "sessions.csv", *COLUMNS, "--id", "17", "-k", "1")
    assert "session 0" not in done.stdout
    done = run(folder, "explain", "sessions.csv", *COLUMNS, "--id", "17", "-k", "1",
               "--first-step", "0", "--step-name", "visit")  # fmt: skip
    assert "visit " in done.stdout


def test_redacted_answers_are_the_same_and_name_nobody(folder):
    (folder / "named.csv").write_text(
        (folder / "sessions.csv").read_text().replace("\n", "\nMrs ").removesuffix("Mrs ")
    )
    ask = ["explain", "named.csv", *COLUMNS, "-k", "1", "--format", "json", "--id", "Mrs 17"]
    plain, hidden = run(folder, *ask), run(folder, *ask, "--redact")
    told, same = json.loads(plain.stdout), json.loads(hidden.stdout)
    assert told.pop("id") == "Mrs 17"
    assert same.pop("id").startswith("episode ")
    assert told == same  # the episode is known to the fit under its new name too
    assert "Mrs" not in hidden.stdout + hidden.stderr


def test_redacted_complaints_name_nobody_else(folder):
    rows = [f"Mrs {i},{t},1,a" for i in range(3) for t in (1, 2, 2)]
    (folder / "bad.csv").write_text("\n".join(["patient,session,severity,theme", *rows]) + "\n")
    for extra, status in ((["--id", "Mrs 1"], 2), (["--id", "Mr 9", "--drop-bad-rows"], 2)):
        done = run(folder, "explain", "bad.csv", *COLUMNS, "--redact", *extra)
        assert done.returncode == status
        assert "rows" in done.stderr or "episodes of the log" in done.stderr
        assert "Mrs" not in done.stderr


def test_shells_can_complete_it(folder):
    asked = {
        **os.environ,
        "_UNTAKEN_COMPLETE": "bash_complete",
        "COMP_WORDS": "untaken ex",
        "COMP_CWORD": "1",
    }
    done = subprocess.run([str(COMMAND)], cwd=folder, env=asked, capture_output=True, text=True)
    assert sorted(done.stdout.split()) == ["plain,explain", "plain,explore"]


def test_what_a_log_says_of_costs_is_to_fall(folder):
    sick = "day,who,how,did,cost\n" + "".join(
        f"{t},{who},{'ill' if (t + who) % 3 else 'well'},{'treat' if (t * who) % 2 else 'wait'},"
        f"{10 * bool((t + who) % 3) + (t * who) % 2}\n"
        for who in range(6)
        for t in range(5)
    )
    (folder / "costs.csv").write_text(sick)
    columns = ["--episode", "who", "--step", "day", "--state", "how", "--action", "did"]
    ask = ["explain", "costs.csv", *columns, "--id", "1", "-k", "2", "--format", "json"]
    account = json.loads(run(folder, *ask, "--cost", "cost").stdout)
    assert account["minimise"] is True
    assert account["frontier"] == sorted(account["frontier"], reverse=True)
    assert account["frontier"][-1] < account["frontier"][0]
    assert json.loads(run(folder, *ask, "--reward", "cost").stdout)["minimise"] is False
    ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1]).save(folder / "more.npz")
    refused = run(folder, *ask, "--cost", "cost", "--process", "more.npz")
    assert refused.returncode == 2
    assert "--cost says that less is better" in refused.stderr


def test_a_file_of_options_may_hold_single_values_and_lists(folder):
    (folder / "lists.toml").write_text(
        'pin = -1\nexclude = "PSE"\nid = 17\nstates = [0, 1, 2, 3, 4]\nk = 1\nformat = "json"\n'
    )
    listed = run(folder, "explain", "sessions.csv", *COLUMNS, "--config", "lists.toml")
    typed = run(
        folder, "explain", "sessions.csv", *COLUMNS, "--pin", "-1", "--exclude", "PSE",
        "--id", "17", "--states", "0,1,2,3,4", "-k", "1", "--format", "json",
    )  # fmt: skip
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout) == json.loads(typed.stdout)


def test_steps_are_pinned_by_the_numbers_that_the_output_gives_them(folder):
    def changed(*options):
        ask = ["sessions.csv", *COLUMNS, "--id", "17", "-k", "1", *options, "--format", "json"]
        told = json.loads(run(folder, "explain", *ask).stdout)
        return {step for step, chance in enumerate(told["changed"]) if chance}

    (free,) = changed()
    assert changed("--pin", str(free + 1)) != {free}  # the file counts its sessions from 1
    assert changed("--pin", str(free), "--first-step", "0") != {free}
    assert changed("--pin", str(free + 2)) == {free}


def test_labels_that_an_output_has_no_letters_for_are_spelt_out(folder):
    (folder / "letters.csv").write_text(
        (folder / "sessions.csv").read_text().replace("PSE", "心理教育"), encoding="utf-8"
    )
    ask = [str(COMMAND), "explain", "letters.csv", *COLUMNS, "--id", "17", "-k", "3"]
    done = subprocess.run(
        ask, cwd=folder, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u5fc3\\u7406" in done.stdout


def test_the_column_of_groups_is_kept_without_being_told(folder):
    (folder / "wards.csv").write_text(
        "\n".join(
            line + (",ward" if not i else f",{'north' if int(line.split(',')[0]) % 2 else 'south'}")
            for i, line in enumerate((folder / "sessions.csv").read_text().splitlines())
        )
    )
    done = run(
        folder, "study", "wards.csv", *COLUMNS, "--by", "ward", "-k", "1", "--out", "wards",
        "--quiet", "--format", "csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {row["group"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"north", "south"}


@pytest.mark.parametrize("words", ["report ", "explore ", "explain ", "explain --config "])
def test_shells_complete_files(folder, words):
    asked = {
        **os.environ,
        "_UNTAKEN_COMPLETE": "bash_complete",
        "COMP_WORDS": f"untaken {words}",
        "COMP_CWORD": str(len(words.split()) + 1),
    }
    done = subprocess.run([str(COMMAND)], cwd=folder, env=asked, capture_output=True, text=True)
    assert done.stdout.startswith("file,")


WORDS_LOG = "who,day,pain,drug\n" + "".join(
    f"{who},{day},{('none', 'mild', 'moderate')[(who + day) % 3]},{'ab'[day % 2]}\n"
    for who in range(1, 5)
    for day in range(1, 5)
)
PAIN = ["--episode", "who", "--step", "day", "--state", "pain", "--action", "drug", "--id", "1"]


def test_words_are_not_ranked_by_the_alphabet(folder):
    (folder / "pain.csv").write_text(WORDS_LOG)
    refused = run(folder, "explain", "pain.csv", *PAIN)
    assert refused.returncode == 2
    assert "mild, moderate, none. Give all of them as --states A,B,C" in refused.stderr
    done = run(folder, "explain", "pain.csv", *PAIN, "--states", "none,mild,moderate")
    assert done.returncode == 0
    assert "moderate pays 1, mild pays 2, none pays 3. A sum of ranks" in done.stderr


def test_one_is_told_what_stands_beside_what_and_what_counts_nothing(folder):
    lines = WORDS_LOG.splitlines()
    paid = [f"{lines[0]},paid", *(f"{line},1" for line in lines[1:])]
    (folder / "paid.csv").write_text("\n".join(paid) + "\n")
    done = run(folder, "explain", "paid.csv", *PAIN, "--reward", "paid")
    assert "the order of the alphabet: mild, moderate, none. Give --states" in done.stderr
    (folder / "seen.csv").write_text(WORDS_LOG + "1,5,none,\n")
    done = run(folder, "explain", "seen.csv", *PAIN, "--states", "none,mild,moderate")
    assert "What was seen after the last action counts nothing." in done.stderr


def test_states_that_never_recur_are_pointed_out(folder):
    rows = [f"{who},{day},{who + day / 100:.2f},a" for who in range(4) for day in range(4)]
    (folder / "scale.csv").write_text("\n".join(["who,day,pain,drug", *rows]) + "\n")
    done = run(folder, "explain", "scale.csv", *PAIN)
    assert "16 different states in 16 decisions: hardly any occurs twice" in done.stderr


def test_tables_count_steps_as_the_log_does(folder):
    asked = ["explain", "sessions.csv", "--config", "columns.toml", "--id", "17", "-k", "2"]
    text, table = run(folder, *asked), run(folder, *asked, "--format", "csv")
    top = next(csv.DictReader(io.StringIO(table.stdout)))["explanation"]
    first = expected(2).explanations()[0].changes[0]
    assert top.startswith(f"session {first.step + 1}: {first.observed} → {first.alternative}; ")
    assert top.partition(";")[0] in text.stdout


def test_doubts_about_the_estimate_are_told_without_being_asked(folder):
    asked = ["explain", "sessions.csv", "--config", "columns.toml", "--id", "17", "-k", "1"]
    told = run(folder, *asked).stderr
    assert "not clearly better predicted when the action is known (-0.0" in told
    assert "the state or action before still informs the next state (p = 0.015)" in told


def test_a_sound_estimate_raises_no_doubts():
    P = [[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]]]
    even = [[0.5, 0.5], [0.5, 0.5]]
    log = ut.simulate(ut.MDP(P, [0, 1]), even, episodes=500, horizon=6, start=0)
    fit = ut.fit(log, prior=ut.uniform_prior(), reward={0: 0, 1: 1})
    assert list(doubts(fit)) == []


def test_a_study_made_in_python_tells_the_doubts_about_the_fit_that_it_keeps(tmp_path):
    trial = ut.datasets.cbt_trial()
    fit = ut.fit(trial.episodes, ut.neighbour_prior(), reward=trial.reward)
    few, sure = trial.episodes[:3], ut.Depth(robust=True, posterior=2)
    kept = ut.explain_all(few, fit, k=1, depth=sure, out=tmp_path / "kept")
    assert kept_doubts(ut.open_study(tmp_path / "kept")) == kept_doubts(kept) == list(doubts(fit))
    assert len(kept_doubts(kept)) == 2
    assert kept_doubts(ut.explain_all(few, fit, k=1)) == []  # nothing is known of the estimate
