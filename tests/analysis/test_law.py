"""The law of the outcome, whatever the scale of the rewards and however near they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from tests import oracles
from tests.worlds import worlds
from untaken.analysis.lattice import common_step
from untaken.errors import InvalidQuestion


def scaled(world: oracles.World, scale: float) -> oracles.World:
    return dataclasses.replace(
        world, R=scale * world.R, arrival=scale * world.arrival, final=scale * world.final
    )


@given(world=worlds(), k=st.integers(0, 4), scale=st.sampled_from([2.0**-100, 2.0**-40, 2.0**40]))
def test_the_law_does_not_depend_on_the_unit_of_the_rewards(world, k, scale):
    law, other = (
        ut.explain(each.episode(), each.mdp(), k, pinned=each.pinned).outcomes()
        for each in (world, scaled(world, scale))
    )
    assert (other.better, other.worse, other.exact) == (law.better, law.worse, law.exact)
    assert other.outcomes == pytest.approx(scale * law.outcomes, rel=1e-12)


def small_gain(large: float, small: float) -> ut.Counterfactual:
    """Treating is a little better than waiting; what is rare and large is in the process, too."""
    P = np.zeros((2, 3, 2))
    P[:, :2, 0] = P[:, 2, 1] = 1
    mdp = ut.MDP(P, [[0, small, -large], [0, 0, -large]])
    return ut.explain(ut.Episode([0, 0, 0], [0, 0, 0]), mdp, k=1)


@pytest.mark.parametrize(("large", "small"), [(1, 1e-9), (1e6, 1e-3), (1e3, 1e-7), (0, 1e-12)])
def test_what_the_search_takes_for_a_gain_the_law_takes_for_better(large, small):
    cf = small_gain(large, small)
    assert cf.gain == pytest.approx(small)
    assert cf.outcomes().better == (1, 1)
    assert cf.explanations()[0].better == (1, 1)


def test_rewards_that_differ_a_little_are_not_put_on_one_lattice_point():
    P = np.array([[[0.6, 0.2, 0.2], [0.1, 0.3, 0.6]]] * 3)
    mdp = ut.MDP(P, [0.0, 1.0, 1.0 + 1e-10])
    law = ut.explain(ut.Episode([0, 1, 2, 0], [0, 1, 0, 0]), mdp, k=2).outcomes()
    assert not law.exact
    assert law.outcomes @ law.probabilities <= law.mean <= law.ceilings @ law.ceiling_probabilities


def test_a_step_is_as_inexact_as_the_rewards_that_were_subtracted():
    rewards = 1e6 + 0.1 * np.arange(7)  # exact to 1e-10 only
    differences = rewards - rewards.min()
    assert common_step(differences) is None
    assert common_step(differences, scale=1e6) == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("outcome", [float("nan"), "much", None])
def test_an_outcome_that_is_no_number_is_refused(outcome):
    cf = small_gain(1, 1)
    for ask in (cf.outcomes().above, cf.outcomes().below, cf.changes_needed):
        with pytest.raises(InvalidQuestion, match="an outcome is a number"):
            ask(outcome)
