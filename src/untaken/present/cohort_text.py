"""A cohort in plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from untaken.present.text import WIDTH
from untaken.present.words import COHORT_CAUTION, Words, named, number, share
from untaken.study import CohortSummary

SHOWN = 8
"""How many replacements are listed."""


def cohort_summary(summary: CohortSummary, words: Words | None = None) -> str:
    """The mean frontier, how gains are distributed, and which changes recur."""
    words = words or Words()
    answered = summary.episodes - summary.failed
    title = f"{summary.episodes:,} episodes, {answered:,} with an answer"
    groups = list(dict.fromkeys(point.group for point in summary.frontier))
    parts = [f"{title}\n{'-' * len(title)}"]
    for group in groups:
        parts.append("\n".join(_frontier(summary, group, words)))
        parts.append("\n".join(_recurring(summary, group)))
    return "\n\n".join([*(part for part in parts if part), textwrap.fill(COHORT_CAUTION, WIDTH)])


def _frontier(summary: CohortSummary, group: object, words: Words) -> Iterator[str]:
    if group is not None:
        yield f"{summary.by}: {named(group)}"
    head = f"changes   mean expected {words.outcome} (95% interval)"
    yield f"{head:<50}relative gain: median, middle 90%"
    gains = {each.k: each for each in summary.gains if each.group == group}
    for point in summary.frontier:
        if point.group != group:
            continue
        interval = f"{number(point.lower)} to {number(point.upper)}"
        line = f"{point.k:>7}   {number(point.mean):>8}  ({interval})"
        spread = gains.get(point.k)
        if spread is not None and spread.episodes:
            low, high = share(spread.quantile_05), share(spread.quantile_95)
            line = f"{line:<50}{share(spread.median):>6}, {low} to {high}"
        yield line


def _recurring(summary: CohortSummary, group: object) -> Iterator[str]:
    largest = max((each.k for each in summary.frontier), default=0)
    found = [
        each
        for each in summary.replacements
        if (each.group, each.k) == (group, largest) and each.expected >= 0.005
    ]
    if found:
        changes = "1 change" if largest == 1 else f"{largest} changes"
        yield f"What recurs with {changes}, and how often an episode has it on average:"
    for each in found[:SHOWN]:
        change = f"{named(each.observed)} → {named(each.alternative)}"
        episodes = f"{each.episodes:,} episode{'' if each.episodes == 1 else 's'}"
        yield f"  {each.expected:6.2f}  {change}  (possible in {episodes})"
