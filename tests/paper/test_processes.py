"""The published processes, drawn again, are of the published kind and have the published means."""

from __future__ import annotations

import numpy as np
import pytest

import untaken as ut
from untaken.paper.processes import PROCESSES, fresh, published
from untaken.paper.published_noise import PublishedNoise
from untaken.paper.published_values import OUTCOME_ERROR, SYNTHETIC_OUTCOMES


@pytest.mark.parametrize("point", SYNTHETIC_OUTCOMES, ids=lambda point: f"alpha={point.at}")
def test_observed_outcomes_are_the_published_ones(point):
    """Nothing of the method enters here: these are sums of observed states."""
    outcomes = [
        sum(course.states)
        for number in range(PROCESSES)
        for course in published(point.at, number).courses
    ]
    assert len(outcomes) == 500
    assert abs(np.mean(outcomes) - point.value) <= OUTCOME_ERROR


@pytest.mark.parametrize("source", [published, fresh])
def test_rows_have_one_likely_successor(source):
    P = source(0.1, 3).mdp.transitions.dense().reshape(200, 20)
    ranked = np.sort(P / P.max(axis=1, keepdims=True), axis=1)
    assert np.all(ranked[:, -2] < 0.1)


def test_fresh_processes_are_others():
    rows = [source(0.1, 0).mdp.transitions.dense() for source in (published, fresh)]
    assert not np.allclose(*rows)


def test_the_published_noise_estimates_the_exact_row():
    p, q = np.array([0.5, 0.2, 0.2, 0.1, 0.0]), np.array([0.1, 0.1, 0.3, 0.3, 0.2])
    mdp = ut.MDP(np.array([[p, q]] * 5), np.zeros(5))
    for y in range(4):
        worlds = PublishedNoise(4000).worlds(mdp, np.array([0, y]), np.array([0]))
        kept, other = worlds.table[0].reshape(5, -1)[0, :4], worlds.table[0][4:9]
        np.testing.assert_array_equal(kept, np.eye(4)[y])
        exact = ut.GumbelMax().row(p, y, q)
        assert np.abs(other - exact).max() < 5 * np.sqrt(0.25 / 4000)


def test_its_draws_are_the_same_at_every_step():
    process = published(0.4, 0)
    s, a = 0, 0
    y = int(np.argmax(process.mdp.transitions.row(s, a)))
    stay = np.array([s, y])
    one = PublishedNoise(200).worlds(process.mdp, stay, np.array([a])).table
    again = PublishedNoise(200).worlds(process.mdp, stay, np.array([a])).table
    np.testing.assert_array_equal(one, again)


def test_published_courses_share_their_luck_and_fresh_ones_do_not():
    """Course i begins in the same state in all published processes."""
    begun = [
        [[course.states[0] for course in source(0.1, number).courses] for number in (0, 5)]
        for source in (published, fresh)
    ]
    assert begun[0][0] == begun[0][1]
    assert begun[1][0] != begun[1][1]
