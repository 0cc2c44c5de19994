"""The rows of an open log in codes, sorted by episode and step: one query, few arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from untaken.episodes.checks import MISSING, UNKNOWN, SortedRows
from untaken.episodes.coding import (
    Vocabulary,
    as_text,
    reward_expression,
    step_expression,
    vocabulary,
)
from untaken.episodes.frames import object_array
from untaken.episodes.labels import Label, Labels
from untaken.episodes.sources import Log
from untaken.errors import InvalidLog
from untaken.kernels.layout import Codes, Ints


@dataclass(frozen=True)
class Roles:
    """Which columns of the log play which part, by position."""

    episode: range
    state: range
    action: range
    kept: range
    step: int
    reward: int | None


@dataclass(frozen=True, eq=False)
class CodedLog:
    """A log in codes, and the words that the codes stand for."""

    rows: SortedRows
    states: Labels
    actions: Labels
    ids: np.ndarray
    """The id of each episode."""
    kept: tuple[np.ndarray, ...]
    """The labels of each kept column."""
    unit: str
    """What steps are: numbers, times, times of day."""
    odd_steps: tuple[str | None, ...]
    """What stands in place of a step, in each row that has none by which it could be ordered."""
    strangers: tuple[Label, ...]
    """Labels in the log that are not among those given."""
    odd_rewards: tuple[str, ...]
    """Some of what stands in place of rewards and is no finite number."""


@dataclass(frozen=True)
class _Coder:
    """Several columns that make one label, coded as one number in mixed radix."""

    columns: range
    parts: tuple[Vocabulary, ...]

    @property
    def joins(self) -> str:
        """What brings the codes of the columns to the rows, as SQL."""
        return " ".join(
            f"LEFT JOIN v{column} ON v{column}.label = ({part.expression})"
            for column, part in zip(self.columns, self.parts, strict=True)
        )

    @property
    def code(self) -> str:
        """The code of a row as SQL; missing where any part is."""
        sizes = [max(1, len(part.labels)) for part in self.parts]
        if prod(sizes) >= 2**63:
            raise InvalidLog(
                f"{len(sizes)} columns with {', '.join(map(str, sizes))} values make more labels "
                "than can be told apart; cut numbers into classes, or name fewer columns"
            )
        total = "0::BIGINT"
        for column, size in zip(self.columns, sizes, strict=True):
            total = f"({total} * {size} + v{column}.code)"
        kind = "INTEGER" if len(self.columns) == 1 else "BIGINT"
        return f"coalesce({total}, {MISSING})::{kind}"

    def words(self, codes: Ints) -> list[Label]:
        """The labels that codes stand for."""
        sizes = tuple(max(1, len(part.labels)) for part in self.parts)
        places = np.unravel_index(codes, sizes)
        words = [
            [part.labels[place] for place in along.tolist()]
            for part, along in zip(self.parts, places, strict=True)
        ]
        return words[0] if len(words) == 1 else list(zip(*words, strict=True))

    def ranks(self, codes: Ints) -> list[Ints]:
        """By what the labels are ordered: their own order, or that of an ordered category."""
        sizes = tuple(max(1, len(part.labels)) for part in self.parts)
        return [
            _ranks(part)[along]
            for part, along in zip(self.parts, np.unravel_index(codes, sizes), strict=True)
        ]


def code_log(
    log: Log,
    roles: Roles,
    states: list[Any] | None,
    actions: list[Any] | None,
    missing: tuple[str, ...],
) -> CodedLog:
    """Read the whole log into sorted codes."""

    def coder(columns: range, given: Sequence[Label] | None = None) -> _Coder:
        texts = _given_as_texts(given, len(columns))
        parts = zip(columns, texts, strict=True)
        return _Coder(columns, tuple(vocabulary(log, c, missing, text) for c, text in parts))

    episode = coder(roles.episode)
    state, action = coder(roles.state, states), coder(roles.action, actions)
    kept = [coder(range(column, column + 1)) for column in roles.kept]
    found, unit, odd = _sorted_codes(log, roles, [episode, state, action, *kept], missing)
    episodes, members = _dense(found["k0"])
    state_codes, state_names, strange_states = _named(found["k1"], state, "state", states)
    action_codes, action_names, strange_actions = _named(found["k2"], action, "action", actions)
    rows = SortedRows(
        episodes,
        np.ma.getdata(found["step"]),
        ~np.ma.getmaskarray(found["step"]),
        state_codes,
        action_codes,
        found.get("reward"),
        tuple(found[f"k{place + 3}"] for place in range(len(kept))),
        counted=unit == "number" and found["step"].dtype.kind == "i",
    )
    return CodedLog(
        rows,
        state_names,
        action_names,
        object_array(episode.words(members)),
        tuple(object_array(coder.words(np.arange(len(coder.parts[0].labels)))) for coder in kept),
        unit,
        odd,
        strange_states + strange_actions,
        _odd_rewards(log, roles, missing),
    )


def _given_as_texts(given: Sequence[Any] | None, parts: int) -> list[bool]:
    """Which parts of a user's labels are texts throughout."""
    if given is None or parts == 1:
        return [given is not None and all(isinstance(label, str) for label in given)] * parts
    fit = [label for label in given if isinstance(label, list | tuple) and len(label) == parts]
    return [
        bool(fit) and all(isinstance(label[place], str) for label in fit) for place in range(parts)
    ]


def _sorted_codes(
    log: Log, roles: Roles, coders: list[_Coder], missing: tuple[str, ...]
) -> tuple[dict[str, np.ndarray], str, tuple[str | None, ...]]:
    """The codes k0, k1, ... of all rows with their steps and rewards, sorted by episode and step,
    equal ones in the order of the log; what steps are; and what stands where there is none."""
    step, unit = step_expression(log, roles.step, missing)
    wanted = [f"{coder.code} AS k{place}" for place, coder in enumerate(coders)]
    wanted.append(f"{step} AS step")
    if roles.reward is not None:
        wanted.append(f"coalesce({reward_expression(log, roles.reward, missing)}, 'nan') AS reward")
    rows = f"FROM log {' '.join(coder.joins for coder in coders)}"
    order = f"ORDER BY k0 = {MISSING}, k0, step NULLS LAST, log.rowid"
    found = log.connection.sql(f"SELECT {', '.join(wanted)} {rows} {order}").fetchnumpy()
    if not np.ma.getmaskarray(found["step"]).any():
        return found, unit, ()
    said = f"{as_text(log, roles.step)}, {', '.join(wanted)}"
    odd = log.connection.sql(f"SELECT {said} {rows} WHERE ({step}) IS NULL {order}").fetchall()
    return found, unit, tuple(row[0] for row in odd)


def _odd_rewards(log: Log, roles: Roles, missing: tuple[str, ...]) -> tuple[str, ...]:
    if roles.reward is None:
        return ()
    number, said = reward_expression(log, roles.reward, missing), as_text(log, roles.reward)
    odd = f"{said} <> '' AND NOT coalesce(isfinite({number}), false)"
    found = log.connection.sql(f"SELECT DISTINCT {said} AS said FROM log WHERE {odd} ORDER BY said")
    return tuple(text for (text,) in found.limit(5).fetchall())


def _dense(sorted_codes: np.ndarray) -> tuple[Ints, Ints]:
    """Episodes as 0, 1, 2, ... in the order in which they stand, and the codes they had."""
    present = sorted_codes[: np.count_nonzero(sorted_codes != MISSING)]  # missing ones come last
    first = np.ones(len(present), dtype=np.bool_)
    first[1:] = present[1:] != present[:-1]
    dense = np.full(len(sorted_codes), MISSING, dtype=np.int64)
    np.cumsum(first, out=dense[: len(present)])
    dense[: len(present)] -= 1
    return dense, present[first].astype(np.int64)


def _named(
    raw: np.ndarray, coder: _Coder, kind: str, given: list[Any] | None
) -> tuple[Codes, Labels, tuple[Label, ...]]:
    """Codes in the vocabulary that counts: the one given, that of an ordered category, or the
    labels that occur. Labels that are not given get the code `UNKNOWN`."""
    if len(coder.parts) == 1:
        occurring, position = np.arange(len(coder.parts[0].labels)), raw
    else:
        occurring = np.unique(raw[raw != MISSING])
        position = np.where(raw == MISSING, MISSING, np.searchsorted(occurring, raw))
    words = coder.words(occurring)
    order = coder.parts[0].order if len(coder.parts) == 1 else None
    if given is not None:
        names = Labels(tuple(given), kind)
    elif order is not None:
        names = Labels(order, kind)
    else:
        by_rank = np.lexsort(coder.ranks(occurring)[::-1])
        names = Labels(tuple(words[place] for place in by_rank.tolist()), kind)
    strangers = tuple(word for word in words if word not in names)
    lookup = np.full(len(words) + 1, MISSING, dtype=np.int32)  # -1, the last, is the missing one
    lookup[:-1] = [names.code(word) if word in names else UNKNOWN for word in words]
    return lookup[position], names, strangers


def _ranks(part: Vocabulary) -> Ints:
    if part.order is None:
        return np.arange(max(1, len(part.labels)))
    place = {label: rank for rank, label in enumerate(part.order)}
    return np.array([place[label] for label in part.labels] or [0], dtype=np.int64)
