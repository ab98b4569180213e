"""Draws for the host, without a compiler where that is the same.

Whoever draws once, or of a new size each time, would wait longer for the compiler than for the
draws. What consists of whole numbers is computed by NumPy instead (`uncompiled`), to the same bits;
other functions, and keys of other generators than the library's own, are JAX's to draw.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.stages import Wrapped

from tacit.noise.uncompiled import computed, is_whole


def drawn(function: Wrapped, *like: Any) -> Callable[..., list[np.ndarray]]:
    """A jitted `function` of trees like these, from any to the host's arrays: computed here where
    that is the same, and as JAX does it where not. What was traced once is not traced again."""
    program = function.trace(*like).jaxpr
    if not is_whole(program):
        return lambda *given: [*map(np.asarray, jax.tree.leaves(function(*given)))]
    return lambda *given: computed(program, *map(_typed, jax.tree.leaves(given), program.in_avals))


def _typed(given: Any, like: Any) -> Any:
    """A number of Python's has the type that it was traced with."""
    return given if isinstance(given, jax.Array) else np.asarray(given, like.dtype)
