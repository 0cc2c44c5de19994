"""The sepsis simulator of Oberst and Sontag (2019), as an exact process.

A patient has a heart rate, a blood pressure, an oxygen saturation and a glucose level, may be
diabetic, and is given antibiotics, ventilation and vasopressors, each on or off: 1,440 states and
8 actions. Vitals move one by one: by a treatment that is on, by its withdrawal, or by chance where
no treatment touches them; so a row is the product of four small ones, and nothing is sampled.

Three abnormal vitals are death. Four normal ones without any treatment are the way home.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from untaken.episodes import Episodes, Labels
from untaken.errors import InvalidQuestion
from untaken.kernels.layout import Flags, Floats
from untaken.model import MDP, Rows, plan, simulate

LEVELS = {
    "heart rate": ("low", "normal", "high"),
    "pressure": ("low", "normal", "high"),
    "oxygen": ("low", "normal"),
    "glucose": ("very low", "low", "normal", "high", "very high"),
}
NORMAL = (1, 1, 1, 2)
TREATMENTS = ("antibiotics", "ventilation", "vasopressors")
GIVEN = tuple(product((False, True), repeat=3))
"""Which of the treatments are on, for each action."""
START_HEART = START_PRESSURE = (0.25, 0.5, 0.25)
START_OXYGEN = (0.2, 0.8)
START_GLUCOSE = ((0.05, 0.15, 0.6, 0.15, 0.05), (0.01, 0.05, 0.15, 0.6, 0.19))
"""Without diabetes, and with it."""


@dataclass(frozen=True, eq=False)
class SepsisSimulator:
    """The process, a clinician who is mostly right, and patients."""

    mdp: MDP
    """The whole process, diabetes included: death pays -1, the way home 1."""
    policy: Floats
    """What clinicians do, `policy[s, a]`; they see everything."""
    initial: Floats
    """How likely each state is on admission."""
    episodes: Episodes
    """Patients under that policy; where diabetes is hidden, their states do not show it."""
    hidden: bool
    """Whether diabetes is left out of the states of the episodes."""


def sepsis_simulator(
    episodes: int = 1000,
    *,
    horizon: int = 20,
    diabetes: float = 0.2,
    hidden: bool = False,
    mistakes: float = 0.15,
    seed: int | np.random.Generator = 0,
) -> SepsisSimulator:
    """Simulated patients with sepsis, of whom a share has diabetes.

    With `hidden=True` the episodes do not show diabetes: 720 states, and a confounder that
    estimation cannot see. Clinicians do what is best over `horizon` steps, but for a share of
    `mistakes` in which they do anything.

    >>> data = sepsis_simulator(episodes=10)
    >>> data.mdp.states[0]
    ('heart rate low', 'pressure low', 'oxygen low', 'glucose very low', 'nothing', 'no diabetes')
    >>> len(data.mdp.states), len(data.mdp.actions), len(data.episodes)
    (1440, 8, 10)
    """
    for name, share in (("diabetes", diabetes), ("mistakes", mistakes)):
        if not 0 <= share <= 1:
            raise InvalidQuestion(f"{name} is a share from 0 to 1; {share} came")
    mdp = _process()
    best = plan(mdp, horizon).actions[0]
    policy = np.full(mdp.available.shape, mistakes / len(GIVEN))
    policy[np.arange(len(best)), best] += 1 - mistakes
    initial = _admission(mdp, diabetes)
    drawn = simulate(mdp, policy, episodes=episodes, horizon=horizon, initial=initial, seed=seed)
    shown = _without_diabetes(drawn) if hidden else drawn
    return SepsisSimulator(mdp, policy, initial, shown, hidden)


def _process() -> MDP:
    vitals = list(product(*(range(len(levels)) for levels in LEVELS.values())))
    abnormal = np.array(
        [sum(v != n for v, n in zip(vital, NORMAL, strict=True)) for vital in vitals]
    )
    dead = np.repeat(abnormal >= 3, len(GIVEN) * 2)
    untreated = np.tile(np.repeat([not any(given) for given in GIVEN], 2), len(vitals))
    home = np.repeat(abnormal == 0, len(GIVEN) * 2) & untreated
    return MDP(
        _rows(vitals, dead | home),
        np.zeros(len(dead)),
        final_reward=np.where(dead, -1.0, np.where(home, 1.0, 0.0)),
        states=[_state(v, g, d) for v in vitals for g in GIVEN for d in (False, True)],
        actions=[_treatment(given) for given in GIVEN],
    )


def _rows(vitals: list[tuple[int, ...]], ends: Flags) -> Rows:
    """Rows over the states, in the order (vitals, treatments, diabetes). What is given next is the
    action, and diabetes stays: only vitals are left to chance."""
    offsets, successors, chances = [0], [], []
    contexts = product(vitals, range(len(GIVEN)), range(2), range(len(GIVEN)))
    for context, (vital, before, diabetic, now) in enumerate(contexts):
        state = context // len(GIVEN)
        if ends[state]:
            after, row = np.array([state]), np.ones(1)
        else:
            full = vital_row(vital, GIVEN[before], GIVEN[now], bool(diabetic))
            places = np.flatnonzero(full)
            after, row = (places * len(GIVEN) + now) * 2 + diabetic, full[places]
        successors.append(after)
        chances.append(row)
        offsets.append(offsets[-1] + len(after))
    return Rows(
        np.array(offsets, dtype=np.int64),
        np.concatenate(successors).astype(np.int32),
        np.concatenate(chances),
        len(ends),
        len(GIVEN),
    )


def vital_row(
    vital: tuple[int, ...],
    before: tuple[bool, ...],
    now: tuple[bool, ...],
    diabetic: bool,
) -> Floats:
    """How likely each combination of vitals comes next, given the treatments before and now."""
    heart, pressure, oxygen, glucose = (
        np.eye(len(levels))[level] for level, levels in zip(vital, LEVELS.values(), strict=True)
    )
    antibiotics, ventilation, vasopressors = now
    stopped = [was and not still for was, still in zip(before, now, strict=True)]
    if antibiotics:
        heart, pressure = _moved(heart, {(2, 1): 0.5}), _moved(pressure, {(2, 1): 0.5})
    elif stopped[0]:
        heart, pressure = _moved(heart, {(1, 2): 0.1}), _moved(pressure, {(1, 2): 0.5})
    else:
        heart = _drifted(heart, 0.1)
    if ventilation:
        oxygen = _moved(oxygen, {(0, 1): 0.7})
    elif stopped[1]:
        oxygen = _moved(oxygen, {(1, 0): 0.1})
    else:
        oxygen = _drifted(oxygen, 0.1)
    if vasopressors:
        raised = {(0, 1): 0.5, (0, 2): 0.4, (1, 2): 0.9} if diabetic else {(0, 1): 0.7, (1, 2): 0.7}
        pressure = _moved(pressure, raised)
    elif stopped[2]:
        falls = 0.05 if diabetic else 0.1
        pressure = _moved(pressure, {(2, 1): falls, (1, 0): falls})
    elif not (antibiotics or stopped[0]):
        pressure = _drifted(pressure, 0.1)
    if vasopressors and diabetic:
        glucose = _moved(glucose, {(level, level + 1): 0.5 for level in range(4)})
    else:
        glucose = _drifted(glucose, 0.3 if diabetic else 0.1)
    row: Floats = np.einsum("h,p,o,g->hpog", heart, pressure, oxygen, glucose).ravel()
    return row


def _moved(row: Floats, moves: dict[tuple[int, int], float]) -> Floats:
    """The row after moves (from, to) with their probabilities, all at once."""
    after = row.copy()
    for (here, there), chance in moves.items():
        after[here] -= row[here] * chance
        after[there] += row[here] * chance
    return after


def _drifted(row: Floats, chance: float) -> Floats:
    """The row after one level up or down, each with this probability; there is no beyond."""
    last = len(row) - 1
    up = {(level, level + 1): chance for level in range(last)}
    return _moved(row, up | {(level, level - 1): chance for level in range(1, last + 1)})


def _admission(mdp: MDP, diabetes: float) -> Floats:
    """Vitals are drawn on admission, without treatment; who is dead or well is not admitted."""
    parts: list[Floats] = []
    for share, glucose in zip((1 - diabetes, diabetes), START_GLUCOSE, strict=True):
        start = START_HEART, START_PRESSURE, START_OXYGEN, glucose
        vitals = np.einsum("h,p,o,g->hpog", *(np.array(chances) for chances in start)).ravel()
        admitted = np.zeros((len(vitals), len(GIVEN), 2))
        admitted[:, 0, len(parts)] = vitals
        admitted[mdp.absorbing.reshape(admitted.shape)] = 0.0
        parts.append(share * admitted.ravel() / admitted.sum())
    return np.asarray(parts[0] + parts[1])


def _without_diabetes(episodes: Episodes) -> Episodes:
    final = np.where(episodes.final_seen, episodes.final_codes // 2, episodes.final_codes)
    names = [label[:-1] for label in episodes.states.names[::2] if isinstance(label, tuple)]
    return replace(
        episodes,
        states=Labels(tuple(names), "state"),
        state_codes=episodes.state_codes // 2,
        final_codes=final.astype(np.int32),
    )


def _state(vital: tuple[int, ...], given: tuple[bool, ...], diabetic: bool) -> tuple[str, ...]:
    levels = zip(LEVELS.items(), vital, strict=True)
    parts = [f"{name} {words[level]}" for (name, words), level in levels]
    return (*parts, _treatment(given), "diabetes" if diabetic else "no diabetes")


def _treatment(given: tuple[bool, ...]) -> str:
    on = [name for name, is_on in zip(TREATMENTS, given, strict=True) if is_on]
    return " + ".join(on) or "nothing"
