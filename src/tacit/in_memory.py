"""Numbers that are read twice, computed once: what is measured is what is added.

A compiler is free to compute a number anew for each of its readers, merged with what that reader
does, and then the two differ in their last digits. Where a number is what is left of much larger
ones, as behind a normalising layer that is given a constant, these are all of its digits: a vector
whose length came out as zero was added up 3,000 times as long as its bound (`bench/in_memory.py`).
XLA does so on CPUs across an `optimization_barrier`, which it has dropped by the time it merges
operations.

It does not look into the branches of a condition: what they read is in memory before. So each
reader is a branch here, of a condition that always holds and of which XLA knows nothing. The other
branch is never taken.

Outside of compiled programs every operation writes its result to memory anyway.
"""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import Tracer
from jaxtyping import Array, Bool, PyTree

Made = TypeVar("Made", bound=PyTree[Array])


def from_memory(read: Callable[..., Made], *values: PyTree) -> Made:
    """What `read` makes of these values, as they lie in memory.

    Two calls with one value read the same numbers, bit for bit: tried on CPUs.

    Args:
      read: brings arrays.
      values: all that it reads of a person; what it finds elsewhere may be another copy.
    """
    if not any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(values)):
        return read(*values)
    like = jax.eval_shape(lambda: read(*values))
    nothing = jax.tree.map(lambda made: jnp.zeros(made.shape, made.dtype), like)
    return lax.cond(_always(), lambda: read(*values), lambda: nothing)


def _always() -> Bool[Array, ""]:
    """True, by a draw that no compiler looks into; no number depends on it, nor on any batch."""
    return lax.rng_uniform(0.0, 1.0, shape=()) < 2.0
