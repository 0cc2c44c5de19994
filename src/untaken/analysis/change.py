"""One action that was not taken."""

from __future__ import annotations

from dataclasses import dataclass

from untaken.episodes import Label


@dataclass(frozen=True)
class Change:
    """An action that differs from the observed one.

    >>> import untaken as ut
    >>> print(ut.Change(3, "wait", "treat"))
    step 3: wait → treat
    """

    step: int
    observed: Label
    alternative: Label

    def __str__(self) -> str:
        return f"step {self.step}: {self.observed} → {self.alternative}"
