"""The installed command, on good and on bad files, in a folder of its own."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import untaken as ut

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
        (["sessions.csv", *COLUMNS, "--id", "1", "--pin", "99"], "pinned step 99 is outside"),
        (["sessions.csv", *COLUMNS, "--id", "1", "-k", "-1"], "-1 is not in the range"),
        (["sessions.csv", *COLUMNS, "--id", "1", "--exclude", "XYZ"], "'XYZ' is not among the 11"),
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


def test_version_and_help(folder):
    assert run(folder, "--version").stdout == f"untaken, version {ut.__version__}\n"
    for command in ("demo", "explain", "study", "paper"):
        assert f"untaken {command}" in run(folder, command, "--help").stdout
