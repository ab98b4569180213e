"""Dead leaves: pictures that look like photographs to a filter, made of random numbers alone.

Leaves fall on a grey ground one after the other, each hides what it covers, and the last one lies
on top. A leaf is an ellipse of a uniform place (also up to an eighth outside), angle, elongation
and grey. With u uniform and a the longer side its radius is

    r = R / (1 + 9 sqrt(u)),   R = 0.7 a,   density prop. to r^-3 (1 - r/R) from R/10 to R.

Shrinking such a picture leaves the law r^-3 as it is, and that is what the statistics of natural
images show: edges of all sizes, objects that occlude one another. So what a public transform should
know about pictures in general can be estimated on these. They show nobody and nothing.

In colour a leaf's grey is moved along the two axes on which colours of photographs differ once
their brightness is taken away, red against blue and green against both, by normal numbers, and
cut to what can be shown. Photographs differ most in brightness and least in green; the deviations
0.15 and 0.07, beside 0.29 of brightness, are round numbers and no estimate from photographs.

References: Lee, Mumford and Huang. Occlusion models for natural images: a statistical study of a
scale-invariant dead leaves model. IJCV 2001. Ohta, Kanade and Sakai. Color information for region
segmentation. Computer Graphics and Image Processing 1980 (the axes).
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import refuse_not_counted

# Brightness, red against blue, green against both; rows of length one, at right angles.
_AXES = np.array([[1, 1, 1], [1, 0, -1], [-1, 2, -1]], np.float32)
OPPONENT = _AXES / np.linalg.norm(_AXES, axis=1, keepdims=True)
_TINTS = np.array([0.15, 0.07], np.float32)


def dead_leaves(
    key: PRNGKeyArray, height: int, width: int, leaves: int = 48
) -> Float[Array, "height width"]:
    """One grey picture with values in [0, 1], a function of the key.

    Edges are about a pixel soft. Where no leaf fell the ground is 0.5.

    Args:
      key: a public one.
      height, width: in pixels.
      leaves: how many fall.

    Raises:
      ValueError: if a number is below 1.
    """
    _refuse_below_one(height=height, width=width, leaves=leaves)
    drawn = random.uniform(key, (6, leaves))
    return _fallen(drawn, drawn[5][:, None], height, width)[..., 0]


def coloured_leaves(
    key: PRNGKeyArray, height: int, width: int, leaves: int = 48
) -> Float[Array, "height width 3"]:
    """One picture in red, green and blue with values in [0, 1]: the leaves of the same key's grey
    one, each of a colour around its grey.

    Args:
      key: a public one.
      height, width: in pixels.
      leaves: how many fall.

    Raises:
      ValueError: if a number is below 1.
    """
    _refuse_below_one(height=height, width=width, leaves=leaves)
    drawn = random.uniform(key, (6, leaves))
    tints = random.normal(random.fold_in(key, 1), (leaves, 2)) * _TINTS @ OPPONENT[1:]
    return _fallen(drawn, jnp.clip(drawn[5][:, None] + tints, 0, 1), height, width)


def _fallen(
    drawn: Float[Array, "6 leaves"], colours: Float[Array, "leaves planes"], height: int, width: int
) -> Float[Array, "height width planes"]:
    radii = 0.07 * max(height, width) / (0.1 + 0.9 * jnp.sqrt(drawn[0]))
    top, left = (1.25 * u * side - side / 8 for u, side in ((drawn[1], height), (drawn[2], width)))
    angles, ratios = jnp.pi * drawn[3], 0.3 + 0.7 * drawn[4]
    y, x = jnp.arange(height)[:, None], jnp.arange(width)

    def cover(picture: Array, leaf: tuple[Array, ...]) -> tuple[Array, None]:
        radius, row, column, angle, ratio, colour = leaf
        along = jnp.cos(angle) * (y - row) + jnp.sin(angle) * (x - column)
        across = jnp.cos(angle) * (x - column) - jnp.sin(angle) * (y - row)
        inside = jax.nn.sigmoid(2 * (radius - jnp.hypot(along, across / ratio)))
        return picture + inside[..., None] * (colour - picture), None

    ground = jnp.full((height, width, colours.shape[1]), 0.5)
    return lax.scan(cover, ground, (radii, top, left, angles, ratios, colours))[0]


def _refuse_below_one(**numbers: Any) -> None:
    for name, number in numbers.items():
        refuse_not_counted(name, number)
