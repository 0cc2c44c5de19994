"""Layer 4: the best policy under a budget of changes."""

from untaken.search.baselines import Baseline, Greedy, Lookahead, NoisyGreedy, Random
from untaken.search.bounds import Bounds, OptimumBounds, bound_optimum, bound_policy
from untaken.search.influence import InfluenceAtLeast, InfluenceBonus
from untaken.search.policy import Policy
from untaken.search.problem import Problem, Rules, pose
from untaken.search.solve import Solution, solve

__all__ = [
    "Baseline",
    "Bounds",
    "Greedy",
    "InfluenceAtLeast",
    "InfluenceBonus",
    "Lookahead",
    "NoisyGreedy",
    "OptimumBounds",
    "Policy",
    "Problem",
    "Random",
    "Rules",
    "Solution",
    "bound_optimum",
    "bound_policy",
    "pose",
    "solve",
]
