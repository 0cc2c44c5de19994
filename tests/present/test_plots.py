"""Figures hold what the account holds: texts, bars, colours; their looks are for the eye."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color

import untaken as ut
from tests.present.answers import hostile_answer, plain_answer
from untaken.present import plots
from untaken.present.drawn import BARS_AT_MOST
from untaken.present.words import number, share


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_the_law_has_a_bar_for_each_outcome_and_lines_at_observed_and_mean():
    account = plain_answer().account()
    ax = plots.outcome_law(account, words=ut.Words(outcome="well-being"))
    visible = [p for p in account.probabilities if p > max(account.probabilities) * 1e-4]
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(visible)
    assert [line.get_xdata()[0] for line in ax.lines] == [account.observed.outcome, account.outcome]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [
        f"observed {number(account.observed.outcome)}",
        f"mean {number(account.outcome)}",
    ]
    assert ax.get_xlabel() == "well-being"


def test_many_outcomes_are_binned_without_losing_any():
    account = hostile_answer().account()
    bars = plots.outcome_law(account).patches
    assert len(bars) <= BARS_AT_MOST + 1
    visible = [p for p in account.probabilities if p > max(account.probabilities) * 1e-4]
    assert sum(bar.get_height() for bar in bars) == pytest.approx(sum(visible))


def test_the_frontier_is_drawn_with_the_gain_of_each_change():
    account = plain_answer(k=3).account()
    ax = plots.frontier(account)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), account.frontier)
    gains = [text for text in texts(ax) if text.startswith("+")]
    assert len(gains) == sum(gain > 1e-9 for gain in account.marginal_gains)


def test_the_strips_hold_changes_and_both_courses():
    account = plain_answer().account()
    ax = plots.timeline(account)
    changed, observed, best = (image.get_array()[0] for image in ax.images)
    np.testing.assert_allclose(changed, account.changed)
    assert list(observed) == list(account.observed.states)  # labels are codes here
    assert list(best) == list(account.best.states)
    assert f"best ({share(account.best.probability)})" in [
        tick.get_text() for tick in ax.get_yticklabels()
    ]


def test_long_state_names_get_a_key_instead_of_text():
    P = np.full((2, 2, 2), 0.5)
    mdp = ut.MDP(P, [0, 1], states=["not at all well", "very well"])
    cf = ut.explain(ut.Episode(["not at all well", "very well"], [0, 1]), mdp, 1)
    ax = plots.timeline(cf.account())
    key = [text.get_text() for text in ax.get_legend().get_texts()]
    assert key == ["not at all well", "very well"]


def test_the_fan_shows_the_probability_of_each_state():
    account = plain_answer().account()
    ax = plots.fan(account)
    np.testing.assert_allclose(ax.images[0].get_array(), np.array(account.state_chances).T)
    observed, best = ax.lines
    assert list(observed.get_ydata()) == list(account.observed.states)
    assert list(best.get_ydata()) == list(account.best.states)


def test_the_table_colours_a_cell_for_each_change():
    account = plain_answer().account()
    ax = plots.explanation_table(account)
    coloured = [p for p in ax.patches if same_color(p.get_facecolor(), plots.BLUE)]
    shown = account.explanations[: plots.ROWS_SHOWN]
    assert len(coloured) == sum(len(item.changes) for item in shown)
    for item in shown:
        assert share(item.probability) in texts(ax)
        assert number(item.forced_outcome) in texts(ax)


@pytest.mark.parametrize("answer", [plain_answer, hostile_answer])
def test_a_page_holds_all_figures(answer, tmp_path):
    cf = answer()
    figure = cf.plot()
    assert len([ax for ax in figure.axes if ax.get_label() != "<colorbar>"]) == 6
    assert f"at most {cf.k} changes" in figure.get_suptitle()
    figure.savefig(tmp_path / "page.png", dpi=40)


def test_certainty_has_a_dot_for_each_model_and_an_arrow_for_each_class():
    cf = plain_answer()
    account = cf.account(robustness=cf.robustness())
    ax = plots.certainty(account)
    policy = account.certainty.findings[0]
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == list(policy.gains)
    ticks = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "|"]
    named = dict(zip(account.certainty.classes, policy.certified, strict=True))
    assert ticks == [named[name] for name in ("none", "stable", "stable_everywhere")]
    assert sum("at least" in text for text in texts(ax)) == 3


def test_certainty_must_have_been_asked():
    with pytest.raises(ut.errors.InvalidQuestion, match="robustness"):
        plots.certainty(plain_answer().account())


def test_figures_draw_on_the_axes_they_are_given():
    cf = plain_answer()
    account = cf.account(robustness=cf.robustness())
    for draw in (
        plots.certainty,
        plots.outcome_law,
        plots.frontier,
        plots.timeline,
        plots.fan,
        plots.explanation_table,
    ):
        ax = plt.subplots()[1]
        assert draw(account, ax=ax) is ax


def test_cells_of_a_wide_table_hold_their_texts():
    n, m, T = 3, 25, 14
    rng = np.random.default_rng(0)
    names = [f"vasopressor level {i // 5} and fluids level {i % 5}" for i in range(m)]
    mdp = ut.MDP(np.full((n, m, n), 1 / n), rng.normal(size=(n, m)), actions=names)
    cf = ut.explain(ut.Episode([0] * T, names[:T]), mdp, 12)
    figure = cf.plot()
    figure.draw_without_rendering()
    (table,) = [ax for ax in figure.axes if any(t.get_text() == "forced" for t in ax.texts)]
    cell = min(patch.get_window_extent().width for patch in table.patches)
    widths = [t.get_window_extent().width for t in table.texts if "…" in t.get_text()]
    assert len(widths) > 10
    assert max(widths) <= cell
