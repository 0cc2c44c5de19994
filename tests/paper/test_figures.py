"""Figures as a journal wants them: nothing cut off, nothing covered, letters that can be read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from untaken.paper.style import PAGE, apart, journal, ordered

SMALLEST = 5.0
"""Points."""
NAMES = (
    "causal_graph", "synthetic_gain_histograms", "synthetic_outcomes", "synthetic_gains",
    "synthetic_explanations", "therapy_gains", "therapy_outcomes", "therapy_explanations",
    "published_patient", "patient_1", "baselines", "sepsis_gains", "sepsis_outcomes",
    "sepsis_explanations", "sepsis_baselines", "sepsis_patient", "sampling_errors",
    "sampling_times",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """A figure, and the words that are really drawn: no ticks beyond the limits."""

    figure: Any
    texts: list[Text]


@pytest.fixture(params=NAMES)
def drawn(request, run, monkeypatch) -> Drawn:
    found = {panel.name: panel for section in run.sections for panel in section.panels}
    assert set(found) == set(NAMES)
    panel = found[request.param]
    with journal():
        figure = panel.draw(panel.data)
        FigureCanvasAgg(figure).draw()  # the first time round finds the layout
        texts: list[Text] = []
        draw = Text.draw

        def noted(text: Text, *given: Any, **named: Any) -> None:
            if text.get_visible() and text.get_text().strip():
                texts.append(text)
            draw(text, *given, **named)

        monkeypatch.setattr(Text, "draw", noted)
        FigureCanvasAgg(figure).draw()
    assert texts
    return Drawn(figure, texts)


def test_nothing_is_cut_off(drawn):
    width, height = drawn.figure.bbox.size
    for text in drawn.texts:
        box = text.get_window_extent()
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert inside, text.get_text()


def test_words_do_not_cover_each_other(drawn):
    boxes = [(text.get_text(), text.get_window_extent().padded(-1)) for text in drawn.texts]
    for (one, first), (other, second) in combinations(boxes, 2):
        assert not first.overlaps(second), (one, other)


def test_letters_can_be_read_and_fit_the_page(drawn):
    assert drawn.figure.get_figwidth() <= PAGE
    assert min(text.get_fontsize() for text in drawn.texts) >= SMALLEST


def test_legends_cover_no_data(drawn):
    for ax in drawn.figure.axes:
        legend = ax.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent()
        for line in ax.lines:
            assert not inside(box, line.get_transform(), line.get_xydata()), line.get_label()
        for patch in ax.patches:
            corners = patch.get_path().vertices
            assert not inside(box, patch.get_transform(), corners), patch.get_label()
            if isinstance(patch, Rectangle):
                assert patch.get_window_extent().count_overlaps([box]) == 0


def inside(box, transform, points) -> bool:
    x, y = transform.transform(np.asarray(points, dtype=float)).T
    return bool(((box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)).any())


def test_an_ordered_scale_stays_legible_on_white():
    """Contrast as web guidelines define it; 3 : 1 is asked of lines, the lightest comes near."""
    for colour in ordered(9):
        shade = np.array(colour[:3])
        linear = np.where(shade <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4)
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 2.0


def test_labels_are_moved_apart():
    heights = apart([5.0, 5.1, 5.2, 9.0], 1.0)
    assert heights == pytest.approx([5.0, 6.0, 7.0, 9.0])
