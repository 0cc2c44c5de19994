"""Accounts as tables, in the kind of frame that the user works with."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import narwhals as nw

from untaken.analysis.account import Account, ToldCertainty, ToldFinding
from untaken.errors import InvalidQuestion, MissingExtra
from untaken.present.words import Words, named, told_changes

KNOWN = ("pandas", "polars", "pyarrow")


def frame(columns: dict[str, list[Any]], backend: str | None = None) -> Any:
    """A frame of the wanted library; without a wish, of the one that the user has imported, or
    else of the first one that is installed."""
    if backend is not None and backend not in KNOWN:
        raise InvalidQuestion(f"a frame is one of {', '.join(KNOWN)}; {backend!r} came")
    installed = [name for name in KNOWN if importlib.util.find_spec(name)]
    in_use = [name for name in installed if name in sys.modules]
    wanted = backend or next(iter(in_use + installed), None)
    if wanted not in installed:
        raise MissingExtra(
            f"a frame needs one of {', '.join(KNOWN)} to be installed; "
            f"{wanted or 'none of them'} is {'not' if wanted else 'there'}. "
            "Without one, use to_json() or the records themselves"
        )
    chosen: Any = wanted  # narwhals wants a literal where we have checked a name
    return nw.from_dict(columns, backend=chosen).to_native()


def findings_frame(certainty: ToldCertainty, backend: str | None = None) -> Any:
    """A row for the policy and for each explanation: how sure each is to be better."""
    rows = certainty.findings
    alternatives = [
        "the policy" if row.changes is None else "; ".join(map(str, row.changes)) for row in rows
    ]
    return frame({"alternative": alternatives} | _findings_columns(certainty, rows), backend)


def _findings_columns(
    certainty: ToldCertainty, rows: Sequence[ToldFinding | None]
) -> dict[str, list[Any]]:
    """The numbers of findings, in columns; nothing where there is none."""
    names = [f"gain: {name}" for name in certainty.mechanisms]
    names += [f"certain: {name}" for name in certainty.classes] + ["influence"]
    if certainty.findings[0].posterior is not None:
        names += ["posterior: better", "posterior: low", "posterior: high"]
    names.append("verdict")
    nothing = (None,) * len(names)
    lines = [
        nothing if row is None
        else (*row.gains, *row.certified, row.influence, *(row.posterior or ()), row.verdict)
        for row in rows
    ]  # fmt: skip
    return {name: [line[place] for line in lines] for place, name in enumerate(names)}


def explanations_columns(account: Account, words: Words | None = None) -> dict[str, list[Any]]:
    """A row for each explanation; with how sure its gain is, where the account tells that. Steps
    are called and counted as in `words`."""
    words = words or Words()
    rows = account.explanations
    columns: dict[str, list[Any]] = {
        "episode": [named(account.id) if account.id is not None else None] * len(rows),
        "rank": list(range(1, len(rows) + 1)),
        "probability": [row.probability for row in rows],
        "mean_outcome": [row.mean_outcome for row in rows],
        "forced_outcome": [row.forced_outcome for row in rows],
        "better_lower": [row.better.lower for row in rows],
        "better_upper": [row.better.upper for row in rows],
        "changes": [len(row.changes) for row in rows],
        "explanation": [told_changes(row.changes, words) for row in rows],
    }
    if account.certainty is None:
        return columns
    found = {finding.changes: finding for finding in account.certainty.findings}
    return columns | _findings_columns(account.certainty, [found.get(row.changes) for row in rows])


def explanations_frame(account: Account, backend: str | None = None) -> Any:
    """The same as a frame."""
    return frame(explanations_columns(account), backend)


def records_columns(records: Sequence[Any]) -> dict[str, list[Any]]:
    """Records of one kind, a column for each field: the parts of a cohort's summary."""
    if not records:
        raise InvalidQuestion("there are no records of which a table could be made")
    names = [field.name for field in fields(records[0])]
    return {name: [getattr(row, name) for row in records] for name in names}


def records_frame(records: Sequence[Any], backend: str | None = None) -> Any:
    """The same as a frame."""
    return frame(records_columns(records), backend)
