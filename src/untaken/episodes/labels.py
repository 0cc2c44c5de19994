"""Labels at the edges, integer codes inside: an ordered vocabulary of states or of actions."""

from __future__ import annotations

import difflib
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from untaken.errors import InvalidFile, InvalidQuestion, UnknownLabel, UntakenError

Label = Hashable
"""A string, a number, a boolean, or a tuple of these."""


def plain(label: Any) -> Label:
    """The label as a plain Python value: NumPy scalars unwrapped, lists as tuples.

    >>> plain(np.int64(3)), plain(["mild", np.str_("a")])
    (3, ('mild', 'a'))
    """
    if isinstance(label, np.generic):
        return label.item()  # type: ignore[no-any-return]
    if isinstance(label, (list, tuple)):
        return tuple(plain(part) for part in label)
    return label  # type: ignore[no-any-return]


def listed(labels: Iterable[Any], kind: str) -> list[Any]:
    """Labels that a user wrote down; a single text is no list of its letters."""
    if isinstance(labels, str):
        raise InvalidQuestion(f"expected a list of {kind}s; the single text {labels!r} came")
    return list(labels)


@dataclass(frozen=True)
class Labels(Sequence[Label]):
    """An ordered vocabulary: position is code.

    >>> import untaken as ut
    >>> severity = ut.Labels(("none", "mild", "severe"), "state")
    >>> severity.code("mild"), severity[2], len(severity)
    (1, 'severe', 3)
    >>> severity.code("Mild")
    Traceback (most recent call last):
        ...
    untaken.errors.UnknownLabel: unknown state 'Mild'; did you mean 'mild'? The 3 known states ...
    """

    names: tuple[Label, ...]
    kind: str = "state"
    _codes: dict[Label, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = tuple(plain(name) for name in self.names)
        codes = {name: code for code, name in enumerate(names)}
        if len(codes) < len(names):
            first = next(name for code, name in enumerate(names) if codes[name] != code)
            raise UntakenError(
                f"{self.kind} label {first!r} stands more than once among the {len(names)} labels; "
                "each must be distinct"
            )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_codes", codes)

    @classmethod
    def numbered(cls, size: int, kind: str) -> Labels:
        """The labels 0..size-1, for those who did not name theirs."""
        return cls(tuple(range(size)), kind)

    @overload
    def __getitem__(self, code: int) -> Label: ...
    @overload
    def __getitem__(self, code: slice) -> tuple[Label, ...]: ...
    def __getitem__(self, code: int | slice) -> Label | tuple[Label, ...]:
        return self.names[code]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.names)

    def __contains__(self, label: object) -> bool:
        try:
            return plain(label) in self._codes
        except TypeError:
            return False

    def code(self, label: Any, where: str = "") -> int:
        """The code of a label; `where` is put into the message when it is unknown."""
        try:
            return self._codes[label]
        except (KeyError, TypeError):
            pass
        try:
            return self._codes[plain(label)]
        except (KeyError, TypeError):
            raise UnknownLabel(self._unknown(label, where)) from None

    def codes(self, labels: Iterable[Any], where: str = "") -> np.ndarray:
        """The codes of many labels; an unknown one is reported with its position."""
        labels = list(labels)
        try:
            return np.array([self._codes[label] for label in labels], dtype=np.int64)
        except (KeyError, TypeError):
            places = (f"{where} {position}" if where else "" for position in range(len(labels)))
            return np.array(
                [self.code(label, place) for label, place in zip(labels, places, strict=True)],
                dtype=np.int64,
            )

    def _unknown(self, label: Any, where: str) -> str:
        known = [str(name) for name in self.names]
        close = difflib.get_close_matches(str(label), known, n=1)
        hint = f"; did you mean {self.names[known.index(close[0])]!r}?" if close else "."
        shown = ", ".join(repr(name) for name in self.names[:8])
        more = f" and {len(self) - 8} more" if len(self) > 8 else ""
        place = f" at {where}" if where else ""
        return (
            f"unknown {self.kind} {plain(label)!r}{place}{hint} "
            f"The {len(self)} known {self.kind}s are {shown}{more}"
        )

    def to_json(self) -> str:
        """The labels as JSON text: how they are stored beside arrays."""
        try:
            return json.dumps(list(self.names), ensure_ascii=False)
        except TypeError as error:
            raise InvalidFile(
                f"{self.kind} labels must be strings, numbers, booleans or tuples of these "
                f"to be saved: {error}"
            ) from None

    @classmethod
    def from_json(cls, text: str, kind: str) -> Labels:
        """The labels that `to_json` wrote."""
        return cls(tuple(json.loads(text)), kind)
