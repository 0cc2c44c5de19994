"""The simulated trial, its published averages, and the file of the real one."""

import numpy as np
import pytest

import untaken as ut
from untaken.datasets.cbt import THEMES, Session, score, trial_of
from untaken.errors import InvalidFile, InvalidLog

HEADER = "patnr;Action;" + ";".join(f"FRAGE0{i}_1" for i in range(1, 10)) + ";Score\n"


@pytest.fixture(scope="module")
def trial():
    return ut.datasets.cbt_trial()


def test_the_published_numbers(trial):
    outcomes = np.array(trial.outcomes())
    half = 1.96 * outcomes.std(ddof=1) / np.sqrt(len(outcomes))
    assert len(trial.episodes) == 73
    assert len(trial.left_out) == 4
    assert len({session.patient for session in trial.sessions}) == 77
    assert outcomes.mean() == pytest.approx(59.6, abs=0.5)
    assert outcomes.mean() - half == pytest.approx(56.5, abs=0.75)
    assert outcomes.mean() + half == pytest.approx(62.7, abs=0.75)
    assert trial.episodes.horizons.min() >= 10
    assert trial.episodes.horizons.max() <= 20
    assert len(trial.episodes.states) == 5
    assert len(trial.episodes.actions) == 11


def test_other_seeds_give_other_trials_of_the_same_kind():
    means = [np.mean(ut.datasets.cbt_trial(seed).outcomes()) for seed in range(1, 9)]
    assert 57 < np.mean(means) < 61
    assert len(set(means)) == 8
    assert all(54 < mean < 65 for mean in means)


def test_severity_moves_mostly_between_neighbours(trial):
    episodes = trial.episodes
    seen = episodes.next_codes >= 0
    jump = np.abs(episodes.next_codes[seen] - episodes.state_codes[seen])
    assert (jump <= 1).mean() > 0.95
    assert (jump == 1).mean() > 0.25
    assert len(np.unique(episodes.state_codes)) == 5


def test_themes_follow_a_protocol(trial):
    found = ut.positional_actions(trial.episodes)
    assert (found.excluded, found.pinned) == (("STR", "END"), (0, -1))
    place = {theme.label: [] for theme in THEMES}
    for episode in trial.episodes:
        for step, theme in enumerate(episode.actions):
            place[theme].append(step / episode.horizon)
    order = ["STR", "BIO", "PSE", "BHA", "CRT", "INR", "THP", "RLP", "END"]
    means = [np.mean(place[theme]) for theme in order]
    assert means == sorted(means)


def test_it_says_that_it_is_simulated(trial):
    assert trial.simulated
    assert "SIMULATED" in str(trial)
    assert "SIMULATED" in ut.datasets.cbt_trial.__doc__


def test_answers_are_those_of_the_questionnaire(trial):
    given = [answer for session in trial.sessions for answer in session.answers]
    assert set(given) == {0, 1, 2, 3, None}
    assert 0 < given.count(None) / len(given) < 0.05
    assert len({theme.description for theme in trial.themes}) == 11


def test_it_is_written_in_the_trials_own_form_and_read_back(trial, tmp_path):
    trial.write(tmp_path / "trial.csv")
    text = (tmp_path / "trial.csv").read_text()
    assert text.replace("\r", "").startswith(HEADER)
    assert ";Z;" in text
    again = ut.datasets.read_cbt_trial(tmp_path / "trial.csv")
    assert not again.simulated
    assert again.sessions == trial.sessions
    assert again.left_out == trial.left_out
    assert list(again.episodes) == list(trial.episodes)
    assert again.outcomes() == trial.outcomes()


def test_it_can_be_fitted_and_explained(trial):
    fit = ut.fit(trial.episodes, prior=ut.neighbour_prior(), reward=trial.reward)
    found = ut.positional_actions(trial.episodes)
    patient = trial.episodes[0]
    cf = ut.explain(patient, fit.mdp, k=3, pinned=found.pinned, excluded=found.excluded)
    assert cf.observed == trial.outcomes()[0]
    assert cf.frontier[0] == cf.observed
    assert (np.diff(cf.frontier) >= -1e-12).all()
    held_out = fit.leave_out(patient.id).mdp
    assert ut.explain(patient, held_out, k=1, pinned=found.pinned).observed == cf.observed


def test_the_published_patient():
    patient = ut.datasets.published_patient()
    assert patient.horizon == len(patient.states) == 18
    assert sum(ut.datasets.CbtTrial.reward(s) for s in patient.states) == 38
    assert set(patient.actions) <= {theme.label for theme in THEMES}


def test_scores_are_scaled_and_rounded_half_up():
    none = None
    assert score([3] * 9) == 27
    assert score([1, 1, 1, 2, none, none, none, none, none]) == 11  # 11.25
    assert score([1, 1, none, none, none, none, none, none, none]) == 9
    assert score([1, 0, none, none, none, none, none, none, none]) == 5  # 4.5, halves up
    assert score([1, 2, 1, 1, 1, 1, 1, none, none]) == 10  # 10.29


def rows(tmp_path, *lines):
    (tmp_path / "real.csv").write_text(HEADER + "\n".join(lines) + "\n")
    return tmp_path / "real.csv"


def course(patient, actions, answers="1;1;1;1;1;1;1;1;1"):
    return [f"{patient};{action};{answers};9" for action in actions]


def test_reading_the_real_form(tmp_path):
    path = rows(
        tmp_path,
        *course(7, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10]),
        *course("07", [0] + [8] * 9, answers=";Z;3;3;3;3;3;3;3"),
        *course(9, [0] * 9),
    )
    trial = ut.datasets.read_cbt_trial(path)
    assert trial.left_out == (9,)
    assert trial.episodes.ids.tolist() == [7, "07"]
    labels = [theme.label for theme in THEMES if theme.label not in ("EXT",)]
    assert list(trial.episodes[0].actions) == labels
    assert trial.episodes[0].states == (1,) * 10
    assert trial.episodes[1].actions == ("STR", *["THEME8"] * 9, "END")
    assert trial.episodes[1].states == (4,) * 11
    assert trial.episodes.actions.names[-1] == "THEME8"


MESSAGES = {
    "no column": ("patnr;Action\n", InvalidFile, "has no column FRAGE01_1, FRAGE02_1"),
    "column twice": (
        HEADER.replace("Score", "Action"),
        InvalidFile,
        "has more than once the column Action; expected patnr;",
    ),
    "cut off": (HEADER + "1;0;1;1\n", InvalidLog, "line 2: the line has more or fewer fields"),
    "too long": (HEADER + "1;0;1;1;1;1;1;1;1;1;1;9;9\n", InvalidLog, "line 2: .* more or fewer"),
    "theme": (HEADER + "1;12;1;1;1;1;1;1;1;1;1;9\n", InvalidLog, "line 2: Action is .*'12' came"),
    "answer": (HEADER + "1;0;4;1;1;1;1;1;1;1;1;9\n", InvalidLog, "FRAGE01_1: an answer is .*'4'"),
    "silence": (HEADER + "1;0;;;;;;;;;;9\n", InvalidLog, "line 2: none of the 9 questions"),
    "nobody": (HEADER + ";0;1;1;1;1;1;1;1;1;1;9\n", InvalidLog, "line 2: patnr is missing"),
    "short": (HEADER + "1;0;1;1;1;1;1;1;1;1;1;9\n", InvalidLog, "no patient of 1 attended 10"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(case, tmp_path):
    text, error, message = MESSAGES[case]
    (tmp_path / "real.csv").write_text(text)
    with pytest.raises(error, match=message):
        ut.datasets.read_cbt_trial(tmp_path / "real.csv")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidFile, match=r"none\.csv cannot be read"):
        ut.datasets.read_cbt_trial(tmp_path / "none.csv")


def test_blanks_quotes_and_marks_of_other_programs_are_put_up_with(tmp_path):
    lines = [*course(1, [0, 1, 2, 3, 4, 5, 6, 7, 9]), '"1"; 10 ; 1 ; Z ;;1;1;1;1;1;1']
    text = (HEADER + "\n\n".join(lines) + "\n").replace("\n", "\r\n")
    (tmp_path / "real.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    episode = ut.datasets.read_cbt_trial(tmp_path / "real.csv").episodes[0]
    assert (episode.id, episode.horizon, episode.actions[-1]) == (1, 10, "END")


def test_an_unnamed_theme_is_written_and_read_back(tmp_path):
    path = rows(tmp_path, *course(7, [0] + [8] * 9, answers="Z;Z;Z;Z;Z;Z;Z;Z;3"))
    trial = ut.datasets.read_cbt_trial(path)
    trial.write(tmp_path / "again.csv")
    again = ut.datasets.read_cbt_trial(tmp_path / "again.csv")
    assert again.sessions == trial.sessions
    assert list(again.episodes) == list(trial.episodes)


def test_a_closing_session_is_added_in_the_last_state():
    sessions = [Session(1, "STR", (3,) * 9)] * 9 + [Session(1, "CRT", (0,) * 9)]
    episode = trial_of(sessions, simulated=True).episodes[0]
    assert episode.actions[-2:] == ("CRT", "END")
    assert episode.states[-3:] == (4, 0, 0)
