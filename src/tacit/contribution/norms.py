"""Shapes that are balls of a norm about zero: what a term has to be scaled by to be in one.

| shape | the norm |
| --- | --- |
| `Ball` | L2 |
| `L1Ball` | L1 |
| `Cube` about zero | the largest size of a number |
| `Interval` about zero | the size of the number |
| `Product` of these | one norm for each part |

Scaling towards zero stays inside, and so does a sum of scaled terms over as many people: nothing
but lengths has to be known of a term to bring it into such a shape.
"""

import math

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from tacit.contribution.numbers import Interval
from tacit.contribution.product import Product
from tacit.contribution.shape import Contribution
from tacit.contribution.vectors import Ball, Cube, L1Ball


def parts_of(shape: Contribution) -> tuple[Contribution, ...]:
    """The parts of a product; any other shape is one."""
    return shape.parts if isinstance(shape, Product) else (shape,)


def radius_of(shape: Contribution) -> float | None:
    """How long members are at most, in the shape's norm; None of a shape that is no ball of one."""
    match shape:
        case Ball(radius=radius) | L1Ball(radius=radius):
            return radius
        case Cube(side=side):
            return radius_of(side)
        case Interval(lower=lower, upper=upper) if -lower == upper:
            return upper
    return None


def unit_norm_of(shape: Contribution) -> float:
    """The shape's norm of a vector of ones."""
    match shape:
        case Ball(dim=dim):
            return math.sqrt(dim)
        case L1Ball(dim=dim):
            return float(dim)
    return 1.0


def shrinking(
    norms: Float[Array, "people parts"],
    radii: Float[Array, " parts"],
    present: Bool[Array, " people"],
) -> Float[Array, "people parts"]:
    """The largest factors, at most one, that bring terms within these radii.

    | term | factor |
    | --- | --- |
    | no longer than the radius | one |
    | longer | the radius over its norm |
    | of an absent person, or of a norm that is NaN or infinite | zero |
    """
    counts = present[:, None] & jnp.isfinite(norms)
    lengths = jnp.where(counts, norms, 0.0)
    return jnp.where(counts, radii / jnp.maximum(lengths, radii), 0.0)
