"""Vectors in a ball of the L2, L1 or L-infinity norm, and directions.

A vector that has a NaN, an infinity, or a norm beyond float32 counts as zero; where zero is not a
member, as nothing at all: it adds zero to the sum, which moves it by less than any member. A number
below 2^-126 in size is zero to a program compiled for a CPU; a GPU keeps it.

What is shortened is what was measured, also in a program that makes the vectors (`in_memory`).
"""

import math
from collections.abc import Callable
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Num

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution.numbers import Interval
from tacit.contribution.shape import added, is_length
from tacit.in_memory import from_memory
from tacit.noise.fixed import FixedPoint

# Squares of smaller coordinates vanish in float32, and with them the norm to be bounded.
SMALLEST_RADIUS = 1e-12
# A little more than one: a ball of this radius cuts no vector of norm one for its rounding.
ROUNDED_UNIT = 1 + 2.0**-20


@final
class Ball(eqx.Module):
    """Vectors of `dim` numbers with L2 norm at most `radius`.

    `typical` is the norm that most of them are thought to have: declared, public, and a matter of
    error alone. Local reports are chosen for it. Nothing is cut to it, and no promise rests on it.

    **Guarantee**: after `project` the norm is at most `radius`, up to the rounding of one
    float32 norm and one product (a relative 1e-6 at ten million coordinates).

    | term | becomes |
    | --- | --- |
    | norm at most radius | itself |
    | norm above radius | the vector of norm `radius` in its direction |
    | zero | zero |
    | any coordinate NaN or infinite, or a norm that overflows | zero |
    """

    dim: int = eqx.field(static=True, converter=counted)
    radius: float
    # Static, as no program reads it: one is the same with any.
    typical: float | None = eqx.field(
        static=True, default=None, converter=lambda x: float(x) if is_number(x) else x
    )

    def __check_init__(self):
        _check_dim("a ball", self.dim)
        _check_radius("a ball's", self.radius)
        if self.typical is not None:
            _check_typical(self.typical, self.radius)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def bound(self) -> float:
        return self.radius

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, "people dim"]) -> Float[Array, "people dim"]:
        return shortened(terms, lengths, self.radius)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.shape, grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, "people dim"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        return _both_ways(self.radius, relation)

    def l1_sensitivity(self, relation: Relation) -> float:
        return math.sqrt(self.dim) * self.sensitivity(relation)


@final
class L1Ball(eqx.Module):
    """Vectors of `dim` numbers with L1 norm at most `radius`.

    **Guarantee**: after `project` the L1 norm is at most `radius`, up to the rounding of one
    float32 norm and one product (a relative 1e-6 at ten million coordinates).

    | term | becomes |
    | --- | --- |
    | norm at most radius | itself |
    | norm above radius | scaled back to `radius` |
    | norm above 2^126 `radius`: what scales it back vanishes on CPUs | zero there |
    | any coordinate NaN or infinite, or a norm that overflows | zero |
    """

    dim: int = eqx.field(static=True, converter=counted)
    radius: float

    def __check_init__(self):
        _check_dim("an L1 ball", self.dim)
        _check_radius("an L1 ball's", self.radius)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def bound(self) -> float:
        return self.radius

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, "people dim"]) -> Float[Array, "people dim"]:
        return shortened(terms, _l1_norms, self.radius)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.shape, grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, "people dim"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        # Two corners of one axis are as far apart as any two members.
        return _both_ways(self.radius, relation)

    def l1_sensitivity(self, relation: Relation) -> float:
        return _both_ways(self.radius, relation)


@final
class Sphere(eqx.Module):
    """Directions: vectors of `dim` numbers with L2 norm one.

    **Guarantee**: after `project` the norm is one up to the rounding of one float32 norm and one
    division, or zero.

    | term | becomes |
    | --- | --- |
    | any other vector | its direction |
    | zero, or shorter than 1e-12 | zero: it adds nothing |
    | any coordinate NaN or infinite, or a norm that overflows | zero |
    """

    dim: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        _check_dim("a sphere", self.dim)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def bound(self) -> float:
        return 1.0

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, "people dim"]) -> Float[Array, "people dim"]:
        def directions(terms: Array) -> Array:
            norms = lengths(terms)
            usable = jnp.isfinite(norms) & (norms >= SMALLEST_RADIUS)
            return jnp.where(usable, terms / norms, 0.0)

        return from_memory(directions, terms)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.shape, grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, "people dim"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        return _both_ways(1.0, relation)

    def l1_sensitivity(self, relation: Relation) -> float:
        return math.sqrt(self.dim) * self.sensitivity(relation)


@final
class Cube(eqx.Module):
    """Vectors of `dim` numbers, each between the same two public bounds.

    The bounds are moved inwards to the nearest float32 numbers.

    **Guarantee**: after `project` every coordinate lies in [lower, upper], exactly.

    | coordinate | becomes |
    | --- | --- |
    | inside | itself |
    | below, above | the nearer bound |
    | NaN, infinite | the bounds' member nearest to zero |
    """

    dim: int = eqx.field(static=True, converter=counted)
    side: Interval

    def __init__(self, dim: int, lower: float, upper: float):
        _check_dim("a cube", dim)
        self.dim, self.side = dim, Interval(lower, upper)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def candidates(self) -> int:
        return self.dim

    @property
    def bound(self) -> float:
        return math.sqrt(self.dim) * self.side.bound

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, "people dim"]) -> Float[Array, "people dim"]:
        return self.side.project(terms)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.shape, grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, "people dim"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        return math.sqrt(self.dim) * self.side.sensitivity(relation)

    def l1_sensitivity(self, relation: Relation) -> float:
        return self.dim * self.side.sensitivity(relation)

    def spread(self, relation: Relation) -> float:
        return _both_ways(self.side.upper - self.side.lower, relation)


def lengths(terms: Num[Array, "people dim"]) -> Float[Array, "people 1"]:
    """L2 norms in float32; infinite where a square overflows."""
    return jnp.sqrt(jnp.sum(jnp.square(terms.astype(jnp.float32)), axis=-1, keepdims=True))


def shortened(
    terms: Num[Array, "people dim"], measured: Callable[[Array], Array], radius: float
) -> Float[Array, "people dim"]:
    """Terms no longer than the radius, by these norms; zero where one is NaN or infinite."""

    def within(terms: Array) -> Array:
        norms = measured(terms)
        shrink = jnp.minimum(1.0, radius / jnp.maximum(norms, 1e-30))
        return jnp.where(jnp.isfinite(norms), terms * shrink, 0.0)

    return from_memory(within, terms)


def _l1_norms(terms: Num[Array, "people dim"]) -> Float[Array, "people 1"]:
    return jnp.sum(jnp.abs(terms.astype(jnp.float32)), axis=-1, keepdims=True)


def _both_ways(length: float, relation: Relation) -> float:
    """How far apart two members, or a member and nothing, are in a set symmetric about zero."""
    return relation.people_moved * length


def _check_dim(what: str, dim: int) -> None:
    if not (is_whole(dim) and dim >= 1):
        raise ValueError(
            f"{what} needs at least one dimension, and a whole number of them, got dim={got(dim)}"
        )


def _check_radius(whose: str, radius: float) -> None:
    if not (is_length(radius) and SMALLEST_RADIUS <= radius < math.inf):
        raise ValueError(
            f"{whose} radius must be positive and finite, at least {SMALLEST_RADIUS:g}, "
            f"got {got(radius)}"
        )


def _check_typical(typical: float, radius: float) -> None:
    if not (is_number(typical) and SMALLEST_RADIUS <= typical <= radius):
        raise ValueError(
            f"a ball's typical norm must be at least {SMALLEST_RADIUS:g} and at most its radius, "
            f"{got(radius)}, got {got(typical)}"
        )
