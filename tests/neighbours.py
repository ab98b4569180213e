"""What one person can do to an exact sum: every neighbouring pair of a small set of members.

Sums on a grid are integers, and a person adds the same integers whoever else is there. So the sums
of neighbouring data sets differ by what one person adds, or by what one adds and another does not.
"""

from collections.abc import Iterable
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from hasty import OPTIONS
from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.noise.fixed import LIMB, FixedPoint

# Its own annotations know of no options.
_hasty = cast(Any, eqx.filter_jit)(compiler_options=OPTIONS)


def exact(total: FixedPoint) -> np.ndarray:
    """The sum in whole steps."""
    return np.asarray(total.high, np.int64) * LIMB + np.asarray(total.low, np.int64)


def summed(shape: Contribution, members, step: float, present=None) -> np.ndarray:
    """The exact sum of members, in steps."""
    members = jnp.asarray(members)
    here = jnp.ones(len(members), bool) if present is None else jnp.asarray(present, bool)
    return exact(_added(shape, shape.empty(jnp.float32(step)), members, here))


def pieced(shape: Contribution, pieces: Iterable[Array], step: float) -> np.ndarray:
    """The exact sum of all members of these pieces, one after the other."""
    total = shape.empty(jnp.float32(step))
    for piece in pieces:
        total = _added(shape, total, piece, jnp.ones(len(piece), bool))
    return exact(total)


def alone(shape: Contribution, members, step: float) -> np.ndarray:
    """What each member adds, in steps: one flat row each."""
    each = _each(shape, shape.empty(jnp.float32(step)), jnp.asarray(members))
    return exact(each).reshape(len(members), -1)


def moves(added: np.ndarray, relation: Relation) -> np.ndarray:
    """How neighbouring sums differ, every pair of them, where people add these rows."""
    if relation is not Relation.REPLACE_ONE:
        return added
    return (added[:, None] - added[None]).reshape(-1, added.shape[1])


def furthest(moved: np.ndarray) -> tuple[int, int, int]:
    """The largest squared L2 norm, L1 norm, and difference between two coordinates."""
    squares = (moved * moved).sum(axis=1).max()
    spread = (moved.max(axis=1) - moved.min(axis=1)).max()
    return int(squares), int(np.abs(moved).sum(axis=1).max()), int(spread)


@_hasty
def _added(
    shape: Contribution, total: FixedPoint, members: Array, here: Bool[Array, " n"]
) -> FixedPoint:
    return shape.add(total, members, here)


@_hasty
def _each(shape: Contribution, total: FixedPoint, members: Array) -> FixedPoint:
    return jax.vmap(lambda own: shape.add(total, own[None], jnp.ones(1, bool)))(members)
