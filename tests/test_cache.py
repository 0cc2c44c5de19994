"""Numba's cache is a convenience: where no folder can be written, everything works without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import untaken

QUESTION = """
import numba, untaken as ut
P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
episode = ut.Episode([0, 0, 0], [0, 0, 0])
assert ut.explain(episode, ut.MDP(P, [0, 1]), k=2).frontier.round(3).tolist() == [0, 0.988, 1.296]
try:
    numba.njit(lambda x: x, cache=True)
except RuntimeError:
    print("there was no folder for a cache")
"""


def test_without_any_folder_to_write_to_kernels_are_compiled_anew_and_silently(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    package = tmp_path / "read_only" / "untaken"
    shutil.copytree(
        Path(untaken.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "kernels" / "__pycache__").touch()  # root may write anywhere, but not below a file
    below = str(file / "below")
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": below,
        "XDG_CACHE_HOME": below,
        "HOME": below,
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUESTION],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == "there was no folder for a cache\n"
    assert not list(tmp_path.rglob("*.nbi"))


ROW = """
import untaken as ut
print(ut.Independent().row([0.5, 0.5], 0, [0.2, 0.8]).tolist())
"""


def test_machine_code_is_not_used_once_a_kernel_in_another_file_has_changed(tmp_path: Path):
    package = tmp_path / "edited" / "untaken"
    shutil.copytree(
        Path(untaken.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def row() -> str:
        return subprocess.run(
            [sys.executable, "-c", ROW],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert row() == "[0.2, 0.8]\n"
    called = package / "kernels" / "couplings.py"  # by a kernel in worlds.py
    source, before = called.read_text(), "entry[e - start], weight[e - start] = e, probabilities[e]"
    assert source.count(before) == 1
    called.write_text(source.replace(before, f"{before} / 2"))
    assert row() == "[0.1, 0.4]\n"
