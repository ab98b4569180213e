"""A vector of L1 norm at most `radius`, reported by way of one sampled vertex of that ball.

The ball is the convex hull of its 2d vertices ±radius e_i. A vector x is rounded to one without
bias: to sign(x_i) radius e_i with probability |x_i|/radius, and with what is left over to a
uniform one, whose mean is zero. The vertex is all that a report depends on. Two reports:

**Response** (`VertexResponse`): the vertex with probability 1 - q, otherwise one of the other
2d - 1. As all vertices add up to zero, the report has mean s times the vertex, s = 1 - q - c with
c = q/(2d-1), and Z = vertex/s is unbiased. The ratio (1-q)/c is at most e^epsilon for
s = (E-1)/(E + 2d - 1), E = e^epsilon.

**Signs** (`VertexSigns`): d signs, fair coins all, but that of the vertex's coordinate, which is
the vertex's with probability 1 - q. It has mean s = 1 - 2q there and zero elsewhere, so
Z = radius/s times the signs is unbiased. The ratio is (1-q)/q, hence s = (E-1)/(E+1).

In both |Z| is always the same, radius/s and radius sqrt(d)/s, therefore E|Z - x|² = |Z|² - |x|²
with the Euclidean norm of x, worst at zero. Response is better iff E + 2d - 1 < sqrt(d) (E + 1),
so at a large epsilon: from 3.1 for d = 100, 5.3 for d = 10,000. `lowest_error` takes the better.

A vertex of the response is rare at c; every sign vector has at least q 2^(1-d). So the blankets are
2d c and 2q. (For the cube of the largest norm, see `privunit_infinity`.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from tacit.argument import (
    got,
    is_number,
    refuse_none_positive,
    refuse_not_positive,
    refuse_not_whole,
    takes_numpys,
)
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.frequency.randomised_response import outside_words, respond
from tacit.mechanisms.node import node
from tacit.noise import words

# As of `PrivUnit2`.
LARGEST_DIM = 2**25
# 2d - 1 lies must be a modulus of `words.residue`.
MOST_NAMED = 2**15
# Numbers in a block of rows, as for PrivUnit2.
_BLOCK = 2**19


@node
@dataclass(frozen=True)
class VertexResponse:
    """The sampled vertex by randomised response among all 2d. Build it with `of`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report for any two vectors
    (replace-one). The lie's probability is a multiple of 2^-64, rounded up so far that the
    unevenness of residues is covered. Rounding to a vertex comes first and costs no privacy.

    **Error**: `error(norm)` = E|Z - x|², exact, `worst_error` at zero; |Z| = `bound` always.
    Rounding to a vertex is done in float32: its probabilities are right to about 1e-6.

    | vector | treated as |
    | --- | --- |
    | of an L1 norm above `radius` | scaled back to it |
    | with a NaN or infinite entry, or of infinite norm | zero |
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    radius: float
    lie: words.Word
    kept: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "radius", "kept")

    @classmethod
    @takes_numpys
    def of(cls, dim: int, epsilon: float, radius: float) -> VertexResponse:
        """The mechanism with the fewest lies.

        Raises:
          ValueError: if `dim` is not in [1, 32768], `epsilon` not in [1e-6, inf) or `radius` not
            positive and finite.
        """
        _check(dim, epsilon, radius, MOST_NAMED)
        count = outside_words(epsilon, 1, 2 * dim - 1)
        kept = 1 - Fraction(2 * dim * count, words.SIZE * (2 * dim - 1))
        return cls(dim, float(epsilon), float(radius), words.word(count), float(kept))

    @property
    def bound(self) -> float:
        """The norm of every report, and the size of its one entry."""
        return self.radius / self.kept

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: each vertex as the rarest lie."""
        rarest = words.integer(self.lie) * (words.SIZE // (2 * self.dim - 1))
        return words.at_most(Fraction(2 * self.dim * rarest, words.SIZE**2))

    @property
    def worst_error(self) -> float:
        """The largest mean squared error: that at zero."""
        return self.error(0.0)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - x|², at a vector of this Euclidean norm."""
        return self.bound**2 - norm**2

    @per_shape
    def sample(self, key: PRNGKeyArray, rows: Float[Array, "n dim"]) -> Float[Array, "n dim"]:
        """One report for each row.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        for_vertex, for_response = jax.random.split(key)
        place, up = _vertices(for_vertex, rows, self.dim, self.radius)
        named = respond(for_response, 2 * place + up, 2 * self.dim, self.lie).astype(jnp.int32)
        at = jnp.arange(self.dim) == (named // 2)[:, None]
        return jnp.where(at, jnp.where(named % 2 == 1, self.bound, -self.bound)[:, None], 0.0)


@node
@dataclass(frozen=True)
class VertexSigns:
    """Fair signs, but the sampled vertex's is likely right. Build it with `of`.

    **Guarantee**, **Error** and edge cases are those of `VertexResponse`: pure
    `epsilon`-local differential privacy, the probability of a lie a multiple of 2^-64.
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    radius: float
    lie: words.Word
    kept: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "radius", "kept")

    @classmethod
    @takes_numpys
    def of(cls, dim: int, epsilon: float, radius: float) -> VertexSigns:
        """The mechanism with the fewest lies.

        Raises:
          ValueError: if `dim` is not in [1, 2^25], `epsilon` not in [1e-6, inf) or `radius` not
            positive and finite.
        """
        _check(dim, epsilon, radius, LARGEST_DIM)
        count = outside_words(epsilon, 1, 1)
        kept = 1 - Fraction(2 * count, words.SIZE)
        return cls(dim, float(epsilon), float(radius), words.word(count), float(kept))

    @property
    def largest(self) -> float:
        """The size of every entry."""
        return self.radius / self.kept

    @property
    def bound(self) -> float:
        """The norm of every report."""
        return self.largest * math.sqrt(self.dim)

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: fair signs, twice as often as lies."""
        return words.at_most(Fraction(2 * words.integer(self.lie), words.SIZE))

    @property
    def worst_error(self) -> float:
        """The largest mean squared error: that at zero."""
        return self.error(0.0)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - x|², at a vector of this Euclidean norm."""
        return self.bound**2 - norm**2

    @per_shape
    def sample(self, key: PRNGKeyArray, rows: Float[Array, "n dim"]) -> Float[Array, "n dim"]:
        """One report for each row.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        for_vertex, for_lie, for_signs = jax.random.split(key, 3)
        place, up = _vertices(for_vertex, rows, self.dim, self.radius)
        named = up ^ words.below(for_lie, self.lie, up.shape)
        # One bit a sign, 32 to a word.
        drawn = jax.random.bits(for_signs, (len(rows), -(-self.dim // 32)), jnp.uint32)
        coins = (drawn[:, :, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
        coins = coins.reshape(len(rows), 32 * coins.shape[1])[:, : self.dim] == 1
        at = jnp.arange(self.dim) == place[:, None]
        return jnp.where(jnp.where(at, named[:, None], coins), self.largest, -self.largest)


def lowest_error(dim: int, epsilon: float, radius: float) -> VertexResponse | VertexSigns:
    """The one whose worst mean squared error is lower; signs where the vertices cannot be named."""
    signs = VertexSigns.of(dim, epsilon, radius)
    if dim > MOST_NAMED:
        return signs
    response = VertexResponse.of(dim, epsilon, radius)
    return response if response.worst_error < signs.worst_error else signs


def _vertices(
    key: PRNGKeyArray, rows: Float[Array, "n dim"], dim: int, radius: float | Array
) -> tuple[Int32[Array, " n"], Array]:
    """A vertex for each row: its coordinate, and whether its sign is up."""
    refuse_other_columns(rows, dim)
    each = jax.random.split(key, len(rows)), rows
    own = partial(_vertex, dim, radius)
    return lax.map(own, each, batch_size=_BLOCK // dim or None)


def _vertex(
    dim: int, radius: float | Array, person: tuple[PRNGKeyArray, Float[Array, " dim"]]
) -> tuple[Int32[Array, ""], Array]:
    """Of one person, of their key and row."""
    key, row = person
    for_place, for_other, for_sign = jax.random.split(key, 3)
    sizes = jnp.abs(row / radius)
    usable = jnp.isfinite(jnp.sum(sizes))
    ends = jnp.cumsum(jnp.where(usable, sizes, 0.0))
    drawn = jax.random.uniform(for_place) * jnp.maximum(ends[-1], 1.0)
    place = jnp.sum(ends <= drawn, dtype=jnp.int32)
    left = place >= dim
    place = jnp.where(left, jax.random.randint(for_other, (), 0, dim), place)
    return place, jnp.where(left, jax.random.bernoulli(for_sign), row[place] > 0)


def _check(dim: int, epsilon: float, radius: float, most: int) -> None:
    refuse_not_whole("dim", dim, 1, most)
    if not (is_number(epsilon) and 1e-6 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 1e-6 and finite, got {got(epsilon)}")
    refuse_not_positive("radius", radius)
