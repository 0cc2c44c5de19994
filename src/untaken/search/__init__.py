"""Layer 4: the best policy under a budget of changes."""

from untaken.search.baselines import Baseline, Greedy, Lookahead, NoisyGreedy, Random
from untaken.search.policy import Policy
from untaken.search.problem import Problem, Rules, pose
from untaken.search.solve import Solution, solve

__all__ = [
    "Baseline",
    "Greedy",
    "Lookahead",
    "NoisyGreedy",
    "Policy",
    "Problem",
    "Random",
    "Rules",
    "Solution",
    "pose",
    "solve",
]
