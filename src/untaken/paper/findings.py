"""What was published beside what is found here, and a verdict that is worked out, never written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """How a published value and ours stand to each other."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Finding:
    """One published number beside ours."""

    what: str
    published: float
    ours: float
    allowance: float | None
    """By how much the two may differ; None where they cannot be compared."""
    how: str
    """How that was judged, in words."""
    unit: str = ""
    decimals: int = 1

    @property
    def difference(self) -> float:
        """Ours less the published one."""
        return self.ours - self.published

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is within what is allowed for."""
        if self.allowance is None:
            return Verdict.NOT_JUDGED
        return Verdict.AGREES if abs(self.difference) <= self.allowance else Verdict.DIFFERS

    def told(self, value: float) -> str:
        """A value with its unit.

        >>> Finding("gain", 4.9, 4.73, 0.2, "by eye", "%").told(4.73)
        '4.7 %'
        """
        text = f"{value:,.{self.decimals}f}"
        return f"{text} {self.unit}" if self.unit else text


@dataclass(frozen=True)
class Claim:
    """Something that the paper says in words, with what is found here."""

    said: str
    found: str
    holds: bool | None
    """None where it cannot be put to the test here."""
    where: str
    """The experiment that tells."""

    @property
    def verdict(self) -> Verdict:
        """Whether it holds here."""
        if self.holds is None:
            return Verdict.NOT_JUDGED
        return Verdict.AGREES if self.holds else Verdict.DIFFERS
