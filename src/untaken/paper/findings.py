"""What was published beside what is found here, and a verdict that is worked out, never written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
    """Of our value; the published one is told as it was published."""
    reason: str = ""
    """What explains a difference that is not allowed for."""

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

    @property
    def told(self) -> tuple[str, str]:
        """The published value and ours, with their unit.

        >>> Finding("gain", 4.9, 4.731, 0.2, "by eye", "%", decimals=2).told
        ('4.9 %', '4.73 %')
        """
        texts = f"{self.published:,g}", f"{self.ours:,.{self.decimals}f}"
        theirs, mine = (f"{text} {self.unit}" if self.unit else text for text in texts)
        return theirs, mine

    @property
    def judged(self) -> str:
        """How it was judged, and what explains a difference."""
        told = self.verdict is Verdict.DIFFERS and self.reason
        return f"{self.how}. Likely why: {self.reason}" if told else self.how


@dataclass(frozen=True)
class Claim:
    """Something that the paper says in words, with what is found here."""

    said: str
    found: str
    holds: bool | None
    """None where it cannot be put to the test here."""
    where: str
    """The experiment that tells."""
    simulated: bool = False
    """Whether simulated patients are all there is to test it on."""

    @property
    def verdict(self) -> Verdict:
        """Whether it holds here."""
        if self.holds is None:
            return Verdict.NOT_JUDGED
        return Verdict.AGREES if self.holds else Verdict.DIFFERS


def of_patients(claims: Iterable[Claim], simulated: bool) -> tuple[Claim, ...]:
    """Claims about patients, each with whether these are simulated."""
    return tuple(replace(claim, simulated=simulated) for claim in claims)
