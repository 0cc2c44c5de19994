"""How every kernel is compiled.

`nogil`, so that threads share one process without copies; NumPy's error model, because a division
by zero here is a ratio at infinity and no mistake; contraction of multiply-add allowed, and no
other liberty with floating point: infinities must survive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use."""
    return _compiled(function, _OPTIONS)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for the small functions that run once a row: a call costs as much as they do.

    They are straight chains of loops with one way out. Where the last use of an array depends on a
    branch, or a call may raise, Numba counts references to it at run time: two atomic operations
    an array, which together cost as much as the row itself.
    """
    return _compiled(function, {**_OPTIONS, "forceinline": True})


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Cached on disk where some folder can be written.

    Numba decides about the folder at once, and raises where there is none (a read-only install
    without a home): then the function is compiled anew in every process, silently.
    """
    try:
        return numba.njit(**options, cache=True)(function)
    except (RuntimeError, OSError):
        return numba.njit(**options)(function)
