"""The figure of how sure an answer is."""

from __future__ import annotations

import textwrap
from typing import Any

from untaken.analysis.account import Account
from untaken.errors import InvalidQuestion
from untaken.present.style import BLUE, GREY, INK, VERMILION, axes, clean
from untaken.present.words import CLASSES, Words, share, signed


def certainty(account: Account, ax: Any = None, words: Words | None = None) -> Any:
    """The policy's gain under each causal model (dots), what it is at the least under all models of
    a class (arrows), and, under the answer's own model, over the posterior of the process (bar).
    What was observed is at zero."""
    words = words or Words()
    told = account.certainty
    if told is None:
        raise InvalidQuestion(
            "this account does not say how sure it is; make it with "
            "cf.account(robustness=cf.robustness())"
        )
    ax = ax if ax is not None else axes(7.2, 2.8)
    policy = told.findings[0]
    names: list[str] = []
    for name, gain in zip(told.mechanisms, policy.gains, strict=True):
        ax.plot(gain, len(names), "o", color=BLUE, markersize=6)
        _say(ax, gain, len(names), signed(gain))
        names.append(name)
    ends = [0.0, *policy.gains, *policy.certified]
    reach = 0.06 * (max(ends) - min(ends) or 1.0)
    for name, gain in zip(told.classes, policy.certified, strict=True):
        if name not in CLASSES:
            continue
        arrow = {"arrowstyle": "->", "color": GREY, "linewidth": 1.6}
        ax.annotate("", (gain + reach, len(names)), (gain, len(names)), arrowprops=arrow)
        ax.plot(gain, len(names), "|", color=GREY, markersize=10, markeredgewidth=2)
        _say(ax, gain + reach, len(names), f"at least {signed(gain)}")
        names.append(CLASSES[name])
    if policy.posterior is not None:
        beats, *ends = policy.posterior
        sign = -1.0 if account.minimise else 1.0
        low, high = sorted(sign * (end - account.observed.outcome) for end in ends)
        ax.plot([low, high], [len(names)] * 2, color=BLUE, linewidth=5, alpha=0.45)
        _say(ax, high, len(names), f"90% of draws; better in {share(beats)}")
        names.append(f"what the data leave open, {told.mechanisms[0]}")
    ax.axvline(0, color=VERMILION, linestyle="--", linewidth=1.2)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    low, high = ax.get_xlim()
    ax.set_xlim(low, high + 0.5 * (high - low))  # room for what is said at the right
    better = "reduction of" if account.minimise else "gain in"
    name = f"{better} {words.outcome} against what was observed"
    ax.set_xlabel(textwrap.fill(name, 50))
    ax.tick_params(axis="y", length=0)
    return clean(ax)


def _say(ax: Any, x: float, row: int, text: str) -> None:
    ax.annotate(
        text, (x, row), (7, 0), textcoords="offset points", va="center", fontsize="small",
        color=INK, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip
