"""Layer 2: the process that produced what was observed."""

from untaken.model.continuation import continuation
from untaken.model.fitting import fit
from untaken.model.goodness import Calibration, CalibrationBin, FitSummary, HeldOut
from untaken.model.markov import MarkovCheck, check_markov
from untaken.model.mdp import MDP
from untaken.model.planning import Plan, plan
from untaken.model.policies import read_policy
from untaken.model.positional import PositionalActions, positional_actions
from untaken.model.posterior import Fit, Unseen
from untaken.model.priors import Prior, neighbour_prior, uniform_prior
from untaken.model.reward_tables import LoggedReward
from untaken.model.rewards import Rewards
from untaken.model.rows import Rows
from untaken.model.simulate import simulate

__all__ = [
    "Calibration",
    "CalibrationBin",
    "Fit",
    "FitSummary",
    "HeldOut",
    "LoggedReward",
    "MDP",
    "MarkovCheck",
    "Plan",
    "PositionalActions",
    "Prior",
    "Rewards",
    "Rows",
    "Unseen",
    "check_markov",
    "continuation",
    "fit",
    "neighbour_prior",
    "plan",
    "positional_actions",
    "read_policy",
    "simulate",
    "uniform_prior",
]
