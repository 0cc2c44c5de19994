"""Ready-made cohorts and processes.

>>> import untaken as ut
>>> ut.datasets.synthetic(states=4, actions=2, horizon=3, episodes=2, seed=0).episodes
Episodes(2 episodes, 6 decisions, 4 states, 2 actions)
>>> ut.datasets.cbt_trial().episodes
Episodes(73 episodes, 1,266 decisions, 5 states, 11 actions)
"""

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
