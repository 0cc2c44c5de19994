"""Figures have room for all that is written in them, also where labels are long."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("Agg")

import pytest
from matplotlib import pyplot as plt

import untaken as ut
from tests.present.answers import hostile_answer
from untaken.present import plots

STATES = [
    "no symptoms at all",
    "mild symptoms, stable",
    "moderate symptoms, stable",
    "moderate symptoms, getting worse",
    "severe symptoms",
    "severe symptoms with complications",
]
ACTIONS = ["psychoeducation", "behavioural activation homework", "cognitive restructuring"]
WORDS = ut.Words(outcome="sum of the severity scores over all weeks", step="session")
FIGURES = ("certainty", "explanation_table", "fan", "frontier", "outcome_law", "timeline")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def long_answer() -> ut.Counterfactual:
    drawn = ut.datasets.synthetic(states=6, actions=3, horizon=12, episodes=1, seed=0)
    mdp = drawn.mdp.replace(states=STATES, actions=ACTIONS)
    seen = drawn.episodes[0]
    states, actions = (STATES[s] for s in seen.states), (ACTIONS[a] for a in seen.actions)
    return ut.explain(ut.Episode(states, actions), mdp, 3)


@pytest.mark.parametrize("answer", [long_answer, hostile_answer])
@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_cut_off(answer, name):
    cf = answer()
    account = cf.account(robustness=cf.robustness())
    figure = getattr(plots, name)(account, words=WORDS).figure
    figure.canvas.draw()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert drawn.x0 > -0.02
    assert drawn.y0 > -0.02
    assert drawn.x1 < width + 0.02
    assert drawn.y1 < height + 0.02


def test_states_that_differ_only_at_their_ends_can_be_told_apart():
    ax = plots.fan(long_answer().account())
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels) == 6
    key = plots.timeline(long_answer().account()).get_legend().get_texts()
    assert len({text.get_text() for text in key}) == 6


def test_a_flat_frontier_is_not_magnified():
    mdp = ut.MDP([[[1.0]]], [0.0])
    ax = plots.frontier(ut.explain(ut.Episode([0], [0]), mdp, 3).account())
    assert ax.get_ylim() == (-1, 1)
