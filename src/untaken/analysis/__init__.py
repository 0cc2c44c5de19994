"""Layer 5: what the policy means."""

from untaken.analysis.account import Account
from untaken.analysis.change import Change
from untaken.analysis.counterfactual import Counterfactual
from untaken.analysis.courses import Courses, Realization, Realizations
from untaken.analysis.credible import Credible, Spread
from untaken.analysis.explain import explain
from untaken.analysis.explanations import Explanation, Explanations
from untaken.analysis.influence import Influence
from untaken.analysis.law import Bracket, OutcomeLaw
from untaken.analysis.robustness import Finding, Robustness, Verdict
from untaken.analysis.timeline import Timeline
from untaken.analysis.what_if import WhatIf

__all__ = [
    "Account",
    "Bracket",
    "Change",
    "Counterfactual",
    "Courses",
    "Credible",
    "Explanation",
    "Explanations",
    "Finding",
    "Influence",
    "OutcomeLaw",
    "Realization",
    "Realizations",
    "Robustness",
    "Spread",
    "Timeline",
    "Verdict",
    "WhatIf",
    "explain",
]
