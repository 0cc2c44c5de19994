"""Figures of a cohort hold what its summary holds; their looks are for the eye."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt

import untaken as ut
from tests.study.cohorts import cohort
from untaken.present import cohort_plots as plots


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def study():
    data = cohort(14)
    return ut.explain_all(data.episodes, data.mdp, 4, depth=ut.Depth(limit=6))


@pytest.fixture(scope="module")
def summary(study):
    return study.summary()


def test_the_frontier_is_a_line_in_its_interval(summary):
    ax = plots.mean_frontier(summary, words=ut.Words(outcome="well-being"))
    assert ax.lines[0].get_ydata() == pytest.approx([point.mean for point in summary.frontier])
    corners = ax.collections[0].get_paths()[0].vertices
    for point in summary.frontier:
        heights = corners[corners[:, 0] == point.k, 1]
        assert heights.min() == pytest.approx(point.lower)
        assert heights.max() == pytest.approx(point.upper)
    assert ax.get_ylabel() == "mean expected well-being"


def test_groups_have_a_line_each(study):
    ax = plots.mean_frontier(study.summary("group"))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["old", "young"]
    assert len(ax.lines) == 2


def test_bars_hold_the_shares_of_relative_gains(summary):
    ax = plots.relative_gains(summary, 2)
    values = next(gains.values for gains in summary.relative if gains.k == 2)
    heights = np.array([bar.get_height() for bar in ax.patches])
    edges = np.linspace(0, values.max(), plots.BARS + 1)
    assert heights * len(values) == pytest.approx(np.histogram(values, edges)[0])
    assert ax.get_title(loc="right") == "k = 2"


def test_where_counting_stopped_is_marked(summary):
    stopped = [point for point in summary.explanations if point.censored]
    assert stopped
    ax = plots.explanation_counts(summary)
    assert list(ax.lines[-1].get_xdata()) == [point.k for point in stopped]
    assert "at least" in ax.get_legend().get_texts()[-1].get_text()


@pytest.mark.parametrize(("most", "scale"), [(6, "linear"), (600, "symlog")])
def test_few_explanations_are_counted_on_a_plain_axis(summary, most, scale):
    counts = tuple(replace(point, mean=most, upper=most) for point in summary.explanations)
    ax = plots.explanation_counts(replace(summary, explanations=counts))
    assert ax.get_yscale() == scale


def test_the_papers_count_is_shown_where_it_was_asked_for():
    data = cohort(5)
    study = ut.explain_all(data.episodes, data.mdp, 2, depth=ut.Depth(draws=100))
    ax = plots.explanation_counts(study.summary())
    assert ax.get_ylabel() == "unique explanations in 100 samples"


def test_the_papers_figures(summary):
    assert len(summary.plot().axes) == 3
    axes = plots.gains_by_budget(summary).axes
    assert [ax.get_title(loc="right") for ax in axes] == ["k = 1", "k = 2"]
    assert axes[0].get_xlim() == axes[1].get_xlim()


def test_steps_have_bars(summary):
    ax = plots.recurring_steps(summary, 3, words=ut.Words(step="session", first_step=1))
    expected = [point.changed for point in summary.steps if point.k == 3]
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(expected)
    assert ax.patches[0].get_x() + ax.patches[0].get_width() / 2 == pytest.approx(1)


def test_what_the_study_did_not_look_at_is_not_drawn():
    data = cohort(5)
    bare = ut.explain_all(data.episodes, data.mdp, 2, depth=ut.Depth.FRONTIER).summary()
    assert len(plots.page(bare).axes) == 2
    with pytest.raises(ut.errors.InvalidQuestion, match="not counted"):
        plots.explanation_counts(bare)
    with pytest.raises(ut.errors.InvalidQuestion, match="not looked at"):
        plots.recurring_steps(bare, 1)
    with pytest.raises(ut.errors.InvalidQuestion, match="no budget 7"):
        plots.relative_gains(bare, 7)
    with pytest.raises(ut.errors.InvalidQuestion, match=r"budgets \[0, 1, 2\]"):
        plots.gains_by_budget(bare, [8])


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_parts_of_a_summary_are_frames(summary, backend):
    frame = summary.to_frame("frontier", backend)
    assert list(frame["mean"].to_pylist() if backend == "pyarrow" else frame["mean"]) == [
        point.mean for point in summary.frontier
    ]


def test_a_part_that_is_no_table_is_refused(summary):
    with pytest.raises(ut.errors.InvalidQuestion, match=r"one of frontier, gains, .*; 'relative'"):
        summary.to_frame("relative")


def test_figures_of_a_cohort_stand_beside_those_of_an_answer():
    for name in ("mean_frontier", "relative_gains", "gains_by_budget", "recurring_steps"):
        assert getattr(ut.plots, name) is getattr(plots, name)
