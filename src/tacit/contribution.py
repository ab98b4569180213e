"""What one person may contribute to a sum: the shapes.

Every question tacit asks is a sum of one bounded term per person, so privacy starts with the
bound. A shape says three things about the terms it admits: how any value is brought into it
(`project`), where its members lie (`bound`), and how far the sum can move when one person
changes (`sensitivity`). The last one is the only number noise is ever scaled to, and it
depends on what "one person changes" means: with the terms in a ball of radius C, adding or
removing a person moves the sum by at most C, replacing one person by another by at most 2C.

Projection is also where bad input ends. A NaN or an infinity becomes the member nearest to
zero, so one broken device changes its own term and nothing else.
"""

import math
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tacit.accounting.relation import Relation

# Squares of smaller coordinates vanish in float32, and with them the norm to be bounded.
SMALLEST_RADIUS = 1e-12


@runtime_checkable
class Contribution(Protocol):
    """A bounded set of terms. Its numbers are public; the terms are arguments."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The array shape of one term."""
        ...

    @property
    def bound(self) -> float:
        """The largest L2 norm of a member."""
        ...

    def project(self, terms: Float[Array, "people *shape"]) -> Float[Array, "people *shape"]:
        """Brings every term into the set; members stay as they are."""
        ...

    def sensitivity(self, relation: Relation) -> float:
        """The largest L2 distance between the sums of two neighbouring data sets."""
        ...


@final
class Interval(eqx.Module):
    """Numbers between two public bounds.

    The bounds are moved inwards to the nearest float32 numbers, where they stay when traced.

    **Guarantee**: after `project` every term lies in [lower, upper], exactly.

    | term | becomes |
    | --- | --- |
    | inside | itself |
    | below, above | the nearer bound |
    | NaN, infinite | the member nearest to zero |
    """

    lower: float = eqx.field(converter=lambda x: _float32(x, math.inf))
    upper: float = eqx.field(converter=lambda x: _float32(x, -math.inf))

    def __check_init__(self):
        if not -math.inf < self.lower < self.upper < math.inf:
            raise ValueError(
                "an interval needs finite bounds with lower < upper, "
                f"got [{self.lower}, {self.upper}]"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def bound(self) -> float:
        return max(abs(self.lower), abs(self.upper))

    def project(self, terms: Float[Array, " people"]) -> Float[Array, " people"]:
        nearest_zero = jnp.clip(0.0, self.lower, self.upper)
        return jnp.where(jnp.isfinite(terms), jnp.clip(terms, self.lower, self.upper), nearest_zero)

    def sensitivity(self, relation: Relation) -> float:
        match relation:
            case Relation.REPLACE_ONE:
                return self.upper - self.lower
            case Relation.ADD_REMOVE | Relation.ZERO_OUT:
                return self.bound


@final
class Ball(eqx.Module):
    """Vectors of `dim` numbers with L2 norm at most `radius`.

    **Guarantee**: after `project` the norm is at most `radius`, up to the rounding of one
    float32 norm and one product (a relative 1e-6 at ten million coordinates).

    | term | becomes |
    | --- | --- |
    | norm at most radius | itself |
    | norm above radius | the vector of norm `radius` in its direction |
    | zero | zero |
    | any coordinate NaN or infinite, or a norm that overflows | zero |
    """

    dim: int = eqx.field(static=True)
    radius: float

    def __check_init__(self):
        if not self.dim >= 1:
            raise ValueError(f"a ball needs at least one dimension, got dim={self.dim}")
        if not SMALLEST_RADIUS <= self.radius < math.inf:
            raise ValueError(
                f"a ball's radius must be positive and finite, at least {SMALLEST_RADIUS:g}, "
                f"got {self.radius}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def bound(self) -> float:
        return self.radius

    def project(self, terms: Float[Array, "people dim"]) -> Float[Array, "people dim"]:
        norms = jnp.sqrt(jnp.sum(jnp.square(terms), axis=-1, keepdims=True))
        shrink = jnp.minimum(1.0, self.radius / jnp.maximum(norms, 1e-30))
        return jnp.where(jnp.isfinite(norms), terms * shrink, 0.0)

    def sensitivity(self, relation: Relation) -> float:
        match relation:
            case Relation.REPLACE_ONE:
                return 2 * self.radius
            case Relation.ADD_REMOVE | Relation.ZERO_OUT:
                return self.radius


def _float32(bound: float, towards: float) -> float:
    """`bound` if float32 holds it, else the next float32 number in the given direction."""
    if isinstance(bound, Array):
        return bound
    nearest = np.float32(bound)
    outside = nearest < bound if towards > 0 else nearest > bound
    return float(np.nextafter(nearest, np.float32(towards)) if outside else nearest)
