"""The installed command `untaken paper`, on good and on bad input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from untaken.paper.reproduce import EXPERIMENTS, FIGURES

COMMAND = Path(sys.executable).parent / "untaken"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), "paper", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("asked", ["graph", "1"])
def test_a_figure_can_be_asked_for_by_name_or_by_the_papers_number(tmp_path, asked):
    done = run(tmp_path, asked, "-o", "out")
    assert (done.returncode, done.stdout.strip()) == (0, str(Path("out", "index.html")))
    assert done.stderr == "[1/1] graph\n"
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {"index.html", *(f"causal_graph.{form}" for form in FORMS)}


FORMS = ("csv", "svg", "pdf", "png")


def test_every_figure_of_the_paper_is_drawn_by_an_experiment():
    assert list(FIGURES) == [str(number) for number in range(1, 9)]
    assert set(FIGURES.values()) <= set(EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["9"], "there is no experiment '9'; there are graph, synthetic, "),
        (["6", "--trial", "nowhere.csv"], "nowhere.csv"),
        (["6", "--trial", "wrong.csv"], "wrong.csv has no column patnr, Action"),
        (["graph", "--trial", "nowhere.csv"], "nowhere.csv"),
        (["graph", "--threads", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_input_ends_with_one_message(tmp_path, arguments, said):
    (tmp_path / "wrong.csv").write_text("patient;theme\n1;2\n")
    done = run(tmp_path, *arguments, "-o", "out")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out" / "index.html").exists()


@pytest.mark.parametrize("out", ["wrong.csv", "wrong.csv/deeper"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path, out):
    (tmp_path / "wrong.csv").write_text("not a folder")
    done = run(tmp_path, "synthetic", "-o", out)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: {Path(out)} cannot be written: ")
    assert "Name a folder in which you may write" in done.stderr
    assert "synthetic" not in done.stderr
