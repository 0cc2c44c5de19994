"""Names on their way into SQL, and what is said when a column or a file is not as expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import takewhile
from os.path import isfile

from untaken.errors import InvalidLog

LONGEST = 300


def quoted(name: str) -> str:
    """An SQL identifier: whatever the name holds, it stays a name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """An SQL text: whatever it holds, it stays a text."""
    return "'" + text.replace("'", "''") + "'"


def located(path: str) -> str:
    """A path or glob as an SQL text. A file that is there is meant itself, whatever its name holds:
    `log[1].csv` is a glob for `log1.csv` otherwise."""
    return literal(re.sub(r"[*?[]", r"[\g<0>]", path) if isfile(path) else path)


def said(error: Exception) -> str:
    """What DuckDB says is wrong, without its advice about options that are not the user's to set,
    and without whole lines of a file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = list(
        takewhile(lambda line: not line.startswith(("Possible ", "Try ", "Consider ")), lines)
    )
    return "; ".join(line if len(line) < LONGEST else f"{line[:LONGEST]} ..." for line in told)


def check_columns(wanted: Sequence[str], found: Sequence[str], where: str = "the log") -> None:
    """Refuse a log that lacks a column, or in which a name could mean two columns."""
    shown = ", ".join(repr(column) for column in found[:20]) or "none"
    for name in wanted:
        if name not in found:
            raise InvalidLog(
                f"{where} has no column {name!r}{_meant(name, found)} Its columns are {shown}"
            )
        if list(found).count(name) > 1:
            raise InvalidLog(
                f"{where} has the column {name!r} more than once, so that it is not clear which is "
                f"meant; rename one. Its columns are {shown}"
            )


def _meant(name: str, found: Sequence[str]) -> str:
    """What the user is likely to have meant, also by another case."""
    by_case = {str(column).casefold(): column for column in found}
    close = difflib.get_close_matches(str(name).casefold(), by_case, n=1)
    return f"; did you mean {by_case[close[0]]!r}?" if close else "."
