"""Small cohorts, and folders compared byte by byte."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

import untaken as ut
from untaken.episodes.episodes import Column


def cohort(episodes: int = 12, seed: int = 0, horizon: int = 6) -> ut.datasets.Synthetic:
    """A noisy process with few states, and courses of it in two groups."""
    data = ut.datasets.synthetic(0.6, 5, 3, horizon, episodes, seed)
    groups = np.array(["old", "young"] * episodes, dtype=object)[:episodes]
    ages = np.arange(episodes) + 20
    kept = (Column("group", groups), Column("age", ages))
    return replace(data, episodes=replace(data.episodes, kept=kept))


def content(folder: Path) -> dict[str, str]:
    """Every file of a study with the hash of its bytes; nothing temporary may be left."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def rows(relation) -> list[tuple]:
    """A table, sorted by whose rows they are."""
    return sorted(relation.fetchall(), key=repr)
