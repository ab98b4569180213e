"""Mean and deviation of a law on the line that is known up to a factor, by ever finer points.

Of a law on [-R, R] its logarithm is computed at even points, then three times at 129 points within
five deviations of the mean that was found. So it may be as narrow as it likes, if the first points
are no farther apart than what it is flat over. What it has beyond five deviations is left out.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# First points a quarter of a unit apart; finer ones, three times: 12 to a deviation.
PER_UNIT, FINE, ZOOMS = 4, 129, 3

Scalar = Float[Array, ""]


def points_for(radius: float) -> int:
    """A quarter of a unit apart, or nearer: of the first pass."""
    return 2 * math.ceil(PER_UNIT * radius) + FINE


def moments(
    likely: Callable[[Scalar], Scalar], radius: Float[Array, ""] | float, points: int
) -> tuple[Scalar, Scalar]:
    """Mean and deviation of the law on [-radius, radius] whose logarithm is `likely`, but for a
    constant."""
    line = jnp.linspace(-radius, radius, points)
    for _ in range(ZOOMS):
        mean, deviation = _on_points(likely, radius, line)
        reach = 5 * deviation + 2 * (line[1] - line[0])
        line = mean + reach * jnp.linspace(-1, 1, FINE)
    return _on_points(likely, radius, line)


def _on_points(
    likely: Callable[[Scalar], Scalar],
    radius: Float[Array, ""] | float,
    line: Float[Array, " points"],
) -> tuple[Scalar, Scalar]:
    inside = jnp.abs(line) <= radius
    chances = jax.nn.softmax(jnp.where(inside, jax.vmap(likely)(line), -jnp.inf))
    middle = line[line.shape[0] // 2]
    away = line - middle
    mean = jnp.sum(chances * away)
    return middle + mean, jnp.sqrt(jnp.sum(chances * (away - mean) ** 2))
