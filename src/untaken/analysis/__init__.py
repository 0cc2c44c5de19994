"""Layer 5: what the policy means."""

from untaken.analysis.counterfactual import Counterfactual
from untaken.analysis.courses import Courses, Realizations
from untaken.analysis.explain import explain

__all__ = ["Counterfactual", "Courses", "Realizations", "explain"]
