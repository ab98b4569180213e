"""Draws for the host, without a compiler where that is the same.

Whoever draws once, or of a new size each time, would wait longer for the compiler than for the
draws. What consists of whole numbers is computed by NumPy instead (`uncompiled`), to the same bits;
other functions, and keys of other generators than the library's own, are JAX's to draw.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tacit.noise.uncompiled import computed, is_whole


def drawn(function: Callable, *like: Any) -> Callable[..., list[np.ndarray]]:
    """`function` of arrays like these, from the host's arrays to the host's: computed here where
    that is the same, and as JAX does it where not."""
    program = jax.make_jaxpr(function)(*like)
    if is_whole(program):
        return functools.partial(computed, program)
    return lambda *given: [*map(np.asarray, jax.tree.leaves(function(*given)))]
