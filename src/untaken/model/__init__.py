"""Layer 2: the process that produced what was observed."""

from untaken.model.continuation import continuation
from untaken.model.mdp import MDP
from untaken.model.planning import Plan, plan
from untaken.model.rewards import Rewards
from untaken.model.rows import Rows
from untaken.model.simulate import simulate

__all__ = ["MDP", "Plan", "Rewards", "Rows", "continuation", "plan", "simulate"]
