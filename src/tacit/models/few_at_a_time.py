"""A batch in parts, for a loop over a few of its members at a time."""

import jax.numpy as jnp
from jaxtyping import Array, Shaped


def in_parts(leaf: Shaped[Array, "batch ..."], few: int) -> Shaped[Array, "parts few ..."]:
    """So many members in each part, and zeros behind those of the last."""
    parts = -(-len(leaf) // few)
    behind = [(0, parts * few - len(leaf))] + [(0, 0)] * (leaf.ndim - 1)
    return jnp.pad(leaf, behind).reshape(parts, few, *leaf.shape[1:])
