"""A second process: patients with sepsis in intensive care, survival as the outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untaken import datasets
from untaken.analysis import Bracket, Counterfactual, explain
from untaken.kernels.layout import Floats
from untaken.paper.settings import Settings, each
from untaken.paper.spread import Mean, mean_of
from untaken.search import Baseline, Greedy, Lookahead, NoisyGreedy, Random

MOST_CHANGES = 10
DRAWS, TOLERANCE = 1000, 0.1
COUNTED = (1, 2, 3, 4, 5)
SHOWN = 3
"""The budget of the one patient who is looked at closely."""
GREEDY = Greedy(Lookahead.NEXT_OBSERVED)
POLICIES: tuple[tuple[str, Baseline], ...] = (
    ("greedy", GREEDY),
    ("noisy greedy", NoisyGreedy(0.5, GREEDY)),
    ("random", Random()),
)


@dataclass(frozen=True)
class Size:
    """How many patients are looked at, and for how many of them the dearer things are done."""

    patients: int
    counted: int
    compared: int


FULL, BRIEF = Size(400, 12, 12), Size(40, 2, 2)


@dataclass(frozen=True, eq=False)
class Group:
    """Patients, with the survival that k changed actions could have given them."""

    name: str
    frontiers: Floats
    """`[patient, k]`: the chance to survive."""

    @property
    def gains(self) -> Floats:
        """What is gained, in percentage points, `[patient, k]`."""
        return np.asarray(100 * (self.frontiers - self.frontiers[:, :1]))

    def mean(self, k: int) -> Mean:
        """The mean chance to survive."""
        return mean_of(self.frontiers[:, k])


@dataclass(frozen=True, eq=False)
class Sepsis:
    """All results of the section."""

    everyone: Group
    died: Group
    counts: tuple[tuple[Bracket, ...], ...]
    """`[patient][budget]`: distinct explanations among 1,000 draws, of some who died."""
    compared: tuple[Group, ...]
    """The optimum and the baselines, on some whom a change could have helped."""
    one: Counterfactual
    """The patient to whom the second and the third change add most."""


def run(settings: Settings) -> Sepsis:
    """Solve all patients, and look closer at those who died."""
    size = BRIEF if settings.quick else FULL
    cohort = datasets.icu_sepsis(size.patients)

    def answer(patient: int) -> Counterfactual:
        return explain(cohort.episodes[patient], cohort.mdp, MOST_CHANGES)

    answers = each(answer, range(size.patients), settings.threads, "patients with sepsis")
    died = [cf for cf in answers if cf.episode.states[-1] == "died"]
    helped = [cf for cf in died if cf.gain > 0]
    counts = each(_counted, helped[: size.counted], settings.threads, "explanations")
    return Sepsis(
        everyone=_group("all patients", answers),
        died=_group("those who died", died),
        counts=tuple(counts),
        compared=_compared(helped[: size.compared], settings.threads),
        one=max(died, key=lambda cf: cf.at(SHOWN).gain - cf.at(1).gain).at(SHOWN),
    )


def _group(name: str, answers: list[Counterfactual]) -> Group:
    return Group(name, np.array([cf.frontier for cf in answers]))


def _counted(cf: Counterfactual) -> tuple[Bracket, ...]:
    return tuple(cf.at(k).unique_count(DRAWS, TOLERANCE) for k in COUNTED)


def _compared(answers: list[Counterfactual], threads: int) -> tuple[Group, ...]:
    def frontiers(cf: Counterfactual) -> list[Floats]:
        return [baseline.frontier(cf.problem) for _, baseline in POLICIES]

    found = np.array(each(frontiers, answers, threads, "baselines"))
    return (
        _group("optimal", answers),
        *(Group(name, found[:, place]) for place, (name, _) in enumerate(POLICIES)),
    )
