"""What a study was asked, and how that is told in its manifest."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import untaken.mechanism
from untaken.episodes import Label
from untaken.episodes.labels import plain
from untaken.errors import InvalidQuestion, InvalidStudy
from untaken.mechanism import Mechanism
from untaken.search import Rules
from untaken.study.depth import Depth


@dataclass(frozen=True)
class Asked:
    """The options of a study."""

    k: int
    """The largest budget."""
    depth: Depth
    detail: bool
    """Whether an account of every budget is kept."""
    leave_out: bool
    """Whether each episode is answered by a process that does not rest on it."""
    pinned: tuple[int, ...]
    excluded: tuple[Label, ...]
    mechanism: Mechanism
    rules: Rules
    seed: int
    chunk: int
    """How many episodes make a part."""

    def told(self) -> dict[str, Any]:
        """The options as JSON takes them."""
        options = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("depth", "mechanism", "rules")
        }
        records = {"depth": dataclasses.asdict(self.depth), "rules": dataclasses.asdict(self.rules)}
        told = options | records | {"mechanism": _mechanism_told(self.mechanism)}
        try:
            read_back: dict[str, Any] = json.loads(json.dumps(told))
        except TypeError as error:
            raise InvalidQuestion(
                f"the options of a study are written down with it, and one cannot be: {error}. "
                "Seeds of a mechanism must be whole numbers, and a mechanism of your own is here a "
                "frozen dataclass derived from Mechanism, not a function"
            ) from None
        return read_back

    @classmethod
    def read(cls, told: Mapping[str, Any], mechanism: Mechanism | None = None) -> Asked:
        """The options that `told` wrote down."""
        try:
            return cls(
                **{
                    **told,
                    "depth": Depth(**told["depth"]),
                    "rules": Rules(**told["rules"]),
                    "pinned": tuple(told["pinned"]),
                    "excluded": tuple(plain(label) for label in told["excluded"]),
                    "mechanism": mechanism or _mechanism_read(told["mechanism"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise InvalidStudy(
                f"the study was made with options that this version of untaken does not have, or "
                f"without some that it has: {error}. Open it with the version in its manifest"
            ) from None

    def mechanism_for(self, id: Label) -> Mechanism:
        """The mechanism with randomness of its own for each episode, whatever its neighbours."""
        if not _draws(self.mechanism):
            return self.mechanism
        digest = hashlib.sha256(json.dumps(id, ensure_ascii=False).encode()).digest()
        words = np.frombuffer(digest, dtype=np.uint32)
        seed = np.random.SeedSequence([self.seed, *words.tolist()]).generate_state(1)[0]
        return dataclasses.replace(self.mechanism, seed=int(seed))  # type: ignore[type-var]


def _draws(mechanism: Mechanism) -> bool:
    return any(field.name == "seed" for field in dataclasses.fields(mechanism))  # type: ignore[arg-type]


def _mechanism_told(mechanism: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(type(mechanism)) or not isinstance(mechanism, Hashable):
        raise InvalidQuestion(
            "the mechanism of a study is written down with it, and so must be a frozen dataclass; "
            f"{type(mechanism).__name__} came"
        )
    kind: Any = type(mechanism)
    options = {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(kind)}
    return {"name": kind.__name__, "options": options}


def _mechanism_read(told: Mapping[str, Any]) -> Mechanism:
    known = getattr(untaken.mechanism, told["name"], None)
    if not (isinstance(known, type) and issubclass(known, Mechanism)):
        raise InvalidQuestion(
            f"the study was made with the mechanism {told['name']!r}, which is not one of "
            "untaken's own; give it to open_study(path, mechanism=...)"
        )
    return known(**told["options"])
