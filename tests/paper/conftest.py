"""One quick run of everything, shared by all tests that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from untaken.paper import Reproduced, Settings, reproduce


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    return reproduce(out=tmp_path_factory.mktemp("paper"), settings=Settings(quick=True))


@pytest.fixture(scope="session")
def folder(run: Reproduced) -> Path:
    return run.page.parent
