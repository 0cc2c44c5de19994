"""The table of contents: every public name is there, and nothing is imported before its time."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

import untaken as ut

HEAVY = ("numba", "duckdb", "narwhals", "joblib", "tqdm", "matplotlib", "click")
QUESTION = """
mdp = untaken.MDP([[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]], [0, 1])
untaken.explain(untaken.Episode([0, 0, 0], [0, 0, 0]), mdp, k=2).explanations()
"""


def imported_by(program: str) -> set[str]:
    """What a fresh Python has imported after a program: our layers, and what is slow to import."""
    told = f"{program}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    layers = {f"untaken.{layer}" for layer in ("analysis", "study", "present", "datasets")}
    return set(done.stdout.split()) & (layers | set(HEAVY))


def test_importing_the_library_waits_for_nothing():
    assert imported_by("import untaken") == set()


def test_a_question_about_one_episode_waits_for_nothing_but_numba():
    assert imported_by(f"import untaken\n{QUESTION}") == {"numba", "untaken.analysis"}


def test_every_public_name_is_there():
    for name in ut.__all__:
        assert getattr(ut, name) is not None
    assert set(ut.__all__) <= set(dir(ut))
    assert ut.search.solve is not None


def test_type_checkers_are_shown_the_same_names():
    tree = ast.parse(inspect.getsource(ut))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if (node.module or "").startswith("untaken")]
    shown = [alias.name for node in ours for alias in node.names]
    assert sorted(shown) == sorted(ut.__all__)


def test_a_misspelt_name_is_an_error():
    with pytest.raises(AttributeError, match="module 'untaken' has no attribute 'expain'"):
        _ = ut.expain


NOTEBOOK = """
import sys, types
shell = types.SimpleNamespace(config={"IPKernelApp": {}})
for name in ("IPython", "ipykernel", "ipykernel.zmqshell"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["IPython"].get_ipython = lambda: shell
sys.modules["ipywidgets"] = None  # it is not installed
"""
STUDY = """
import untaken, untaken.paper
data = untaken.datasets.synthetic(0.5, 3, 2, 4, episodes=3, seed=0)
print(untaken.explain_all(data.episodes, data.mdp, 1, progress=False).episodes.fetchall() != [])
"""


def test_a_notebook_without_widgets_is_no_obstacle():
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK + STUDY], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
