"""The paper's experiments: every figure from one function, every number beside the published."""

from untaken.paper.findings import Claim, Finding, Verdict
from untaken.paper.reproduce import EXPERIMENTS, Reproduced, reproduce
from untaken.paper.sections import Panel, Section, Table
from untaken.paper.settings import Settings

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "Finding",
    "Panel",
    "Reproduced",
    "Section",
    "Settings",
    "Table",
    "Verdict",
    "reproduce",
]
