"""Section 5 of the paper and its appendices: a trial of cognitive behavioural therapy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken import datasets
from untaken.analysis import Bracket, Counterfactual, explain
from untaken.datasets import CbtTrial
from untaken.episodes import Episode, Episodes
from untaken.kernels.layout import Floats
from untaken.model import MDP, Unseen, fit, neighbour_prior
from untaken.paper.settings import Settings, each
from untaken.paper.spread import Mean, mean_of
from untaken.search import Baseline, Greedy, Lookahead, NoisyGreedy, Random, Rules, pose

MOST_CHANGES = 10
DRAWS = 1000
TOLERANCE = 0.05
FIRST_AND_LAST = (0, -1)
KEPT_THEMES = ("STR", "END")


@dataclass(frozen=True)
class Mode:
    """How unseen pairs of severity and theme, ties and rare transitions are treated."""

    name: str
    """What is done with unseen pairs, or whose rules these are."""
    ties: str
    """To whom ties go."""
    rules: Rules
    sixth_state: bool = False
    """Whether there is an absorbing state beyond the most severe, as in the published code."""


OBSERVED = "the observed action"
MODES = (
    Mode("unseen pairs are not chosen", OBSERVED, Rules()),
    Mode("minus infinity, as in the text", OBSERVED, Rules(minus_infinity=True)),
    Mode(
        "as in the published code",
        "the first action",
        Rules(minus_infinity=True, first_action_wins=True, drop_below=1e-3),
        sixth_state=True,
    ),
)


def load(settings: Settings) -> CbtTrial:
    """The real trial where its file is given, else the simulated one."""
    if settings.trial is None:
        return datasets.cbt_trial()
    return datasets.read_cbt_trial(settings.trial)


def process(trial: CbtTrial, mode: Mode, also: tuple[Episode, ...] = ()) -> MDP:
    """The process that the patients speak for, with the paper's prior and rewards."""
    return fit(
        _patients(trial, also),
        neighbour_prior(),
        lambda severity: 5 - severity,
        states=range(6 if mode.sixth_state else 5),
    ).mdp


def _patients(trial: CbtTrial, also: tuple[Episode, ...]) -> Episodes:
    if not also:
        return trial.episodes
    return Episodes.of(
        [*trial.episodes, *also], states=trial.episodes.states, actions=trial.episodes.actions
    )


def ask(patient: Episode, mdp: MDP, k: int, mode: Mode = MODES[0]) -> Counterfactual:
    """The best that k other themes could have done; the first and the last session stay."""
    return explain(patient, mdp, k, pinned=FIRST_AND_LAST, excluded=KEPT_THEMES, rules=mode.rules)


@dataclass(frozen=True, eq=False)
class Answers:
    """All patients under one mode."""

    mode: Mode
    frontiers: Floats
    """`[patient, k]`."""
    counted: tuple[int, ...]
    """The budgets for which explanations were counted."""
    counts: Floats
    """`[patient, budget, 2]`: between how many and how many distinct explanations 1,000 draws hold
    in expectation."""

    @property
    def gains(self) -> Floats:
        """Relative gains in per cent, `[patient, k]`."""
        observed = self.frontiers[:, :1]
        return np.asarray(100 * (self.frontiers - observed) / observed)

    def mean(self, k: int) -> Mean:
        """The mean outcome of the patients."""
        return mean_of(self.frontiers[:, k])

    def count(self, k: int) -> Mean:
        """The mean number of explanations."""
        return mean_of(self.counts[:, self.counted.index(k)].mean(axis=1))

    def share_gaining(self, percent: float, k: int) -> float:
        """The per cent of patients who gain at least so much."""
        return float(100 * (self.gains[:, k] >= percent).mean())


def cohort(trial: CbtTrial, settings: Settings) -> tuple[Answers, ...]:
    """All patients under all modes."""
    return tuple(_answers(trial, mode, settings) for mode in MODES)


def _answers(trial: CbtTrial, mode: Mode, settings: Settings) -> Answers:
    mdp, threads = process(trial, mode), settings.threads

    def answer(patient: Episode) -> Counterfactual:
        return ask(patient, mdp, MOST_CHANGES, mode)

    def count(cf: Counterfactual) -> list[Bracket]:
        return [cf.at(k).unique_count(DRAWS, TOLERANCE) for k in counted]

    answers = each(answer, trial.episodes, threads, f"patients, {mode.name}")
    counted = (1, 2, 4, 10) if settings.quick else tuple(range(1, MOST_CHANGES + 1))
    looked_at = answers[::8] if settings.quick else answers
    counts = each(count, looked_at, threads, f"explanations, {mode.name}")
    return Answers(mode, np.array([cf.frontier for cf in answers]), counted, np.array(counts))


@dataclass(frozen=True, eq=False)
class Compared:
    """A policy on all patients, unseen pairs treated as seen."""

    policy: str
    frontiers: Floats
    """`[patient, k]`."""

    def mean(self, k: int) -> Mean:
        """The mean outcome of the patients."""
        return mean_of(self.frontiers[:, k])


POLICIES: tuple[tuple[str, Baseline], ...] = (
    ("greedy", Greedy()),
    ("noisy greedy", NoisyGreedy()),
    ("random", Random()),
    ("greedy, as in the published code", Greedy(Lookahead.STATE_REWARD)),
)


THEIR_GREEDY = POLICIES[-1][0]


def compare(trial: CbtTrial) -> tuple[Compared, ...]:
    """The optimum and the paper's baselines for every budget, exact (appendix D)."""
    mdp = fit(
        trial.episodes, neighbour_prior(), lambda severity: 5 - severity, unseen=Unseen.AS_SEEN
    ).mdp
    problems = [
        pose(patient, mdp, MOST_CHANGES, pinned=FIRST_AND_LAST, excluded=KEPT_THEMES)
        for patient in trial.episodes
    ]
    best = np.array([ask(patient, mdp, MOST_CHANGES).frontier for patient in trial.episodes])
    return (
        Compared("optimal", best),
        *(
            Compared(name, np.array([baseline.frontier(problem) for problem in problems]))
            for name, baseline in POLICIES
        ),
    )


def answer_all(trial: CbtTrial, mdp: MDP, k: int, threads: int) -> list[Counterfactual]:
    """Every patient's answer."""
    return each(lambda patient: ask(patient, mdp, k), trial.episodes, threads, "each patient")


def instructive(answers: list[Counterfactual]) -> tuple[Counterfactual, ...]:
    """Five patients: the one who is most likely to fare worse, then gains from small to large."""
    riskiest = max(answers, key=lambda cf: cf.outcomes().worse.middle)
    others = sorted((cf for cf in answers if cf is not riskiest), key=lambda cf: cf.gain)
    places = [round(level * (len(others) - 1)) for level in (0.25, 0.5, 0.75, 1.0)]
    return (riskiest, *(others[place] for place in places))
