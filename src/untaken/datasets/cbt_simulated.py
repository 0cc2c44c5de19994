"""How the simulated patients come about: a plan of themes, and a total that drifts under them.

A patient's questionnaire total moves by the pull of the session's theme, towards where the patient
is bound for, and by chance. Activation helps most while severity is high, work on thoughts most
while it is low; so there is something to be found in the data, and it is known what.
"""

from __future__ import annotations

import numpy as np

from untaken.datasets.cbt import QUESTIONS, SHORTEST, CbtTrial, Session, trial_of

PATIENTS = 77
TOO_SHORT = 4
LONGEST = 20
LARGEST = 27
UNANSWERED = 0.01
"""The share of questions that are left out."""
TYPICAL_START = 14.5
START_SPREAD = 2.6
PULL = 0.10
"""How much of the way to where a patient is bound for is made in a session."""
BOUND_FOR = 9.0
BOUND_SPREAD = 1.2
CHANCE = 2.6
"""The spread of a total from session to session."""

HELP_WHEN_SEVERE = {"STR": 0.2, "BIO": 0.0, "PSE": 0.4, "BHA": 1.3, "REV": 0.3, "CRT": -0.3,
                    "INR": 0.2, "THP": -0.2, "RLP": 0.1, "END": 0.0, "EXT": 0.5}  # fmt: skip
"""By how many points a session on the theme lowers a total of 20."""
HELP_WHEN_MILD = {"STR": 0.1, "BIO": 0.1, "PSE": 0.3, "BHA": 0.3, "REV": 0.3, "CRT": 0.9,
                  "INR": 0.6, "THP": 0.7, "RLP": 0.3, "END": 0.0, "EXT": 0.2}  # fmt: skip
"""The same for a total of 5; in between, in between."""


def cbt_trial(seed: int | np.random.Generator = 0) -> CbtTrial:
    """A SIMULATED trial of cognitive behavioural therapy in the shape of the paper's. Its 77
    patients are made up; the real ones are not public (`read_cbt_trial` reads their file).

    >>> trial = cbt_trial()
    >>> len(trial.episodes), len(trial.left_out), trial.simulated
    (73, 4, True)
    >>> trial.episodes[0].actions[:4]
    ('STR', 'BIO', 'PSE', 'PSE')
    """
    rng = np.random.default_rng(seed)
    too_short = set(rng.choice(PATIENTS, TOO_SHORT, replace=False).tolist())
    sessions: list[Session] = []
    for number in range(PATIENTS):
        length = _length(rng)
        if number in too_short:
            length = int(rng.integers(3, SHORTEST))
        sessions += _patient(number + 1, length, number not in too_short, rng)
    return trial_of(sessions, simulated=True)


def _length(rng: np.random.Generator) -> int:
    """Most patients attend nearly all sessions, some leave earlier."""
    return int(LONGEST - rng.binomial(LONGEST - SHORTEST, rng.beta(1.6, 4.2)))


def _patient(number: int, length: int, completes: bool, rng: np.random.Generator) -> list[Session]:
    full = _plan(length if completes else SHORTEST + 5, rng)
    total = float(np.clip(rng.normal(TYPICAL_START, START_SPREAD), 2, 26))
    bound_for = float(np.clip(rng.normal(BOUND_FOR, BOUND_SPREAD), 1, 24))
    answers = _habits(rng)
    sessions = []
    for theme in full[:length]:
        sessions.append(Session(number, theme, _answers(total, answers, rng)))
        weight = float(np.clip((total - 5) / 15, 0, 1))
        helped = weight * HELP_WHEN_SEVERE[theme] + (1 - weight) * HELP_WHEN_MILD[theme]
        total += PULL * (bound_for - total) - helped + rng.normal(0, CHANCE)
        total = float(np.clip(total, 0, LARGEST))
    return sessions


def _plan(length: int, rng: np.random.Generator) -> list[str]:
    """Themes in the order of the protocol, now and then swapped or repeated."""
    middle = ["BIO", "PSE", "PSE"]
    rest = length - 2 - len(middle) - 1
    order = ["PSE", "BHA", "BHA", "CRT", "CRT", "REV", "CRT", "INR", "INR", "THP", "BHA", "CRT",
             "THP", "REV", "RLP", "EXT", "INR"]  # fmt: skip
    wanted = order[1 : rest + 1] if rng.random() < 0.6 else order[:rest]
    rank = {"PSE": 0, "BHA": 1, "CRT": 2, "REV": 3, "INR": 4, "THP": 5, "EXT": 6, "RLP": 7}
    placed = sorted(wanted, key=lambda theme: rank[theme] + rng.normal(0, 0.45))
    replaced = rng.random(len(placed)) < 0.08
    themes = [
        str(rng.choice(["EXT", "CRT", "BHA", "INR"])) if swap else theme
        for theme, swap in zip(placed, replaced, strict=True)
    ]
    return ["STR", *middle, *themes, "RLP", "END"]


def _habits(rng: np.random.Generator) -> np.ndarray:
    """How readily a patient agrees to each of the questions."""
    habits: np.ndarray = rng.dirichlet(np.full(QUESTIONS, 8.0))
    return habits


def _answers(total: float, habits: np.ndarray, rng: np.random.Generator) -> tuple[int | None, ...]:
    """Answers that add up to the rounded total, some of them left out; never all."""
    points = np.zeros(QUESTIONS, dtype=np.int64)
    for _ in range(round(total)):
        open_ones = np.where(points < 3, habits, 0.0)
        points[rng.choice(QUESTIONS, p=open_ones / open_ones.sum())] += 1
    left_out = rng.random(QUESTIONS) < UNANSWERED
    left_out[int(rng.integers(QUESTIONS))] = False
    return tuple(
        None if out else point
        for point, out in zip(points.tolist(), left_out.tolist(), strict=True)
    )
