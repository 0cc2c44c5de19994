"""An account in plain text, to be read by a person who knows the patient and not the method."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import pairwise

from untaken.analysis.account import Account, ToldCourse, ToldExplanation
from untaken.present.words import CAUTION, CLASSES, Words, named, number, numbers, share, signed

WIDTH = 88
SHOWN = 8
"""How many explanations a summary lists."""


def summary(account: Account, words: Words | None = None) -> str:
    """What was observed, the few changes that matter, how much better, and how sure."""
    words = words or Words()
    paragraphs = [
        _title(account, words),
        "\n".join(_outcomes(account, words)),
        "\n".join(_frontier(account)),
        "\n".join(_explanations(account, words)),
        "\n".join(_steps(account, words)),
        "\n".join(_certainty(account)),
        *(_wrapped(note) for note in account.notes),
        _wrapped(CAUTION),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _title(account: Account, words: Words) -> str:
    who = "One episode" if account.id is None else named(account.id)
    changes = "1 change" if account.k == 1 else f"{account.k} changes"
    title = f"{who}: {words.count(len(account.observed.actions))}, at most {changes}"
    return f"{title}\n{'-' * len(title)}"


def _outcomes(account: Account, words: Words) -> Iterator[str]:
    relative = account.relative_gain
    less = account.minimise
    percent = "" if relative is None else f", {relative:.1%} {'less' if less else 'more'}"
    direction = "  (less is better)" if less else ""
    best = f"{number(account.outcome)}  ({_gain(account)}{percent})"
    lines = [
        (f"observed {words.outcome}", f"{number(account.observed.outcome)}{direction}"),
        (f"best expected {words.outcome}", best),
        ("probability of doing better", share(account.better)),
        ("probability of doing worse", share(account.worse)),
        ("best that can happen", _possible(account.best)),
        ("worst that can happen", _possible(account.worst)),
    ]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        yield f"{name:<{width}}  {value}"


def _gain(account: Account) -> str:
    return signed(account.outcome - account.observed.outcome)


def _possible(course: ToldCourse) -> str:
    return f"{number(course.outcome)}  (probability {share(course.probability)})"


def _frontier(account: Account) -> Iterator[str]:
    if account.k == 0:
        return
    gains = [signed(after - before) for before, after in pairwise(account.frontier)]
    yield _wrapped("What each further change adds: " + ", ".join(gains) + ".")


def _explanations(account: Account, words: Words) -> Iterator[str]:
    listed = [item for item in account.explanations if item.probability >= 0.01][:SHOWN]
    listed = listed or list(account.explanations[:3])
    if len(listed) == 1 and not listed[0].changes:
        yield "No change that the question allows is expected to do better."
        return
    mass = share(sum(item.probability for item in listed))
    yield _wrapped(
        f"What to change depends on how things turn out. The most probable ways ({mass} of all "
        f"cases), each with its mean {words.outcome} where it is chosen, and if it were forced "
        "whatever happens:"
    )
    means = numbers(item.mean_outcome for item in listed)
    forced = numbers(item.forced_outcome for item in listed)
    width = max(8, *map(len, means), *map(len, forced))
    yield f"{'':>6}  {'mean':>{width}} {'forced':>{width}} {'better':>7}   changes"
    for item, mean, played in zip(listed, means, forced, strict=True):
        start = f"{share(item.probability):>6}  {mean:>{width}} {played:>{width}} "
        yield from _explanation(item, f"{start}{share(item.better):>7}   ", words)


def _explanation(item: ToldExplanation, start: str, words: Words) -> Iterator[str]:
    """Its numbers, and its changes beside them."""
    changes = [
        f"{words.at(change.step)}: {named(change.observed)} → {named(change.alternative)}"
        for change in item.changes
    ]
    text = "; ".join(changes) or "no change"
    lines = textwrap.wrap(text, max(WIDTH - len(start), 30))
    yield start + lines[0]
    yield from (" " * len(start) + line for line in lines[1:])


def _steps(account: Account, words: Words) -> Iterator[str]:
    """The steps at which a change is likely, the likeliest first."""
    order = sorted(range(len(account.changed)), key=lambda step: -account.changed[step])
    likely = [step for step in order if account.changed[step] >= 0.1][:4]
    if likely:
        yield "Where the changes fall:"
    for step in likely:
        instead = ", ".join(
            f"{named(label)} {share(chance)}" for label, chance in account.replacements[step][:3]
        )
        done = named(account.observed.actions[step])
        state = named(account.observed.states[step])
        text = (
            f"{words.at(step)} (state {state}, {done} was done): "
            f"changed in {share(account.changed[step])} of cases, to {instead}"
        )
        yield _item(text)


def _certainty(account: Account) -> Iterator[str]:
    """The sentence to quote, and the numbers behind it."""
    certainty = account.certainty
    if certainty is None:
        return
    yield _wrapped("How sure: " + certainty.sentence)
    policy = certainty.findings[0]
    pairs = zip(certainty.mechanisms, policy.gains, strict=True)
    gains = ", ".join(f"{name} {signed(gain)}" for name, gain in pairs)
    yield _item(f"expected gain by causal model: {gains}")
    pairs = zip(certainty.classes, policy.certified, strict=True)
    sure = ", ".join(f"{CLASSES[name]} {signed(gain)}" for name, gain in pairs if name in CLASSES)
    yield _item(f"gain of this policy at the least: {sure}")
    if policy.posterior is not None:
        beats, low, high = policy.posterior
        yield _item(
            f"over what the data leave open about the process, under {certainty.mechanisms[0]}: "
            f"better in {share(beats)} of draws, 90% of them from {number(low)} to {number(high)}"
        )
    yield _item(f"the course leans on what was observed by {share(policy.influence)}")


def _item(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="      ")


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH)
