"""A person of a learner of statistical queries: a row of so many numbers, and a label."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Num


def row_and_label(person: Any, width: int) -> tuple[Num[Array, " width"], Num[Array, ""]]:
    """The same, once it is one. Nobody is asked, or charged, where it is not.

    Args:
      person: one of all people's arrays.
      width: of a row.

    Raises:
      ValueError: if it is none.
    """
    shapes = [jnp.shape(each) for each in jax.tree.leaves(person)]
    if not (isinstance(person, tuple) and len(person) == 2 and shapes == [(width,), ()]):
        found = " and ".join(map(str, shapes))
        raise ValueError(
            f"people must be a pair, rows of {width:,} numbers and a label each, got for a person "
            f"arrays of shape {found or 'none'}"
        )
    return person
