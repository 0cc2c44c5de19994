"""An account in plain text, to be read by a person who knows the patient and not the method."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import pairwise

from untaken.analysis.account import Account, ToldCourse, ToldExplanation
from untaken.analysis.law import Bracket
from untaken.present.words import (
    CAUTION,
    CLASSES,
    Words,
    named,
    number,
    numbers,
    share,
    signed,
    told_changes,
)

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
        "\n".join(_certainty(account, words)),
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
        ("probability of the same", share(_same(account))),
        ("probability of doing worse", share(account.worse)),
        ("best that can happen", _possible(account.best)),
        ("worst that can happen", _possible(account.worst)),
    ]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        yield f"{name:<{width}}  {value}"


def _same(account: Account) -> Bracket:
    """How probable it is that the outcome would have been the observed one."""
    better, worse = account.better, account.worse
    return Bracket(_left(better.upper + worse.upper), _left(better.lower + worse.lower))


def _left(probability: float) -> float:
    """What is left of 1; nothing, where only rounding is."""
    left = 1 - probability
    return left if left > 1e-9 else 0.0


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
    yield from _heading(listed, words)
    means = numbers(item.mean_outcome for item in listed)
    forced = numbers(item.forced_outcome for item in listed)
    width = max(8, *map(len, means), *map(len, forced))
    yield f"{'':>6}  {'mean':>{width}} {'forced':>{width}} {'better':>7}   changes"
    for item, mean, played in zip(listed, means, forced, strict=True):
        start = f"{share(item.probability):>6}  {mean:>{width}} {played:>{width}} "
        yield from _explanation(item, f"{start}{share(item.better):>7}   ", words)


def _heading(listed: list[ToldExplanation], words: Words) -> Iterator[str]:
    """What the columns hold. A way that luck leads to has a good mean that is not its doing."""
    mass = share(sum(item.probability for item in listed))
    several = len(listed) > 1
    if several:
        yield _wrapped(
            "What to change depends on how things turn out: the best policy sees each state before "
            f"it acts. Its most probable ways ({mass} of all cases):"
        )
    else:
        yield f"What the best policy changes, in {mass} of all cases:"
    luck = ", luck on the way included" if several else ""
    compare = ": compare ways by this" if several else ""
    yield _item(f"mean: the mean {words.outcome} in the cases that go this way{luck}")
    yield _item(
        f"forced: the mean {words.outcome} if exactly these changes were made in all cases{compare}"
    )
    yield _item("better: in how many of the cases that go this way what was observed is beaten")


def _explanation(item: ToldExplanation, start: str, words: Words) -> Iterator[str]:
    """Its numbers, and its changes beside them."""
    text = told_changes(item.changes, words) or "no change"
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
            f"{words.at(step)} (observed: state {state}, {done}): "
            f"changed in {share(account.changed[step])} of cases, to {instead}"
        )
        yield _item(text)


def _certainty(account: Account, words: Words) -> Iterator[str]:
    """The sentence to quote, and the numbers behind it."""
    certainty = account.certainty
    if certainty is None:
        return
    yield _wrapped("How sure: " + certainty.sentence)
    policy = certainty.findings[0]
    pairs = zip(certainty.mechanisms, policy.gains, strict=True)
    gains = ", ".join(f"{name} {signed(gain)}" for name, gain in pairs)
    yield _item(f"expected gain by causal model, first the one used here: {gains}")
    pairs = zip(certainty.classes, policy.certified, strict=True)
    told = {CLASSES[name]: gain for name, gain in pairs if name in CLASSES}
    sure = ", ".join(f"{name} {signed(gain)}" for name, gain in told.items())
    loss = (
        " (below 0: under some such model it is a loss)"
        if min(told.values(), default=0.0) < -1e-9
        else ""
    )
    yield _item(f"the least its expected gain can be if the estimate is right, under {sure}{loss}")
    if policy.posterior is not None:
        beats, low, high = policy.posterior
        yield _item(
            f"over draws of the process that fit the data, under {certainty.mechanisms[0]}: "
            f"better in {share(beats)} of draws; in the middle 90% of them the expected "
            f"{words.outcome} is {number(low)} to {number(high)}"
        )
    yield _item(
        f"tied to what was observed: {share(policy.influence)} of the most there can be; at 0% the "
        "answer would be about episodes in general"
    )


def _item(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="      ")


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH)
