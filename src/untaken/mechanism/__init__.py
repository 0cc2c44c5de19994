"""Layer 3: counterfactual worlds, one causal model a file."""

from untaken.mechanism.gumbel_max import GumbelMax, GumbelMaxSampled
from untaken.mechanism.mechanism import Mechanism

__all__ = ["GumbelMax", "GumbelMaxSampled", "Mechanism"]
