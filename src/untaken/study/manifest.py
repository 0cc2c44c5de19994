"""What a study says of itself: `manifest.json`."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import version
from typing import Any

import duckdb
import numpy as np

from untaken._version import __version__
from untaken.errors import InvalidStudy
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
            raise InvalidStudy(f"{where} is not the manifest of a study: {error!r}") from None

    def differences(self, other: Manifest) -> Iterator[str]:
        """In which inputs and options another study differs, in words."""
        for name, mine in self.options.items():
            if name == "depth":
                for part, value in mine.items():
                    if other.options[name][part] != value:
                        yield f"depth.{part} was {value!r} and is {other.options[name][part]!r}"
            elif other.options[name] != mine:
                yield f"{name} was {_shown(mine)} and is {_shown(other.options[name])}"
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
        "numba": version("numba"),
        "duckdb": duckdb.__version__,
    }


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


def _shown(option: Any) -> str:
    if isinstance(option, Mapping) and "name" in option:
        return f"{option['name']}({', '.join(f'{k}={v}' for k, v in option['options'].items())})"
    return repr(tuple(option) if isinstance(option, list) else option)
