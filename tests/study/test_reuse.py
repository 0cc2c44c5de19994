"""Rows that are kept are the rows, and no more of them are kept than was said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import untaken as ut
from tests.study.cohorts import cohort
from tests.worlds import worlds
from untaken.search import pose
from untaken.study.reuse import LARGEST, Remembered, remembered

MECHANISMS = (ut.GumbelMax(), ut.InverseCDF(), ut.MaximalCoupling(), ut.Independent())


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("room", [0, 3, 1000])
def test_the_same_weights_with_and_without_room(mechanism, room):
    data = cohort()
    entries = data.mdp.transitions.successors.size
    memory = Remembered(mechanism, data.mdp, memory=8 * entries * room)
    for episode in data.episodes:
        plain = pose(episode, data.mdp, 1, mechanism=mechanism)
        table = memory.worlds(data.mdp, *plain.course[:2]).table
        for step in range(plain.transitions):
            assert np.array_equal(table[step], plain.weights(step))
    assert len(memory._kept) <= room


@given(world=worlds())
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_outcomes_of_one_context_worked_out_together_are_the_same(mechanism, world):
    """Side by side, all that can follow a context shares a race; one by one, each has its own."""
    mdp = world.mdp()
    rows = mdp.transitions
    contexts, successors = rows.context_of_entry(), rows.successors
    found = Remembered(mechanism, mdp).weights(contexts, successors)
    for place, (context, successor) in enumerate(zip(contexts, successors, strict=True)):
        state, action = divmod(int(context), len(mdp.actions))
        course = np.array([state, successor], np.int32), np.array([action], np.int32)
        problem = pose(
            ut.Episode(*(codes.tolist() for codes in course)), unnamed(mdp), 0, mechanism=mechanism
        )
        assert np.array_equal(found[place], problem.weights(0))


def unnamed(mdp):
    """The same process with codes for labels."""
    return mdp.replace(states=range(len(mdp.states)), actions=range(len(mdp.actions)))


@pytest.mark.parametrize("room", [0, 3, 1000])
def test_weights_are_laid_out_a_block_at_a_time(monkeypatch, room):
    data = cohort(40)
    entries = data.mdp.transitions.successors.size
    plain = ut.explain_all(data.episodes, data.mdp, 2, depth=ut.Depth.FRONTIER)
    laid_out = []
    weights = Remembered.weights

    def watched(self, contexts, successors):
        found = weights(self, contexts, successors)
        laid_out.append(len(found))
        return found

    monkeypatch.setattr(Remembered, "weights", watched)
    monkeypatch.setattr("untaken.study.frontiers.BLOCK", 8 * entries * 13)
    monkeypatch.setattr(Remembered.__init__, "__defaults__", (8 * entries * room,))
    found = ut.explain_all(data.episodes, data.mdp, 2, depth=ut.Depth.FRONTIER)
    assert len(laid_out) >= 40 * 6 / (13 + 6)
    assert max(laid_out) <= 13 + 6  # an episode is never cut
    assert found.budgets.fetchall() == plain.budgets.fetchall()


def test_a_triple_is_worked_out_once(monkeypatch):
    data = cohort(40)
    worked_out = []
    weights = Remembered._worked_out

    def counted(self, contexts, successors):
        worked_out.extend(contexts)
        return weights(self, contexts, successors)

    monkeypatch.setattr(Remembered, "_worked_out", counted)
    ut.explain_all(data.episodes, data.mdp, 2, chunk=7)
    e = data.episodes
    moves = e.next_codes >= 0
    triples = zip(e.state_codes[moves], e.action_codes[moves], e.next_codes[moves], strict=True)
    assert len(worked_out) == len(set(triples))


def test_large_processes_and_draws_are_left_alone():
    data = cohort()
    sampled = ut.GumbelMaxSampled(d=5)
    assert remembered(sampled, data.mdp) is sampled
    states = 129
    large = ut.MDP(np.full((states, 1, states), 1 / states), np.zeros(states))
    assert large.transitions.successors.size > LARGEST
    assert remembered(ut.GumbelMax(), large) == ut.GumbelMax()
