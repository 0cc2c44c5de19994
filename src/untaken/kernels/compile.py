"""How every kernel is compiled.

`nogil`, so that threads share one process without copies; NumPy's error model, because a division
by zero here is a ratio at infinity and no mistake; contraction of multiply-add allowed, and no
other liberty with floating point: infinities must survive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
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


def _sources() -> str:
    """What stands in the files of this folder, in short."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


_SOURCES = _sources()


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Cached on disk where some folder can be written.

    Numba looks only at the file of the function itself to see whether machine code is out of date,
    but that code holds those of the functions that it calls, from other files. Files of the cache
    are named after the function, so that its name has to say what all sources are.

    Numba decides about the folder at once, and raises where there is none (a read-only install
    without a home): then the function is compiled anew in every process, silently.
    """
    name = function.__qualname__
    function.__qualname__ = f"{name}-{_SOURCES}"
    try:
        return numba.njit(**options, cache=True)(function)
    except (RuntimeError, OSError):
        return numba.njit(**options)(function)
    finally:
        function.__qualname__ = name
