"""A study as one file: it opens from disk, works without a network and asks nobody for anything."""

from __future__ import annotations

import base64
import json
import os
import zlib
from pathlib import Path

from untaken.errors import InvalidQuestion
from untaken.present.page.assembled import single_page
from untaken.present.page.cohort import Document
from untaken.present.page.contents import Contents
from untaken.present.words import Words
from untaken.study import Study
from untaken.study.parts import whole_text

EPISODES = 200
"""Of so many episodes, those that gain most, a report holds everything by default."""


def write_report(
    study: Study,
    path: str | os.PathLike[str],
    words: Words | None = None,
    *,
    title: str = "",
    episodes: int = EPISODES,
    redact: bool = False,
) -> Path:
    """Write a study as one HTML file: the whole cohort, and everything about the `episodes` that
    gain most. With `redact`, running numbers stand in for the ids."""
    if episodes < 0:
        raise InvalidQuestion(f"episodes is a number from 0; {episodes} came")
    path = Path(path)
    contents = Contents(study, words or Words(), title, redact)
    data = {
        "cohort": _packed(contents.cohort),
        "episodes": {
            position: _packed(contents.episode(position))
            for position in contents.most_gained(episodes)
        },
    }
    whole_text(path, single_page(contents.title, data))
    return path


def _packed(document: Document) -> str:
    """A document as base64 of its deflated JSON."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
