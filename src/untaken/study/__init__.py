"""Layer 6: a whole cohort."""

from untaken.study.depth import Depth
from untaken.study.run import explain_all
from untaken.study.stream import EpisodeStream
from untaken.study.study import Study, open_study
from untaken.study.summary import (
    CohortSummary,
    CountAt,
    GainsAt,
    MeanAt,
    RelativeGains,
    Replaced,
    StepChanged,
)
from untaken.study.tables import TABLES

__all__ = [
    "TABLES",
    "CohortSummary",
    "CountAt",
    "Depth",
    "EpisodeStream",
    "GainsAt",
    "MeanAt",
    "RelativeGains",
    "Replaced",
    "StepChanged",
    "Study",
    "explain_all",
    "open_study",
]
