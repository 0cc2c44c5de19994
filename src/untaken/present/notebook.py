"""An account in a notebook: plain HTML, no script."""

from __future__ import annotations

from html import escape

from untaken.analysis.account import Account, ToldExplanation
from untaken.present.words import CAUTION, Words, named, number, share, signed, told_changes

SHOWN = 10
CELL = "text-align:right;padding:2px 12px 2px 0"
TEXT = "text-align:left;padding:2px 0"


def to_html(account: Account, words: Words | None = None) -> str:
    """A short account: the outcome, the explanations, the notes."""
    words = words or Words()
    who = "One episode" if account.id is None else named(account.id)
    shown = account.explanations[:SHOWN]
    rows = "".join(_row(item, words) for item in shown)
    heads = "".join(
        f'<th style="{CELL}">{escape(head)}</th>'
        for head in ("probability", f"mean {words.outcome}, where chosen", "if forced", "better")
    )
    left = len(account.explanations) - len(shown)
    changes = "1 change" if account.k == 1 else f"{account.k} changes"
    more = f"<p>{left} less probable ones are not shown.</p>" if left else ""
    sure = [] if account.certainty is None else [account.certainty.sentence]
    notes = "".join(f"<p>{escape(note)}</p>" for note in (*sure, *account.notes, CAUTION))
    return (
        f"<div><p><b>{escape(who)}</b>: observed {escape(words.outcome)} "
        f"{number(account.observed.outcome)}; with at most {changes} "
        f"<b>{number(account.outcome)}</b> expected "
        f"({signed(account.outcome - account.observed.outcome)}), better with probability "
        f"{share(account.better)}, worse with {share(account.worse)}.</p>"
        f'<table><thead><tr>{heads}<th style="{TEXT}">changes</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}{notes}</div>"
    )


def _row(item: ToldExplanation, words: Words) -> str:
    numbers = (
        share(item.probability),
        number(item.mean_outcome),
        number(item.forced_outcome),
        share(item.better),
    )
    cells = "".join(f'<td style="{CELL}">{cell}</td>' for cell in numbers)
    text = escape(told_changes(item.changes, words) or "no change")
    return f'<tr>{cells}<td style="{TEXT}">{text}</td></tr>'
