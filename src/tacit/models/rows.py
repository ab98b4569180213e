"""The gradients of a table's rows, for layers that read few of them.

An example that reads word v at positions t, t', ... with slopes g_t gives row v the gradient
`sum g_t` over them, and other rows none. The parts of one example, or of one person, in one row
are added up before anything else: its squared norm is `sum_v |sum g_t|^2`, and these sums are what
is weighted and added to the table. Adding the slopes to the table one after another would let two
huge ones that cancel wipe out what others had added before.
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tacit.models.per_example import real, settled, weight_of


@final
class Rows(eqx.Module):
    """Gradients that touch few rows of a table, each slope its owner's part of one row.

    No two slopes that are not zero have both their owner and their row in common.
    """

    rows: Int[Array, " slots"]
    owner: Int[Array, " slots"]
    slopes: Float[Array, "slots fan_out"]
    owners: int = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " {self.owners}"]:
        squares = jnp.sum(jnp.square(self.slopes), axis=1)
        return jax.ops.segment_sum(squares, self.owner, self.owners)

    def by_person(self, person: Int[Array, " batch"], people: int) -> "Rows":
        return _merged(self.rows, person[self.owner], self.slopes, people, self.size)

    def weighted_sum(self, weights: Float[Array, " {self.owners}"]) -> Float[Array, "..."]:
        weights = weight_of(weights, self.owner)
        slopes = weights[:, None] * settled(self.slopes, weights)
        table = jnp.zeros((self.size, slopes.shape[1]), slopes.dtype)
        return table.at[self.rows].add(slopes, mode="drop")


def rows_of(
    rows: Int[Array, "batch positions"], slopes: Float[Array, "batch positions fan_out"], size: int
) -> Rows:
    """The gradient of a table in which row `row_t` got `slope_t`. Rows beyond `size` get none."""
    batch, positions = rows.shape
    owner = jnp.repeat(jnp.arange(batch), positions)
    return _merged(rows.reshape(-1), owner, real(slopes).reshape(rows.size, -1), batch, size)


def _merged(rows: Array, owner: Array, slopes: Array, owners: int, size: int) -> Rows:
    """Slopes of one owner and row are added up at the first of them, found by sorting."""
    order = jnp.lexsort((rows, owner))
    rows, owner = rows[order], owner[order]
    is_new = (rows != jnp.roll(rows, 1)) | (owner != jnp.roll(owner, 1))
    first = lax.cummax(jnp.where(is_new, jnp.arange(rows.size), 0))
    sums = jax.ops.segment_sum(slopes[order], first, rows.size)
    return Rows(rows, owner, sums, owners, size)
