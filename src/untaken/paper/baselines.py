"""Appendix D of the paper: the optimum against policies that do not look ahead."""

from __future__ import annotations

import numpy as np

from untaken.paper import therapy_figures as figures
from untaken.paper.findings import Claim, Finding, of_patients
from untaken.paper.published_values import BASELINE_ERROR, BASELINES
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings
from untaken.paper.therapy import MOST_CHANGES, THEIR_GREEDY, Compared, compare, load
from untaken.paper.therapy_section import MADE_UP, READ, SAME

NAME = "baselines"
SMALL = 3
"""The largest budget that counts as small."""
BOTH_GREEDY = (
    "Pairs never seen are treated as seen, as in the paper. Every line is exact. The paper's "
    "greedy rule values the next state under an action a' that it does not define: here a' is the "
    "next observed action. The published code leaves this step's reward out and takes the first "
    "theme for a'."
)
WHY = "the published means are those of 1,000 draws from rows that are estimated themselves"
RULES = (
    "5 minus the severity, unseen pairs of severity and theme like seen ones (the paper's own "
    "choice here), and no sixth state, which the published code has; ties to the observed action, "
    "also in the greedy policies. For the optimum the published tie rule gives the same values."
)


def section(settings: Settings) -> Section:
    """Run the experiment and say what came of it."""
    trial = load(settings)
    compared = compare(trial)
    made_up = trial.simulated
    panel = Panel(
        "baselines",
        "Optimum and baselines (figure 6)",
        f"{'SIMULATED patients. ' if made_up else ''}Mean outcome against k, with 95 % intervals "
        "over patients.",
        figures.baselines_against_budget,
        figures.baseline_table(compared, made_up),
        RULES,
        _findings(compared, made_up),
    )
    return Section(
        name=NAME,
        title=f"Baselines (appendix D){', SIMULATED patients' if made_up else ''}",
        text=(f"{BOTH_GREEDY} {_greedy_rules(compared)}",),
        panels=(panel,),
        claims=of_patients(_claims(compared), made_up),
    )


def _findings(compared: tuple[Compared, ...], made_up: bool) -> tuple[Finding, ...]:
    ours = {policy.policy: policy.mean(MOST_CHANGES).value for policy in compared}
    allowed, how = (None, MADE_UP) if made_up else (BASELINE_ERROR, READ)
    compared_with = [(theirs.policy, theirs.value) for theirs in BASELINES]
    compared_with.insert(2, (THEIR_GREEDY, dict(compared_with)["greedy"]))
    return tuple(
        Finding(f"mean outcome, k = 10, {policy}", value, ours[policy], allowed, how, reason=WHY)
        for policy, value in compared_with
    )


def _greedy_rules(compared: tuple[Compared, ...]) -> str:
    """Which of the two greedy rules the published line follows, as far as that can be told."""
    ours, code = (
        next(policy for policy in compared if policy.policy == name)
        for name in ("greedy", THEIR_GREEDY)
    )
    if np.allclose(ours.frontiers, code.frontiers, rtol=0, atol=SAME):
        return (
            "Here rewards depend on the severity alone, so that both rules choose alike, and the "
            "published line follows both."
        )
    theirs = next(baseline.value for baseline in BASELINES if baseline.policy == "greedy")
    off = (
        (policy.policy, abs(policy.mean(MOST_CHANGES).value - theirs)) for policy in (ours, code)
    )
    told = "; ".join(f"{name}, {far:.2f}" for name, far in sorted(off, key=lambda one: one[1]))
    return f"Distance from the published line at k = 10, the closest first: {told}."


def _claims(compared: tuple[Compared, ...]) -> tuple[Claim, ...]:
    means = {policy.policy: policy.frontiers.mean(axis=0) for policy in compared}
    others = [values for name, values in means.items() if name != "optimal"]
    lead = means["optimal"] - np.max(others, axis=0)
    greatest, random = int(lead.argmax()), means["random"]
    return (
        Claim(
            "The optimal policy outperforms all baselines for every k.",
            f"its least lead over the best of them, for k from 1, is {lead[1:].min():.2f}.",
            bool((lead[1:] > 0).all()),
            NAME,
        ),
        Claim(
            "Its lead is greatest for small k.",
            f"the lead is {lead[greatest]:.2f} at k = {greatest} and {lead[-1]:.2f} at k = 10. "
            f"Up to k = {SMALL} counts as small.",
            greatest <= SMALL,
            NAME,
        ),
        Claim(
            "The random policy falls as k grows.",
            f"from {random[0]:.1f} at k = 0 to {random[-1]:.1f} at k = 10"
            f"{_not_everywhere(random)}.",
            bool(random[-1] < random[0]),
            NAME,
        ),
    )


def _not_everywhere(values: np.ndarray) -> str:
    """Where a fall is interrupted, if it is."""
    up = np.flatnonzero(np.diff(values) > 0) + 1
    return f"; it rises a little at k = {', '.join(map(str, up))}" if up.size else ""
