"""One number a person: between two bounds, or on a public grid between them."""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Num

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution.shape import added, is_length
from tacit.noise.fixed import FixedPoint

# Up to here a number of steps survives float32: times the step, divided by it, and rounded.
MOST_STEPS = 2**22
LEAST_NORMAL = 2.0**-126


@final
class Interval(eqx.Module):
    """Numbers between two public bounds.

    The bounds are moved inwards to the nearest float32 numbers, where they stay when traced;
    numbers below 2^-126 in size are none of these but zero.

    **Guarantee**: after `project` every term lies in [lower, upper], exactly.

    | term | becomes |
    | --- | --- |
    | inside | itself |
    | below, above | the nearer bound |
    | NaN, infinite | the member nearest to zero |

    So of [100, 220] who has no number counts as 100, and nobody is told how many have none:
    `tacit.statistics.mean` leaves them out where people come or go.
    """

    lower: float = eqx.field(converter=lambda x: inwards(x, math.inf))
    upper: float = eqx.field(converter=lambda x: inwards(x, -math.inf))

    def __check_init__(self):
        numbers = is_length(self.lower) and is_length(self.upper)
        if not (numbers and -math.inf < self.lower < self.upper < math.inf):
            raise ValueError(
                "an interval needs finite bounds with lower < upper, "
                f"got [{got(self.lower)}, {got(self.upper)}]"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def bound(self) -> float:
        return max(abs(self.lower), abs(self.upper))

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, " people"]) -> Float[Array, " people"]:
        terms = terms.astype(jnp.float32)
        nearest_zero = jnp.clip(0.0, self.lower, self.upper)
        return jnp.where(jnp.isfinite(terms), jnp.clip(terms, self.lower, self.upper), nearest_zero)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero((), grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, " people"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        match relation:
            case Relation.REPLACE_ONE:
                return self.upper - self.lower
            case Relation.ADD_REMOVE | Relation.ZERO_OUT:
                return self.bound

    def l1_sensitivity(self, relation: Relation) -> float:
        return self.sensitivity(relation)


@final
class Grid(eqx.Module):
    """Whole multiples of a public step, from `least` to `most` steps: cents, days, counts.

    Sums of them are whole too, and pure noise on them is whole: nothing is lost to rounding.

    **Guarantee**: after `project` every term is step times an integer of [least, most], exactly.

    | term | becomes |
    | --- | --- |
    | inside | the nearest multiple |
    | below, above | the nearer bound |
    | NaN, infinite | the member nearest to zero |
    """

    least: int = eqx.field(static=True, converter=counted)
    most: int = eqx.field(static=True, converter=counted)
    step: float = 1.0

    def __check_init__(self):
        whole = is_whole(self.least) and is_whole(self.most)
        if not (whole and -MOST_STEPS <= self.least < self.most <= MOST_STEPS):
            raise ValueError(
                f"a grid needs whole numbers least < most within {MOST_STEPS:,} of zero, got "
                f"{got(self.least)} and {got(self.most)}"
            )
        if not (is_length(self.step) and 1e-12 <= self.step < 1e12):
            raise ValueError(f"a grid's step must be between 1e-12 and 1e12, got {got(self.step)}")

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def bound(self) -> float:
        return self.step * max(abs(self.least), abs(self.most))

    @property
    def unit(self) -> float:
        return self.step

    def project(self, terms: Num[Array, " people"]) -> Float[Array, " people"]:
        steps = jnp.clip(jnp.round(terms.astype(jnp.float32) / self.step), self.least, self.most)
        nearest_zero = min(max(0, self.least), self.most)
        return jnp.where(jnp.isfinite(terms), steps, nearest_zero) * self.step

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero((), grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, " people"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        # Whole steps first: multiples of a step such as 0.1 are rounded in float32. Their number in
        # each step is a power of two.
        steps = jnp.where(present, jnp.round(terms / self.step), 0.0)
        return total.plus(total.whole(steps * (self.step / total.step)).sum())

    def sensitivity(self, relation: Relation) -> float:
        match relation:
            case Relation.REPLACE_ONE:
                return self.step * (self.most - self.least)
            case Relation.ADD_REMOVE | Relation.ZERO_OUT:
                return self.bound

    def l1_sensitivity(self, relation: Relation) -> float:
        return self.sensitivity(relation)


def inwards(bound: float, towards: float) -> float:
    """`bound` if float32 holds it, else the next float32 number in the given direction."""
    if not is_number(bound):
        return bound
    with np.errstate(over="ignore"):
        nearest = float(np.float32(bound))
    # Between Python's floats: NumPy would round `bound` to float32 before it compares.
    outside = nearest < bound if towards > 0 else nearest > bound
    inside = float(np.nextafter(np.float32(nearest), np.float32(towards))) if outside else nearest
    # A compiled program reads subnormal numbers as zero.
    if 0 < abs(inside) < LEAST_NORMAL:
        return math.copysign(LEAST_NORMAL, towards) if inside * towards > 0 else 0.0
    return inside
