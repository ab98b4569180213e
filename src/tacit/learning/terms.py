"""Terms that are kept in factors: how long each is, and any weighted sum, from a few products.

What a learner with `terms` hands to the round (`population.summing`), which brings every term into
the question's shape by its length. Here nothing is clipped.

| terms | of each person | norm |
| --- | --- | --- |
| `Vectors` | slope times row | L2 |
| `Bounded` | slope times row | the largest size of a number |
| `RowsBySlopes` | row times slopes, one for each output | L2 |
| `Squares` | factor times row times row, packed | L2 |
| `Numbers` | a number | its size |
| `BothSigns` | another term's negative, and it | the largest size of a number |
| `Joined` | several, one after the other | one each |

Rows must not be NaN or infinite, for zero times those is no zero: learners bring people's rows
within bounds first. Slopes, factors and numbers may be anything.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from tacit.contribution import Ball, Contribution, Cube, Interval
from tacit.contribution.packing import packed
from tacit.models.per_example import contract
from tacit.population.summing import MeasuredTerms

Rows = Float[Array, "people features"]
Weights = Float[Array, "people parts"]
Norms = Float[Array, "people parts"]


@final
class Vectors(eqx.Module):
    """Slope times row, in L2."""

    rows: Rows
    slopes: Float[Array, " people"]

    kinds = (Ball,)

    @property
    def norms(self) -> Norms:
        return (jnp.abs(self.slopes) * _lengths(self.rows))[:, None]

    def weighted_sum(self, weights: Weights) -> Float[Array, " features"]:
        return contract("bi,b->i", self.rows, _weighed(weights[:, 0], self.slopes))


@final
class Bounded(eqx.Module):
    """Slope times row, where no number of a row is larger than `largest`."""

    rows: Rows
    slopes: Float[Array, " people"]
    largest: float

    kinds = (Cube,)

    @property
    def norms(self) -> Norms:
        return (jnp.abs(self.slopes) * self.largest)[:, None]

    def weighted_sum(self, weights: Weights) -> Float[Array, " features"]:
        return contract("bi,b->i", self.rows, _weighed(weights[:, 0], self.slopes))


@final
class RowsBySlopes(eqx.Module):
    """Row times slopes, as one vector."""

    rows: Rows
    slopes: Float[Array, "people outputs"]

    kinds = (Ball,)

    @property
    def norms(self) -> Norms:
        return (_lengths(self.rows) * _lengths(self.slopes))[:, None]

    def weighted_sum(self, weights: Weights) -> Float[Array, " size"]:
        return contract("bi,bk->ik", self.rows, _weighed(weights, self.slopes)).ravel()


@final
class Squares(eqx.Module):
    """Factor times row times row: the upper triangle, packed so that norms are kept."""

    rows: Rows
    factors: Float[Array, " people"]

    kinds = (Ball,)

    @property
    def norms(self) -> Norms:
        lengths = _lengths(self.rows)
        return (jnp.abs(self.factors) * lengths * lengths)[:, None]

    def weighted_sum(self, weights: Weights) -> Float[Array, " packed"]:
        weighted = _weighed(weights[:, 0], self.factors)[:, None] * self.rows
        return packed(contract("bi,bj->ij", self.rows, weighted))


@final
class Numbers(eqx.Module):
    """One number each."""

    numbers: Float[Array, " people"]

    kinds = (Interval,)

    @property
    def norms(self) -> Norms:
        return jnp.abs(self.numbers)[:, None]

    def weighted_sum(self, weights: Weights) -> Float[Array, ""]:
        return jnp.sum(_weighed(weights[:, 0], self.numbers))


@final
class BothSigns(eqx.Module):
    """Of a term of a cube: its negative, and it; what is not `kept` of either is zero."""

    own: Bounded
    kept: Bool[Array, "*features"] = eqx.field(converter=jnp.asarray, default=True)

    kinds = (Cube,)

    @property
    def norms(self) -> Norms:
        return self.own.norms

    def weighted_sum(self, weights: Weights) -> Float[Array, " candidates"]:
        total = jnp.where(self.kept, self.own.weighted_sum(weights), 0.0)
        return jnp.concatenate([-total, total])


@final
class Joined(eqx.Module):
    """Several terms of each person, for a product of shapes."""

    parts: tuple[MeasuredTerms, ...]

    @property
    def kinds(self) -> tuple[type[Contribution], ...]:
        return tuple(kind for part in self.parts for kind in part.kinds)

    @property
    def norms(self) -> Norms:
        return jnp.concatenate([part.norms for part in self.parts], axis=1)

    def weighted_sum(self, weights: Weights) -> Float[Array, " numbers"]:
        columns = jnp.split(weights, len(self.parts), axis=1)
        sums = [part.weighted_sum(own) for part, own in zip(self.parts, columns, strict=True)]
        return jnp.concatenate([own.reshape(-1) for own in sums])


def _lengths(rows: Rows) -> Float[Array, " people"]:
    """L2 norms of rows of any size: squares of small numbers vanish, those of large overflow."""
    rows = rows.astype(jnp.float32)
    largest = jnp.max(jnp.abs(rows), axis=1, initial=0.0)
    scaled = rows / jnp.where(largest > 0, largest, 1)[:, None]
    return largest * jnp.sqrt(jnp.sum(jnp.square(scaled), axis=1))


def _weighed(weights: Float[Array, "*shape"], numbers: Float[Array, "*size"]) -> Array:
    """The products; zero where the weight is, whatever the number."""
    return jnp.where(weights > 0, weights * numbers, 0.0)
