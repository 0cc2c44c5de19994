"""Layer 3: counterfactual worlds, one causal model a file."""

from untaken.mechanism.bounds import CausalClass, RowBounds
from untaken.mechanism.custom import Custom
from untaken.mechanism.gumbel_max import GumbelMax, GumbelMaxSampled
from untaken.mechanism.independent import Independent
from untaken.mechanism.inverse_cdf import InverseCDF
from untaken.mechanism.maximal_coupling import MaximalCoupling
from untaken.mechanism.mechanism import ClosedForm, Mechanism

__all__ = [
    "CausalClass",
    "ClosedForm",
    "Custom",
    "GumbelMax",
    "GumbelMaxSampled",
    "Independent",
    "InverseCDF",
    "MaximalCoupling",
    "Mechanism",
    "RowBounds",
]
