"""One page about all experiments: nothing in it is fetched from anywhere, everything escaped."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from html import escape

from untaken._version import __version__
from untaken.paper.findings import Claim, Finding, Verdict
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings

TITLE = "The paper, computed exactly"
CLAIMS, CLAIMS_TITLE = "claims", "The claims in words"
SOURCE = (
    "Published values: Tsirtsis, De and Gomez-Rodriguez, “Counterfactual Explanations in "
    "Sequential Decision Making Under Uncertainty” (NeurIPS 2021), its text and figures. Those "
    "read off a figure are known to about a hundredth of its axis."
)
MARKS = {Verdict.AGREES: "✓", Verdict.DIFFERS: "✗", Verdict.NOT_JUDGED: "–"}
CLAIM_WORDS = {
    Verdict.AGREES: "holds here",
    Verdict.DIFFERS: "does not hold here",
    Verdict.NOT_JUDGED: "not judged",
}
SIMULATED_WORDS = {
    Verdict.AGREES: "holds for simulated patients",
    Verdict.DIFFERS: "not for simulated patients",
    Verdict.NOT_JUDGED: "not judged",
}
"""Simulated patients bear out or refute nothing that is said of real ones."""
INCH, LEAST_INCH = 8.2, 4.5
"""Rem on the page for an inch in print; fewer on a narrow screen, where wide figures scroll."""
_LOOKS = """
:root { color-scheme: light; --ink: #22252A; --grey: #5C626B; --line: #DADDE2; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: #fff; margin: 0 auto;
  max-width: 60rem; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { margin: 3rem 0 .4rem; font-size: 1.25rem; }
p { margin: .5rem 0; } nav ul { columns: 20rem; padding-left: 1.1rem; } a { color: #0072B2; }
figure { margin: 2rem 0 .6rem; } figure img { height: auto; display: block; }
figcaption { color: var(--grey); font-size: .88rem; max-width: 46rem; margin-top: .5rem; }
figcaption b { color: var(--ink); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .28rem .6rem .28rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.agrees { color: #00694B; } .differs { color: #A84300; } .not-judged { color: var(--grey); }
td:last-child { white-space: nowrap; } td:first-child { min-width: 13rem; }
#claims td:nth-child(2) { min-width: 18rem; } figure + .wide td:nth-child(5) { min-width: 13rem; }
.warn { border-left: 3px solid #D55E00; padding-left: .7rem; }
"""


@dataclass(frozen=True)
class Drawn:
    """A panel and its picture."""

    panel: Panel
    svg: bytes
    inches: float
    """How wide it is in print."""
    forms: tuple[str, ...]
    """The formats in which it is saved."""


@dataclass(frozen=True)
class Run:
    """An experiment that has been run."""

    section: Section
    drawn: tuple[Drawn, ...]
    seconds: float
    processor_seconds: float
    """What it took of the processors, which does not depend on who else uses the machine."""


def page(runs: tuple[Run, ...], settings: Settings) -> str:
    """The whole page as HTML."""
    claims = [claim for run in runs for claim in run.section.claims]
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        _paragraph(f"untaken {__version__}. {SOURCE}"),
        *([_quick()] if settings.quick else []),
        _contents(runs, claims),
        _tally(runs),
        _claims_tally(claims),
        *(_section(run) for run in runs),
        _claims(claims),
        _times(runs),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(TITLE)}</title><style>{_LOOKS}</style></head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body></html>\n"
    )


def _quick() -> str:
    return (
        '<p class="warn">A quick run: fewer processes, budgets and draws than the results need. '
        "It shows that everything works; read the numbers from a full run.</p>"
    )


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _contents(runs: tuple[Run, ...], claims: list[Claim]) -> str:
    parts = [(run.section.name, run.section.title) for run in runs]
    parts += [(CLAIMS, CLAIMS_TITLE)] if claims else []
    links = (f'<li><a href="#{escape(name)}">{escape(title)}</a></li>' for name, title in parts)
    return f"<nav><ul>{''.join(links)}</ul></nav>"


def _tally(runs: tuple[Run, ...]) -> str:
    """How many numbers agree."""
    count = Counter(finding.verdict for run in runs for finding in run.section.findings)
    judged = count[Verdict.AGREES] + count[Verdict.DIFFERS]
    if not judged:
        told = f"None of {count.total()} comparisons can be judged here; each says why."
        return _paragraph(told) if count else ""
    others = count[Verdict.NOT_JUDGED]
    unjudged = f"; {others} more are shown without a verdict, and say why" if others else ""
    return _paragraph(
        f"Of {judged} comparisons that can be judged, {count[Verdict.AGREES]} agree and "
        f"{count[Verdict.DIFFERS]} differ{unjudged}."
    )


def _claims_tally(claims: list[Claim]) -> str:
    """How many statements hold: of what is real, and of simulated patients."""
    if not claims:
        return ""
    told = []
    for simulated, where in ((False, "here"), (True, "for simulated patients")):
        verdicts = [claim.verdict for claim in claims if claim.simulated == simulated]
        if verdicts:
            told.append(f"{verdicts.count(Verdict.AGREES)} of {len(verdicts)} hold {where}")
    return _paragraph(
        f"What the paper says in words, and what we add: {', '.join(told)}; the last table has "
        "them all."
    )


def _section(run: Run) -> str:
    section = run.section
    parts = [
        f'<section id="{escape(section.name)}"><h2>{escape(section.title)}</h2>',
        *(_paragraph(text) for text in section.text),
        *(
            part
            for drawn in run.drawn
            for part in (_figure(drawn), _findings(drawn.panel.findings))
        ),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _figure(drawn: Drawn) -> str:
    panel = drawn.panel
    image = b64encode(drawn.svg).decode("ascii")
    files = ", ".join(f"{panel.name}.{form}" for form in ("csv", *drawn.forms))
    return (
        f'<figure><div class="wide"><img src="data:image/svg+xml;base64,{image}" '
        f'alt="{escape(panel.title)}" style="{_size(drawn.inches)}"></div>'
        f"<figcaption><b>{escape(panel.title)}.</b> {escape(panel.caption)} {_rules(panel)}"
        f"<i>{escape(files)}</i></figcaption></figure>"
    )


def _size(inches: float) -> str:
    """Letters of a size that can be read, however wide the figure is."""
    return f"width:{INCH * inches:.1f}rem;max-width:100%;min-width:{LEAST_INCH * inches:.1f}rem"


def _rules(panel: Panel) -> str:
    return f"<b>Rewards and ties:</b> {escape(panel.rules)} " if panel.rules else ""


def _findings(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return ""
    rows = "\n".join(
        f"<tr><td>{escape(finding.what)}</td>"
        f'<td class="n">{escape(finding.told[0])}</td>'
        f'<td class="n">{escape(finding.told[1])}</td>'
        f'<td class="n">{_allowance(finding)}</td>'
        f"<td>{escape(finding.judged)}</td>{_verdict(finding.verdict, finding.verdict.value)}</tr>"
        for finding in findings
    )
    return (
        '<div class="wide"><table><thead><tr><th>What</th><th class="n">published</th>'
        '<th class="n">here</th><th class="n">may differ by</th><th>compared on, and judged by</th>'
        f"<th></th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _allowance(finding: Finding) -> str:
    return "" if finding.allowance is None else escape(f"±{finding.allowance:.{finding.decimals}f}")


def _claims(claims: list[Claim]) -> str:
    if not claims:
        return ""
    rows = "\n".join(
        f"<tr><td>{escape(claim.said)}</td><td>{escape(_found(claim))}</td>"
        f'<td><a href="#{escape(claim.where)}">{escape(claim.where)}</a></td>'
        f"{_claim_verdict(claim)}</tr>"
        for claim in claims
    )
    return (
        f'<section id="{CLAIMS}"><h2>{CLAIMS_TITLE}</h2><div class="wide"><table><thead><tr>'
        "<th>The paper says</th><th>Found here</th><th>shown in</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _found(claim: Claim) -> str:
    if claim.simulated:
        return f"Simulated patients: {claim.found}"
    return claim.found[:1].upper() + claim.found[1:]


def _claim_verdict(claim: Claim) -> str:
    if claim.simulated:
        mark = MARKS[claim.verdict]
        return f'<td class="not-judged">{mark} {SIMULATED_WORDS[claim.verdict]}</td>'
    return _verdict(claim.verdict, CLAIM_WORDS[claim.verdict])


def _verdict(verdict: Verdict, words: str) -> str:
    name = verdict.value.replace(" ", "-")
    return f'<td class="{name}">{MARKS[verdict]} {escape(words)}</td>'


def _times(runs: tuple[Run, ...]) -> str:
    told = ", ".join(
        f"{run.section.name} {run.seconds:.1f} s ({run.processor_seconds:.1f} s)" for run in runs
    )
    total, used = sum(run.seconds for run in runs), sum(run.processor_seconds for run in runs)
    return _paragraph(f"Made in {total:.0f} s ({used:.0f} s of processor time): {told}.")
