"""What one person can do to an exact sum: every neighbouring pair of a small set of members.

Sums on a grid are integers, and a person adds the same integers whoever else is there. So the sums
of neighbouring data sets differ by what one person adds, or by what one adds and another does not.
"""

import jax
import jax.numpy as jnp
import numpy as np

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.noise.fixed import LIMB, FixedPoint


def exact(total: FixedPoint) -> np.ndarray:
    """The sum in whole steps."""
    return np.asarray(total.high, np.int64) * LIMB + np.asarray(total.low, np.int64)


def summed(shape: Contribution, members, step: float, present=None) -> np.ndarray:
    """The exact sum of members, in steps."""
    members = jnp.asarray(members)
    here = jnp.ones(len(members), bool) if present is None else jnp.asarray(present, bool)
    return exact(shape.add(shape.empty(jnp.float32(step)), members, here))


def alone(shape: Contribution, members, step: float) -> np.ndarray:
    """What each member adds, in steps: one flat row each."""

    def add(member):
        total = shape.empty(jnp.float32(step))
        return shape.add(total, member[None], jnp.ones(1, bool))

    return exact(jax.vmap(add)(jnp.asarray(members))).reshape(len(members), -1)


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
