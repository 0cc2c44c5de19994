"""Predictions come true in simulated worlds whose causal model was assumed, and bounds hold in the
worlds that they are about. The noise is simulated, never taken from a row's formula."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import CLASSES, MODELS, TRUTHS, Cohort, error, is_member, simulate

EPISODES = 400
WORLDS = range(len(MODELS))
every_world = pytest.mark.parametrize("world", WORLDS, ids=lambda world: MODELS[world].name)


@pytest.fixture(scope="module")
def cohorts() -> list[Cohort]:
    return [simulate(truth, EPISODES) for truth in TRUTHS]


def errors_above_zero(values: np.ndarray) -> float:
    return float(values.mean() / max(error(values), 1e-12))


@every_world
def test_under_the_true_model_gains_are_what_was_predicted(cohorts, world):
    miss = cohorts[world].realized[:, world] - cohorts[world].predicted[:, world]
    assert abs(errors_above_zero(miss)) < 4
    assert cohorts[world].realized[:, world].mean() > 10 * error(cohorts[world].realized[:, world])


@every_world
def test_bounds_hold_in_the_worlds_of_their_class(cohorts, world):
    cohort = cohorts[world]
    for place, causal_class in enumerate(CLASSES):
        if is_member(MODELS[world], causal_class):
            realized = cohort.realized[:, 0]
            assert errors_above_zero(realized - cohort.low[:, place]) > -4
            assert errors_above_zero(cohort.high[:, place] - realized) > -4
            assert errors_above_zero(cohort.certain[:, place] - cohort.optimum_low[:, place]) > -4


def test_a_wrong_model_can_be_told(cohorts):
    gumbel, inverse = MODELS[0], MODELS[1]
    assert (gumbel.name, inverse.name) == ("Gumbel-max", "inverse-CDF")
    miss = cohorts[0].realized[:, 1] - cohorts[0].predicted[:, 1]
    assert errors_above_zero(miss) < -4
    miss = cohorts[1].realized[:, 0] - cohorts[1].predicted[:, 0]
    assert errors_above_zero(miss) < -4
