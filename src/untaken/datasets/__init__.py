"""Ready-made cohorts and processes."""

from untaken.datasets.synthetic import Synthetic, synthetic

__all__ = ["Synthetic", "synthetic"]
