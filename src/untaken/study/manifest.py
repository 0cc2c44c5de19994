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

FORMAT = "untaken-study-1"


@dataclass(frozen=True)
class Manifest:
    """Everything on which the results depend."""

    options: Mapping[str, Any]
    process: str
    """A hash of the process, and of the fit where answers need it."""
    cohort: str
    """A hash of the episodes."""
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
        if self.process != other.process:
            yield "the process is another one"
        if self.cohort != other.cohort:
            now = f"{other.episodes:,}" if other.episodes != self.episodes else "as many, others"
            yield f"there were {self.episodes:,} episodes and now there are {now}"
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


def process_digest(mdp: MDP, fit: Fit | None) -> str:
    """A hash of the process, and of the fit where episodes are left out of it."""
    arrays = mdp_arrays(mdp)
    if fit is not None:
        arrays |= {"alpha": fit.alpha, "counts": fit.counts, "visits": fit.visits}
    return digest(arrays)


def digest(arrays: Mapping[str, Any]) -> str:
    """A hash of named arrays and texts."""
    found = hashlib.sha256()
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()


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
    if isinstance(option, Mapping) and "name" in option:
        return f"{option['name']}({', '.join(f'{k}={v}' for k, v in option['options'].items())})"
    return repr(tuple(option) if isinstance(option, list) else option)
