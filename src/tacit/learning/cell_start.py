"""Where a mixture's components are, from one round of counts: for few columns.

A person gives a one in the place of their cell of the box, and zero in all others: a vector of norm
one, in L2 and in L1. The noisy counts are clustered here (k-means), as often as it takes.

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
    Arthur and Vassilvitskii 2007, "k-means++: the advantages of careful seeding".
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float
from scipy import stats

from tacit.learning.components import Components
from tacit.statistics.box_cells import BoxCells

# From how many seeds cells are clustered, and how often centres move.
SEEDS, MOVES = 16, 20
LIGHTEST = 1e-9


@final
class CellStart(eqx.Module):
    """Asks in which cell of the box a person is, once.

    Args:
      sides: half of each side of the box.
      middles: of cells.
      least: the share that is more than noise.
      draws: even numbers below one, by which seeds are drawn: always the same.
      grid: cells along each side.
    """

    sides: Float[Array, " dim"]
    middles: Float[Array, "cells dim"]
    least: Float[Array, ""]
    draws: Float[Array, "seeds clusters"]
    grid: tuple[int, ...] = eqx.field(static=True)

    @classmethod
    def of(cls, cells: BoxCells, clusters: int, noise: float) -> "CellStart":
        """With noise of this deviation on a cell's share of people."""
        least = noise * stats.norm.isf(1 / max(cells.cells, 2))
        draws = np.random.default_rng(0).uniform(size=(SEEDS, clusters))
        numbers = cells.sides, cells.middles, least, draws
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
        many = jnp.asarray(self.grid)
        inside = jnp.clip(person, -self.sides, self.sides) / self.sides
        along = jnp.clip(jnp.floor((inside + 1) / 2 * many), 0, many - 1).astype(jnp.int32)
        place = jnp.ravel_multi_index(tuple(along), self.grid, mode="clip")
        return jnp.where(jnp.isnan(person).any(), 0.0, jax.nn.one_hot(place, self.numbers))

    def tell(self, state: Components, answer: Float[Array, " numbers"]) -> Components:
        clusters = self.draws.shape[1]
        enough = jnp.minimum(self.least, jnp.sort(answer)[-min(clusters, self.numbers)])
        held = jnp.where(answer >= enough, jnp.maximum(answer, LIGHTEST), 0.0)
        tried = jax.vmap(lambda draws: _clustered(self.middles, held, draws))(self.draws)
        best = jnp.argmin(jnp.sum(held * jax.vmap(self._far)(tried), axis=1))
        return self._about(tried[best], held)

    def components(self, state: Components) -> Components:
        return state

    def _far(self, centres: Float[Array, "clusters dim"]) -> Float[Array, " cells"]:
        return jnp.min(_apart(self.middles, centres), axis=1)

    def _about(
        self, centres: Float[Array, "clusters dim"], held: Float[Array, " cells"]
    ) -> Components:
        shares = held @ _places(self.middles, centres)
        whole = jnp.sum(held)
        spread = jnp.sum(held * self._far(centres)) / whole / len(self.sides)
        narrowest = jnp.mean(jnp.square(2 * self.sides / jnp.asarray(self.grid))) / 12
        weights = jnp.maximum(shares / whole, LIGHTEST)
        deviation = jnp.sqrt(jnp.maximum(spread, narrowest))
        return Components.round(weights / jnp.sum(weights), centres, deviation)


def _clustered(
    points: Float[Array, "cells dim"],
    weights: Float[Array, " cells"],
    draws: Float[Array, " clusters"],
) -> Float[Array, "clusters dim"]:
    """Centres of weighted points, from seeds far from each other, after `MOVES` moves."""

    def seeded(near, draw):
        chance = jnp.cumsum(weights * near)
        at = jnp.minimum(jnp.searchsorted(chance, draw * chance[-1]), len(points) - 1)
        return jnp.minimum(near, _apart(points, points[at][None])[:, 0]), points[at]

    def moved(_, centres):
        held = weights[:, None] * _places(points, centres)
        total = jnp.sum(held, axis=0)[:, None]
        return jnp.where(total > 0, held.T @ points / jnp.where(total > 0, total, 1.0), centres)

    _, seeds = lax.scan(seeded, jnp.ones(len(points)), draws)
    return lax.fori_loop(0, MOVES, moved, seeds)


def _apart(
    points: Float[Array, "cells dim"], centres: Float[Array, "clusters dim"]
) -> Float[Array, "cells clusters"]:
    return jnp.sum(jnp.square(points[:, None] - centres), axis=2)


def _places(
    points: Float[Array, "cells dim"], centres: Float[Array, "clusters dim"]
) -> Float[Array, "cells clusters"]:
    return jax.nn.one_hot(jnp.argmin(_apart(points, centres), axis=1), len(centres))
