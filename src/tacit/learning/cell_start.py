"""Where a mixture's components are, from one round of counts: for few columns.

A person gives a one in the place of their cell of the box, and zero in all others: a vector of norm
one, in L2 and in L1. The noisy counts are clustered (`merging`), which nobody is asked for.

| a cell | what happens |
| --- | --- |
| whose noisy count is less than one in so many cells of noise alone has | it is held to be empty |
| of the largest k counts | it is not |
| of a row with a NaN in it | there is none: the row counts nowhere |
| of a number beyond the box | the one at that side |

Each component starts round, with the deviation that people have about all the centres together,
the width of cells included: what is too wide gets narrower in a round.

References:
    Su, Cao, Li, Bertino and Jin 2016, "Differentially private k-means clustering" (EUGkM).
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
from scipy import stats

from tacit.learning.components import Components
from tacit.learning.merging import apart, draws_of, merged
from tacit.statistics.box_cells import BoxCells, cell_of

# Above zero, so that no weight is divided by, or has a logarithm of, nothing.
LIGHTEST = 1e-9


@final
class CellStart(eqx.Module):
    """Asks in which cell of the box a person is, once.

    Args:
      sides: half of each side of the box.
      middles: of cells.
      least: the share that is more than noise.
      draws: by which clustering starts.
      grid: cells along each side.
    """

    sides: Float[Array, " dim"]
    middles: Float[Array, "cells dim"]
    least: Float[Array, ""]
    draws: Float[Array, "starts clusters"]
    grid: tuple[int, ...] = eqx.field(static=True)

    @classmethod
    def of(cls, cells: BoxCells, clusters: int, noise: float) -> "CellStart":
        """With noise of this deviation on a cell's share of people."""
        least = noise * stats.norm.isf(1 / max(cells.cells, 2))
        numbers = cells.sides, cells.middles, least, draws_of(clusters)
        return cls(*(jnp.asarray(each, jnp.float32) for each in numbers), grid=cells.grid)

    @property
    def rounds(self) -> int:
        return 1

    @property
    def numbers(self) -> int:
        return len(self.middles)

    def init(self) -> Components:
        clusters, dim = self.draws.shape[1], len(self.sides)
        nowhere = jnp.zeros((clusters, dim))
        even = jnp.full(clusters, 1 / clusters)
        return Components.round(even, nowhere, jnp.ones(()))

    def ask(self, state: Components, person: Float[Array, " dim"]) -> Float[Array, " numbers"]:
        """A one in the place of the person's cell."""
        place = cell_of(person, self.sides, self.grid)
        return jnp.where(jnp.isnan(person).any(), 0.0, jax.nn.one_hot(place, self.numbers))

    def tell(self, state: Components, answer: Float[Array, " numbers"]) -> Components:
        clusters = self.draws.shape[1]
        enough = jnp.minimum(self.least, jnp.sort(answer)[-min(clusters, self.numbers)])
        held = jnp.where(answer >= enough, jnp.maximum(answer, LIGHTEST), 0.0)
        return self._about(merged(self.middles, held, self.draws), held)

    def components(self, state: Components) -> Components:
        return state

    def _about(
        self, centres: Float[Array, "clusters dim"], held: Float[Array, " cells"]
    ) -> Components:
        shares, far = held @ _nearest(self.middles, centres), apart(self.middles, centres)
        whole = jnp.sum(held)
        spread = jnp.sum(held * jnp.min(far, axis=1)) / whole / len(self.sides)
        narrowest = jnp.mean(jnp.square(2 * self.sides / jnp.asarray(self.grid))) / 12
        weights = jnp.maximum(shares / whole, LIGHTEST)
        deviation = jnp.sqrt(jnp.maximum(spread, narrowest))
        return Components.round(weights / jnp.sum(weights), centres, deviation)


def _nearest(
    points: Float[Array, "cells dim"], centres: Float[Array, "clusters dim"]
) -> Float[Array, "cells clusters"]:
    return jax.nn.one_hot(jnp.argmin(apart(points, centres), axis=1), len(centres))
