"""One exception for each way in which a user can be wrong.

Every message says what was expected, what came, where, and what to do about it. Each of them is a
`ValueError` too, so that code which knows nothing of untaken can still catch them.

>>> import untaken as ut
>>> try:
...     ut.Episode(["ill"], [])
... except ut.errors.InvalidEpisode as error:
...     print(error)
an episode needs at least one action; the actions are empty
"""

from __future__ import annotations

from typing import Any


class UntakenError(ValueError):
    """The base of every error that untaken raises on purpose."""


class InvalidProcess(UntakenError):
    """What was given does not describe a decision process: shapes, probabilities or rewards."""


class InvalidEpisode(UntakenError):
    """What was given is not an episode: empty, or states and actions that do not fit together."""


class InvalidLog(UntakenError):
    """A log whose rows or columns cannot be read as episodes; `.rejected` holds the rows."""

    def __init__(self, message: str, rejected: Any = ()) -> None:
        super().__init__(message)
        self.rejected = rejected


class UnknownLabel(UntakenError):
    """A state or an action that the process, or the cohort, does not have."""


class ImpossibleTransition(InvalidEpisode):
    """An episode took a step to which the process gives probability zero."""


class InvalidQuestion(UntakenError):
    """The budget, the pinned steps or another part of the question makes no sense."""


class InvalidRow(UntakenError):
    """Numbers that are not a probability row, or an outcome that the row rules out."""


class InvalidPolicy(UntakenError):
    """A policy or action sequence that does not fit the episode, the process or the budget."""


class InvalidFile(UntakenError):
    """A file that untaken cannot read as what it is meant to be."""


class InvalidStudy(UntakenError):
    """A folder that holds no study, another one than was asked for, or a damaged one."""


class CannotServe(UntakenError, OSError):
    """An address at which the explorer cannot listen."""


class CannotWrite(UntakenError, OSError):
    """A study, or a page, that cannot be put where it was asked for: no permission, no space."""


class StudyInUse(UntakenError):
    """A folder into which another process is writing a study at this moment."""


class StudyInterrupted(KeyboardInterrupt):
    """A study that was stopped by hand; what is done is safe, and the same call goes on from it."""


class MissingExtra(UntakenError, ImportError):
    """A feature that needs an optional dependency which is not installed."""


class HorizonWarning(UserWarning):
    """The answer may change once it is said what happens after the last observed step."""
