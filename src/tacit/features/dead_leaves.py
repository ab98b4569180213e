"""Dead leaves: pictures that look like photographs to a filter, made of random numbers alone.

Leaves fall on a grey ground one after the other, each hides what it covers, and the last one lies
on top. A leaf is an ellipse of a uniform place (also up to an eighth outside), angle, elongation
and grey. With u uniform and a the longer side its radius is

    r = R / (1 + 9 sqrt(u)),   R = 0.7 a,   density prop. to r^-3 (1 - r/R) from R/10 to R.

Shrinking such a picture leaves the law r^-3 as it is, and that is what the statistics of natural
images show: edges of all sizes, objects that occlude one another. So what a public transform should
know about pictures in general can be estimated on these. They show nobody and nothing.

References: Lee, Mumford and Huang. Occlusion models for natural images: a statistical study of a
scale-invariant dead leaves model. IJCV 2001.
"""

import jax
import jax.numpy as jnp
from jax import lax, random
from jaxtyping import Array, Float, PRNGKeyArray


def dead_leaves(
    key: PRNGKeyArray, height: int, width: int, leaves: int = 48
) -> Float[Array, "height width"]:
    """One picture with values in [0, 1], a function of the key.

    Edges are about a pixel soft. Where no leaf fell the ground is 0.5.

    Args:
      key: a public one.
      height, width: in pixels.
      leaves: how many fall.

    Raises:
      ValueError: if a number is below 1.
    """
    for name, number in (("height", height), ("width", width), ("leaves", leaves)):
        if not number >= 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    drawn = random.uniform(key, (6, leaves))
    radii = 0.07 * max(height, width) / (0.1 + 0.9 * jnp.sqrt(drawn[0]))
    top, left = (1.25 * u * side - side / 8 for u, side in ((drawn[1], height), (drawn[2], width)))
    angles, ratios = jnp.pi * drawn[3], 0.3 + 0.7 * drawn[4]
    y, x = jnp.arange(height)[:, None], jnp.arange(width)

    def cover(picture: Array, leaf: tuple[Array, ...]) -> tuple[Array, None]:
        radius, row, column, angle, ratio, grey = leaf
        along = jnp.cos(angle) * (y - row) + jnp.sin(angle) * (x - column)
        across = jnp.cos(angle) * (x - column) - jnp.sin(angle) * (y - row)
        inside = jax.nn.sigmoid(2 * (radius - jnp.hypot(along, across / ratio)))
        return picture + inside * (grey - picture), None

    ground = jnp.full((height, width), 0.5)
    return lax.scan(cover, ground, (radii, top, left, angles, ratios, drawn[5]))[0]
