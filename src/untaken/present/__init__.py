"""Layer 7: for people."""
