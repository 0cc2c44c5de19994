"""What things are called, and how numbers are written, in everything a person reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from untaken.analysis.change import Change
from untaken.analysis.law import Bracket
from untaken.episodes import Label

CAUTION = (
    "This looks back at one course under a model of what else could have happened. It says what "
    "the model holds likely, not what was knowable then, and is no judgement of those who decided. "
    "The best of many alternatives is never worse than none: also where nothing can be gained, "
    "chance in the data makes a gain."
)
COHORT_CAUTION = (
    "These are gains in hindsight, under a model, and no judgement of those who decided. Each is "
    "the best of many alternatives and so never below 0: their mean is not the effect of a "
    "treatment, however narrow its interval, which says only how it varies with the choice of "
    "episodes and takes the model for true."
)
CLASSES = {
    "none": "any model that fits",
    "stable": "any stable model",
    "stable_everywhere": "any model stable throughout",
}
"""Classes that the answer's own model belongs to; stability with monotonicity is none of them."""


@dataclass(frozen=True)
class Words:
    """The user's own words for what the numbers are.

    >>> import untaken as ut
    >>> words = ut.Words(outcome="well-being", step="visit", first_step=1)
    >>> words.at(0), words.count(1), words.count(3)
    ('visit 1', '1 visit', '3 visits')
    """

    outcome: str = "outcome"
    """What the sum of rewards, or costs, means."""
    step: str = "step"
    """What a step is: a session, a day, a visit."""
    first_step: int = 0
    """The number of the first step, for readers who count from 1."""
    steps: str = ""
    """More than one of them, where that is not the step with an s."""

    def count(self, steps: int) -> str:
        """So many steps: '1 session', '20 sessions'."""
        return f"{steps} {self.step if steps == 1 else self.plural}"

    @property
    def plural(self) -> str:
        """More than one step. An s is put to a word in Latin letters only: not to 'visit no.'.

        >>> Words(step="visit").plural, Words(step="visit no.").plural, Words(step="день").plural
        ('visits', 'visit no.', 'день')
        """
        if self.steps:
            return self.steps
        ends_in_letter = self.step[-1:].isascii() and self.step[-1:].isalpha()
        return f"{self.step}s" if ends_in_letter else self.step

    def at(self, step: int) -> str:
        """A step by its name: 'session 3'."""
        return f"{self.step} {step + self.first_step}"


def number(value: float) -> str:
    """A number as a person would write it.

    >>> number(38.0), number(43.2187), number(-0.00123), number(1234567.8), number(0.0)
    ('38', '43.22', '-0.00123', '1,234,568', '0')
    """
    if value == 0 or abs(value) < 1e-12:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    decimals = 2 if abs(value) >= 0.1 else 5
    text = f"{value:.{decimals}f}" if abs(value) >= 1e-4 else f"{value:.2g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def numbers(values: Iterable[float]) -> list[str]:
    """Numbers of one column, with as many decimals each as any of them has.

    >>> numbers([46.39, 46.4, 46.0]), numbers([3.0, 4.0])
    (['46.39', '46.40', '46.00'], ['3', '4'])
    """
    column = list(values)
    texts = [number(value) for value in column]
    if any("e" in text for text in texts):
        return texts
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    return [f"{value:,.{decimals}f}" for value in column]


def signed(value: float) -> str:
    """A difference, with its sign.

    >>> signed(5.2), signed(-1.0), signed(0.0)
    ('+5.2', '-1', '±0')
    """
    text = number(value)
    return "±0" if text == "0" else text if value < 0 else f"+{text}"


def share(probability: float | Bracket) -> str:
    """A probability in per cent; a bracket as its two ends, where they differ to the eye.

    >>> share(0.307), share(0.004), share(0.0004), share(1.0), share(0.999), share(0.0)
    ('31%', '0.4%', '<0.1%', '100%', '>99%', '0%')
    >>> share(0.994), share(0.995)
    ('99%', '>99%')
    >>> share(0.0094), share(0.0096), share(0.0104)
    ('0.9%', '1%', '1%')
    >>> share(Bracket(0.1, 0.2)), share(Bracket(0.1, 0.1))
    ('10-20%', '10%')
    >>> share(Bracket(0.0004, 0.002)), share(Bracket(0.98, 0.999)), share(Bracket(0.0004, 0.999))
    ('≤0.2%', '≥98%', '0-100%')
    """
    if isinstance(probability, Bracket):
        return _bracket(share(probability.lower), share(probability.upper))
    if 0 < probability < 0.0005:
        return "<0.1%"
    if 0.995 <= probability < 1 - 1e-9:
        return ">99%"
    return f"{probability:.1%}" if 0 < probability < 0.0095 else f"{probability:.0%}"


def _bracket(low: str, high: str) -> str:
    """Two ends; one that is itself an inequality leaves the other to be said."""
    if low == high:
        return low
    if low.startswith("<") and high.startswith(">"):
        return "0-100%"
    if low.startswith("<"):
        return f"≤{high}"
    return f"≥{low}" if high.startswith(">") else f"{low.rstrip('%')}-{high}"


def named(label: Label) -> str:
    """A label as text; the parts of a compound one side by side."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def told_changes(changes: Iterable[Change], words: Words) -> str:
    """Changes in one line: 'session 3: PSE → INR; session 8: CRT → BHA'."""
    return "; ".join(
        f"{words.at(change.step)}: {named(change.observed)} → {named(change.alternative)}"
        for change in changes
    )
