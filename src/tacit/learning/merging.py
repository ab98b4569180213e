"""Few centres of many points with weights: k-means from many starts, inside a compiled round.

What is clustered are released answers, so that it costs nothing however often it is tried. A start
draws its centres one after the other, each with chance in proportion to weight and squared distance
from those before it, by public random numbers; then every centre moves to the mean of the points
that are nearest to it, `MOVES` times. Of all starts that of the least weighted sum of squares is
kept.

| points | centres |
| --- | --- |
| fewer than centres have weight | some centres lie on the first point |
| a centre that no weight is nearest to | it stays |

References:
    Arthur and Vassilvitskii 2007, "k-means++: the advantages of careful seeding".
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

# Of released answers, so they cost nothing but time; and the best start is kept.
STARTS, MOVES = 20, 25


def merged(
    points: Float[Array, "points dim"],
    weights: Float[Array, " points"],
    draws: Float[Array, "starts clusters"],
) -> Float[Array, "clusters dim"]:
    """As many centres as a start has draws, each of them in [0, 1)."""

    def tried(own: Float[Array, " clusters"]) -> tuple[Array, Array]:
        centres = lax.fori_loop(0, MOVES, _moved, _start(points, weights, own))
        return jnp.sum(weights * jnp.min(apart(points, centres), axis=1)), centres

    def _moved(_: int, centres: Float[Array, "clusters dim"]) -> Float[Array, "clusters dim"]:
        nearest = jnp.argmin(apart(points, centres), axis=1)
        owned = weights[:, None] * jax.nn.one_hot(nearest, len(centres))
        own = jnp.sum(owned, axis=0)[:, None]
        return jnp.where(own > 0, _times(owned.T, points) / jnp.where(own > 0, own, 1.0), centres)

    losses, centres = lax.map(tried, draws)
    return centres[jnp.argmin(losses)]


def _start(
    points: Float[Array, "points dim"],
    weights: Float[Array, " points"],
    draws: Float[Array, " clusters"],
) -> Float[Array, "clusters dim"]:
    def drawn(at, own):
        centres, chances = own
        heaped = jnp.cumsum(chances)
        point = points[jnp.argmax(heaped > draws[at] * heaped[-1])]
        nearer = weights * apart(points, point[None])[:, 0]
        # The first was drawn by weight alone.
        return centres.at[at].set(point), jnp.where(at == 0, nearer, jnp.minimum(chances, nearer))

    centres = jnp.zeros((len(draws), points.shape[1]), points.dtype)
    return lax.fori_loop(0, len(draws), drawn, (centres, weights))[0]


def apart(
    points: Float[Array, "points dim"], centres: Float[Array, "clusters dim"]
) -> Float[Array, "points clusters"]:
    """Squared distances."""
    squares = jnp.sum(jnp.square(points), axis=1)[:, None] + jnp.sum(jnp.square(centres), axis=1)
    return jnp.maximum(squares - 2 * _times(points, centres.T), 0.0)


def _times(one: Float[Array, "rows some"], other: Float[Array, "some columns"]) -> Array:
    return jnp.matmul(one, other, precision=lax.Precision.HIGHEST)


def draws_of(clusters: int) -> Float[np.ndarray, "starts clusters"]:
    """Of every start, always the same."""
    return np.random.default_rng(0).uniform(size=(STARTS, clusters))
