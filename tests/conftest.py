"""How the tests run: quiet, repeatable, and with kernels compiled from the sources as they are."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "untaken",
    deadline=None,  # a kernel may be compiling
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("untaken")
