"""A trial of cognitive behavioural therapy in the shape of the paper's: SIMULATED patients.

The trial that the paper studied is not public. What is here imitates its published form (77
patients of whom 73 attend ten sessions or more, nine questions a session, eleven themes) and its
published averages. Nothing in it was ever observed, and nothing follows from it about therapy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from untaken.episodes import Episode, Episodes, Label
from untaken.episodes.discretise import cut
from untaken.errors import InvalidFile, InvalidLog

QUESTIONS = 9
EDGES = (4, 9, 14, 19)
SEVERITIES = ("none", "mild", "moderate", "moderately severe", "severe")
SHORTEST = 10
"""Patients with fewer sessions are left out."""
_ANSWERS = tuple(f"FRAGE0{question}_1" for question in range(1, QUESTIONS + 1))
_COLUMNS = ("patnr", "Action", *_ANSWERS, "Score")
_UNANSWERED = ("", "Z")


@dataclass(frozen=True)
class Theme:
    """What a session is about."""

    code: int
    """Its number in the trial's files."""
    label: str
    name: str
    description: str


THEMES = (
    Theme(0, "STR", "First session", "Getting acquainted: complaints, hopes, how life is now."),
    Theme(1, "BIO", "Biography", "The life so far: family, school, work, love, turning points."),
    Theme(2, "PSE", "Psychoeducation", "What depression is; how feeling, thinking and doing hang "
          "together; a model of one's own illness and how the treatment follows from it."),
    Theme(3, "BHA", "Behavioural activation", "Doing more of what does good: the downward spiral, "
          "pleasant activities, a structure for the day, and what stands in the way."),
    Theme(4, "REV", "Review", "A look back over the sessions: what helped, and a personal plan."),
    Theme(5, "CRT", "Cognitive restructuring", "Noticing automatic thoughts, what they do to mood "
          "and action, and putting them to the test."),
    Theme(6, "INR", "Interactional competence", "Self-confidence and dealings with others: goals, "
          "role plays, and trying them out in everyday life."),
    Theme(7, "THP", "Thought patterns", "Basic assumptions and life plans, looked at and renamed."),
    Theme(9, "RLP", "Relapse prevention", "Early signs, risky situations and what to do then."),
    Theme(10, "END", "Closing session", "Saying goodbye and looking back on the months together."),
    Theme(11, "EXT", "Extra material", "Sleep, brooding, solving problems, relaxation."),
)  # fmt: skip
UNNAMED = Theme(8, "THEME8", "Unnamed", "A number in the files that no publication explains.")
_BY_CODE = {theme.code: theme for theme in (*THEMES, UNNAMED)}
_BY_LABEL = {theme.label: theme for theme in (*THEMES, UNNAMED)}


@dataclass(frozen=True)
class Session:
    """One session as it was filed."""

    patient: Label
    theme: str
    answers: tuple[int | None, ...]
    """Answers from 0 to 3 to the nine questions; None where one was left out."""


@dataclass(frozen=True, eq=False)
class CbtTrial:
    """A trial of cognitive behavioural therapy, as episodes and as it was filed."""

    episodes: Episodes
    """One course for each patient with enough sessions: severity 0..4, and the theme."""
    sessions: tuple[Session, ...]
    """Every session of every patient, in order of time."""
    left_out: tuple[Label, ...]
    """Patients with fewer than ten sessions."""
    simulated: bool
    """Whether the patients are made up."""

    themes: tuple[Theme, ...] = THEMES
    """What the actions stand for."""
    severities: tuple[str, ...] = SEVERITIES
    """What the states 0..4 stand for."""

    @staticmethod
    def reward(severity: int) -> int:
        """The paper's reward of a session: the milder, the more."""
        return len(SEVERITIES) - severity

    def outcomes(self) -> tuple[int, ...]:
        """The sum of rewards of each course, as it was observed."""
        paid = np.array([self.reward(severity) for severity in range(len(SEVERITIES))])
        sums = np.add.reduceat(paid[self.episodes.state_codes], self.episodes.offsets[:-1])
        return tuple(sums.tolist())

    def write(self, path: str | PathLike[str]) -> None:
        """Write the sessions in the form of the trial's own file, which `read_cbt_trial` reads."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file, delimiter=";")
            lines.writerow(_COLUMNS)
            for session in self.sessions:
                given = ["Z" if answer is None else answer for answer in session.answers]
                code = _BY_LABEL[session.theme].code
                lines.writerow([session.patient, code, *given, score(session.answers)])

    def __str__(self) -> str:
        outcomes = self.outcomes()
        kind = "SIMULATED patients, none of them real" if self.simulated else "patients"
        return (
            f"{len(self.episodes)} {kind}, with {self.episodes.decisions} sessions; "
            f"mean outcome {sum(outcomes) / len(outcomes):.1f}. "
            f"{len(self.left_out)} more attended fewer than {SHORTEST} sessions"
        )


def score(answers: Sequence[int | None]) -> int:
    """The questionnaire's total, 0 to 27, scaled up by 9 / answered where some are missing and
    rounded, halves up.

    >>> score([1] * 9), score([3, 3, 3, 3, 3, 3, 3, 3, None]), score([1, 1, 1, 2] + [None] * 5)
    (9, 27, 11)
    """
    given = [answer for answer in answers if answer is not None]
    return (2 * sum(given) * len(answers) + len(given)) // (2 * len(given))


def published_patient() -> Episode:
    """The course of the one patient whom the paper shows in full, read off its figure: severity
    worsens in the middle, while cognitive restructuring goes on. Outcome 38.

    >>> patient = published_patient()
    >>> patient.horizon, sum(5 - severity for severity in patient.states)
    (18, 38)
    """
    themes = "STR BIO PSE PSE PSE BHA BHA BHA BHA CRT CRT CRT REV CRT CRT CRT RLP END"
    severities = [4, 4, 4, 4, 3, 4, 3, 3, 1, 2, 3, 3, 3, 3, 4, 2, 1, 1]
    return Episode(severities, themes.split(), id="published")


def read_cbt_trial(path: str | PathLike[str]) -> CbtTrial:
    """Read the trial's own file, for those to whom its owners give it: separated by semicolons, a
    row for each session in order of time, with the columns `patnr`, `Action`, `FRAGE01_1` to
    `FRAGE09_1` (0 to 3; blank or Z where unanswered) and `Score`, which is ignored.

    A course that does not end in END gets a closing session in its last state; patients who
    attended fewer than ten sessions are left out.

    >>> import tempfile, untaken as ut
    >>> folder = tempfile.TemporaryDirectory()
    >>> ut.datasets.cbt_trial().write(folder.name + "/trial.csv")
    >>> read_cbt_trial(folder.name + "/trial.csv").episodes
    Episodes(73 episodes, 1,266 decisions, 5 states, 11 actions)
    >>> folder.cleanup()
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file, delimiter=";")
            _check_header(lines.fieldnames or (), str(path))
            sessions = [_session(line, f"{path}, line {lines.line_num}") for line in lines]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidFile(f"{path} cannot be read: {error}") from None
    return trial_of(sessions, simulated=False)


def _check_header(found: Sequence[str], path: str) -> None:
    missing = [name for name in _COLUMNS[:-1] if name not in found]
    twice = [name for name in _COLUMNS[:-1] if list(found).count(name) > 1]
    for names, fault in ((missing, "no column"), (twice, "more than once the column")):
        if names:
            raise InvalidFile(
                f"{path} has {fault} {', '.join(names)}; expected {';'.join(_COLUMNS)}"
            )


def trial_of(sessions: Iterable[Session], simulated: bool) -> CbtTrial:
    """The trial that filed sessions make."""
    filed = tuple(sessions)
    courses: dict[Label, list[Session]] = {}
    for session in filed:
        courses.setdefault(session.patient, []).append(session)
    long = {patient: course for patient, course in courses.items() if len(course) >= SHORTEST}
    if not long:
        raise InvalidLog(f"no patient of {len(courses)} attended {SHORTEST} sessions or more")
    unnamed = any(session.theme == UNNAMED.label for session in filed)
    themes = (*THEMES, UNNAMED) if unnamed else THEMES
    episodes = Episodes.of(
        (_course(patient, course) for patient, course in long.items()),
        states=range(len(SEVERITIES)),
        actions=[theme.label for theme in themes],
    )
    left_out = tuple(patient for patient in courses if patient not in long)
    return CbtTrial(episodes, filed, left_out, simulated, themes)


def _course(patient: Label, sessions: list[Session]) -> Episode:
    scores = [score(session.answers) for session in sessions]
    states = cut(scores, EDGES).tolist()
    themes = [session.theme for session in sessions]
    if themes[-1] != "END":
        states.append(states[-1])
        themes.append("END")
    return Episode(states, themes, id=patient)


def _session(line: dict[str, str | None], place: str) -> Session:
    if None in line or any(line[name] is None for name in _COLUMNS[:-1]):
        raise InvalidLog(f"{place}: the line has more or fewer fields than the first line names")
    code = (line["Action"] or "").strip()
    if not code.isdecimal() or int(code) not in _BY_CODE:
        raise InvalidLog(
            f"{place}: Action is a number from 0 to 11 that stands for a theme; {code!r} came"
        )
    answers = tuple(_answer(line[name], f"{place}, {name}") for name in _ANSWERS)
    if all(answer is None for answer in answers):
        raise InvalidLog(
            f"{place}: none of the {QUESTIONS} questions is answered, so that the severity is not "
            "known; fill in an answer, or take the patient out"
        )
    number = (line["patnr"] or "").strip()
    patient = int(number) if number.isdecimal() and str(int(number)) == number else number
    if patient == "":
        raise InvalidLog(f"{place}: patnr is missing")
    return Session(patient, _BY_CODE[int(code)].label, answers)


def _answer(text: str | None, place: str) -> int | None:
    given = (text or "").strip()
    if given in _UNANSWERED:
        return None
    if given not in ("0", "1", "2", "3"):
        raise InvalidLog(
            f"{place}: an answer is 0, 1, 2 or 3, or blank or Z where there is none; {given!r} came"
        )
    return int(given)
