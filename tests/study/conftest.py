"""A study that nobody stopped, and copies of it to be damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.study.begin import study


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Path:
    """A study that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    assert study(folder).finished
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "study"))
