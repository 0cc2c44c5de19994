"""What a study says of itself: `manifest.json`."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from importlib.metadata import version
from typing import Any

import duckdb
import numpy as np

from untaken._version import __version__
from untaken.errors import InvalidStudy
from untaken.model import MDP, Fit
from untaken.model.files import mdp_arrays
from untaken.study.labels import Forms, KeptColumn, Written

FORMAT = "untaken-study-2"
OF_PROCESS = {
    "states": ("states",),
    "actions": ("actions",),
    "transitions": ("shape", "offsets", "successors", "probabilities"),
    "rewards": ("departure", "arrival", "final_reward"),
    "available actions": ("available",),
    "discount or direction": ("options",),
    "the fit behind it": ("alpha", "counts", "visits"),
}
"""What a process consists of, in words, and in which arrays it is."""


@dataclass(frozen=True)
class Manifest:
    """Everything on which the results depend."""

    options: Mapping[str, Any]
    process: Mapping[str, str]
    """A hash of each part of the process, and of the fit where answers need it."""
    cohort: Mapping[str, str]
    """A hash of each part of the episodes."""
    episodes: int
    """How many there are."""
    forms: Forms
    versions: Mapping[str, str]

    def to_json(self) -> str:
        """The manifest as JSON text."""
        told = {"format": FORMAT} | asdict(self)
        return json.dumps(told, ensure_ascii=False, indent=2, default=_name_of)

    @classmethod
    def from_json(cls, text: str, where: str) -> Manifest:
        """The manifest that `to_json` wrote."""
        try:
            told = json.loads(text)
            if told.pop("format") != FORMAT:
                raise InvalidStudy(f"{where} is not a study of the format {FORMAT!r}")
            forms = told["forms"]
            kept = tuple(KeptColumn(**column) for column in forms["kept"])
            ids, states, actions = (Written[forms[name]] for name in ("ids", "states", "actions"))
            return cls(**(told | {"forms": Forms(ids, states, actions, kept)}))
        except (AttributeError, KeyError, TypeError, json.JSONDecodeError) as error:
            raise InvalidStudy(
                f"{where} is not the manifest of a study: {error!r}. Put back the one with which "
                "the study was begun, or begin anew in another folder; nothing here is touched"
            ) from None

    def differences(self, other: Manifest) -> Iterator[str]:
        """In which inputs and options another study differs, in words."""
        mine, theirs = _flat(self.options), _flat(other.options)
        for name in dict.fromkeys([*mine, *theirs]):
            was, now = (_shown(options.get(name)) for options in (mine, theirs))
            if was != now:
                yield f"{name} was {was} and is {now}"
        in_both = self.process.keys() & other.process.keys()  # a fit is not always needed
        found = _unlike(
            {part: self.process[part] for part in OF_PROCESS if part in in_both},
            {part: other.process[part] for part in OF_PROCESS if part in in_both},
        )
        if found:
            yield f"the process is another one ({found})"
        found = _unlike(self.cohort, other.cohort)
        if self.episodes != other.episodes:
            yield f"there were {self.episodes:,} episodes and now there are {other.episodes:,}"
        elif found:
            there = f"there were {self.episodes:,} episodes"
            yield f"{there} and now there are as many, others ({found})"
        if self.forms != other.forms:
            yield "ids, labels or kept columns are of another kind"

    def other_versions(self) -> Iterator[str]:
        """Which software has changed since."""
        for name, now in versions().items():
            if self.versions.get(name) != now:
                yield f"{name} was {self.versions.get(name)} and is {now}"


def versions() -> dict[str, str]:
    """The software on which the last bits of a result depend."""
    return {
        "untaken": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": _numba(),
        "duckdb": duckdb.__version__,
    }


@cache
def _numba() -> str:
    """Looked up, which takes a while, since only the kernels may import it."""
    return version("numba")


def process_digests(mdp: MDP, fit: Fit | None) -> dict[str, str]:
    """A hash of each part of the process, and of the fit where answers need it."""
    arrays = mdp_arrays(mdp)
    if fit is not None:
        arrays |= {"alpha": fit.alpha, "counts": fit.counts, "visits": fit.visits}
    return {
        part: digest({name: arrays[name] for name in names})
        for part, names in OF_PROCESS.items()
        if names[0] in arrays
    }


def digest(arrays: Mapping[str, Any]) -> str:
    """A hash of named arrays and texts."""
    found = hashlib.sha256()
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def _unlike(mine: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """The parts that differ, in words."""
    parts = dict.fromkeys([*mine, *theirs])
    return ", ".join(part for part in parts if mine.get(part) != theirs.get(part))


def _name_of(value: Any) -> str:
    if isinstance(value, Enum):
        return value.name
    raise TypeError(f"{value!r} has no place in a manifest")


def _flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with those of `depth` and `rules` among them. Those that a version of untaken does
    not know are missing."""
    flat: dict[str, Any] = {}
    for name, option in options.items():
        if name in ("depth", "rules"):
            flat |= {f"{name}.{part}": value for part, value in option.items()}
        else:
            flat[name] = option
    return flat


def _shown(option: Any) -> str:
    if isinstance(option, Mapping) and {"name", "options"} <= option.keys():
        return f"{option['name']}({', '.join(f'{k}={v}' for k, v in option['options'].items())})"
    return repr(tuple(option) if isinstance(option, list) else option)
