"""Ready-made cohorts and processes."""

from untaken.datasets.cbt import CbtTrial, Session, Theme, published_patient, read_cbt_trial
from untaken.datasets.cbt_simulated import cbt_trial
from untaken.datasets.grids import GridWorld, cliff_walking, frozen_lake
from untaken.datasets.icu import IcuSepsis, icu_sepsis
from untaken.datasets.sepsis import SepsisSimulator, sepsis_simulator
from untaken.datasets.synthetic import Synthetic, synthetic

__all__ = [
    "CbtTrial",
    "GridWorld",
    "IcuSepsis",
    "SepsisSimulator",
    "Session",
    "Synthetic",
    "Theme",
    "cbt_trial",
    "cliff_walking",
    "frozen_lake",
    "icu_sepsis",
    "published_patient",
    "read_cbt_trial",
    "sepsis_simulator",
    "synthetic",
]
