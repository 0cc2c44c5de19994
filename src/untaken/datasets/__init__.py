"""Ready-made cohorts and processes."""

from untaken.datasets.cbt import CbtTrial, Session, Theme, published_patient, read_cbt_trial
from untaken.datasets.cbt_simulated import cbt_trial
from untaken.datasets.synthetic import Synthetic, synthetic

__all__ = [
    "CbtTrial",
    "Session",
    "Synthetic",
    "Theme",
    "cbt_trial",
    "published_patient",
    "read_cbt_trial",
    "synthetic",
]
