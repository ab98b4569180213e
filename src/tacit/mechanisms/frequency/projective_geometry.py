"""Projective geometry response: categories are points of a finite plane, reports points on a line.

Let q be a prime and t >= 2. The points are the K = (q^t - 1)/(q - 1) lines through zero of F_q^t,
each written as its vector whose last nonzero coordinate is one. t is the least with K >= k, and
category x is the point number x. A report is a point too, and supports the categories orthogonal
to it: a hyperplane of c = (q^(t-1) - 1)/(q - 1) points, about one in q. A person reports a uniform
one of the c points orthogonal to their category with probability T = cE/(cE + q^(t-1)),
E = e^epsilon, and a uniform one of the q^(t-1) others else.

**Two points** x ≠ x' are both orthogonal to c' = (q^(t-2) - 1)/(q - 1) points. So own = T, and as
c - c' = q^(t-2), other = T c'/c + (1 - T)/q. With q near E + 1 the variance of a rare category is
close to 4E/(E - 1)²; the error is exact for the q at hand.

**Sampling.** The last nonzero coordinate of x, its pivot, is one, so any choice of the other t - 1
coordinates of u, and of the value of u·x, gives the coordinate at the pivot. Points orthogonal to x
are in bijection with the points of F_q^(t-1), the others (scaled to u·x = 1) with all its vectors:
one number below c or below q^(t-1) is all that is drawn. Its unevenness is inside `outside_words`.

**Blanket.** The first k points contain the t unit vectors, because t is the least, so no report is
orthogonal to all categories: the mass is K q^(1-t) (1 - T).

**Server.** Write N for the table of reports, u = (u', u_t) and x = (x', x_t).

* Reports with u_t = 0 are points u' of a smaller space, those with u_t = 1 all vectors u'. Let
  R_0(v, z) and R_1(v, z) be how many of each have u'·v = z, for the points v of that space.
* A category with x_t = 0 has R_0(x', 0) + R_1(x', 0) supporters. One with x_t = 1 and x' = a v,
  a ≠ 0, has R_0(v, 0) + R_1(v, -1/a), and one with x' = 0 all reports with u_t = 0.
* R comes pivot by pivot, by a dynamic program over coordinates: start with the number of u' that
  have each (u_1, ..., u_j), let z = u_j, and replace one u_i at a time by v_i, adding up over
  u_i what goes from z - u_i v_i to z. A step keeps the size of the table and takes q additions a
  cell: K q t altogether, and the exact integers.

References:
    Feldman, Nelson, Nguyen and Talwar 2022, "Private frequency estimation via projective geometry"
        (Section 3 and Algorithm 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, Integer, PRNGKeyArray, UInt32

from tacit.argument import keep_pythons
from tacit.mechanisms.alone import narrow
from tacit.mechanisms.frequency.randomised_response import (
    Reports,
    Support,
    check,
    histogram,
    outside_mass,
    outside_words,
    public,
    tally,
)
from tacit.mechanisms.frequency.subset_selection import LARGEST_PRIME, is_prime
from tacit.noise import words

# The most vectors q^t of a space that is not a line: the moduli of residues stay below 2^24, and
# what the server does below two seconds.
MOST_VECTORS = 2**29


@dataclass(frozen=True)
class Space:
    """The points of F_q^t, q the prime `order` and t the `dimension`."""

    order: int
    dimension: int

    @staticmethod
    def least(order: int, points: int) -> Space:
        """The smallest space over this field with so many points."""
        space = Space(order, 2)
        while space.points < points:
            space = Space(order, space.dimension + 1)
        return space

    @property
    def points(self) -> int:
        return (self.order**self.dimension - 1) // (self.order - 1)

    @property
    def near(self) -> int:
        """How many points are orthogonal to one."""
        return self.points // self.order

    @property
    def far(self) -> int:
        """How many are not."""
        return self.points - self.near

    @property
    def allowed(self) -> bool:
        return self.dimension == 2 or self.order**self.dimension <= MOST_VECTORS

    def support(self, epsilon: float) -> Support:
        """How likely a point orthogonal to the person's category, and to another, is reported."""
        own = 1 - Fraction(outside_words(epsilon, self.near, self.far), words.SIZE)
        both = self.near // self.order
        return Support(own, own * Fraction(both, self.near) + (1 - own) / self.order)


@final
@dataclass(frozen=True)
class ProjectiveGeometry:
    """Reports a point, more likely one that is orthogonal to the person's category.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of a point that is not orthogonal is a multiple of 2^-64, rounded
    up so far that the residues' unevenness of 2^-64 is covered too.

    **Error**: `variance` and `error` are exact up to that unevenness: a report's law is within
    K/2^65 of the ideal one in total variation. The space is the best of those over the two primes
    on each side of E + 1, and of those of every dimension that just have k points.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | k = 2 | randomised response over 3 categories |
    | `epsilon` above log k | t = 2: randomised response over q + 1 categories |
    | `epsilon` above 6.7, k above 4000 | up to four times the least error: q^t <= 2^29 for t > 2 |
    | huge `epsilon` | the other points still have probability 2^-64 at least |
    | nobody | `sample` returns no reports, `estimate` raises |

    Args:
      epsilon: At least 1e-6.
      categories: k, from 2 to 65521.

    Raises:
      ValueError: if a parameter is outside its range.
    """

    epsilon: float
    categories: int

    def __post_init__(self) -> None:
        keep_pythons(self, "epsilon", "categories")
        check(self.epsilon, self.categories, LARGEST_PRIME)

    @cached_property
    def space(self) -> Space:
        """The space with the least error."""
        fields = _fields(self.epsilon, self.categories)
        spaces = [Space.least(q, self.categories) for q in fields]
        return min(
            (space for space in spaces if space.allowed),
            key=lambda space: space.support(self.epsilon).error(1, self.categories),
        )

    @cached_property
    def misses(self) -> int:
        """The probability of a point not orthogonal to the category, in units of 2^-64."""
        return outside_words(self.epsilon, self.space.near, self.space.far)

    @cached_property
    def support(self) -> Support:
        return self.space.support(self.epsilon)

    @property
    def report_bits(self) -> int:
        return (self.space.points - 1).bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, rounded down."""
        return words.at_most(outside_mass(self.misses, self.space.near, self.space.far))

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, " people"]:
        """The number of a point a person."""
        order, missing = np.uint32(self.space.order), words.word(self.misses)
        return point(key, narrow(values), self.categories, order, self.space.dimension, missing)

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present report a point orthogonal to each category."""
        received = histogram(jnp.asarray(reports), present, self.space.points)
        return orthogonal(received, self.space)[: self.categories]

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(self.counts(reports), len(reports))

    def counts(self, reports: Reports) -> Integer[np.ndarray, " categories"]:
        """How many of the reported points are orthogonal to each category.

        Raises:
          ValueError: if a report is the number of no point.
        """
        received = tally(reports, self.space.points).astype(np.int32)
        return np.asarray(orthogonal(jnp.asarray(received), self.space))[: self.categories]

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


@partial(jax.jit, static_argnums=4)
def point(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    categories: Array | int,
    order: Array | np.uint32,
    dimension: int,
    misses: words.Word,
) -> UInt32[Array, " people"]:
    """A point for each person, not orthogonal to theirs with probability `misses` / 2^64."""
    for_branch, for_near, for_far = jax.random.split(key, 3)
    q, x = jnp.uint32(order), public(values, categories)
    missing = words.below(for_branch, misses, x.shape)
    vectors = q ** (dimension - 1)
    near = _code(_residue(for_near, (vectors - 1) // (q - 1), x.shape), q, dimension - 1)
    far = _residue(for_far, vectors, x.shape)
    free = _digits(jnp.where(missing, far, near), q, dimension - 1)
    return _number(_solve(_digits(_code(x, q, dimension), q, dimension), free, missing, q), q)[0]


def _solve(
    x: list[UInt32[Array, " people"]],
    free: list[UInt32[Array, " people"]],
    product: Bool[Array, " people"],
    q: UInt32[Array, ""],
) -> list[UInt32[Array, " people"]]:
    """The vectors with this inner product with x, and these coordinates away from its pivot."""
    zero = jnp.zeros_like(x[0])
    above = [sum(x[i + 1 :], zero) > 0 for i in range(len(x))]
    terms = [jnp.where(a, c * f % q, 0) for a, c, f in zip(above[:-1], x[:-1], free, strict=True)]
    rest = (product.astype(jnp.uint32) + q - sum(terms, zero) % q) % q
    here = [jnp.where(c > 0, rest, f) for c, f in zip(x, [zero, *free], strict=True)]
    return [jnp.where(a, f, h) for a, f, h in zip(above, [*free, zero], here, strict=True)]


def _code(
    index: UInt32[Array, " n"], q: UInt32[Array, ""] | int, dimension: int
) -> UInt32[Array, " n"]:
    """The number whose digits to the base q are the vector of a point."""
    power, start, code = jnp.uint32(1), jnp.uint32(0), index + 1
    for _ in range(dimension - 1):
        power, start = power * q, start + power
        code = jnp.where(index >= start, index - start + power, code)
    return code


def _digits(
    number: UInt32[Array, " n"], q: UInt32[Array, ""] | int, count: int
) -> list[UInt32[Array, " n"]]:
    """The digits of a number to the base q, from the lowest."""
    digits = []
    for _ in range(count):
        number, digit = jnp.divmod(number, jnp.uint32(q))
        digits.append(digit)
    return digits


def _number(
    vector: list[UInt32[Array, " n"]], q: UInt32[Array, ""] | int
) -> tuple[UInt32[Array, " n"], UInt32[Array, " n"]]:
    """The number of the point through a vector that is not zero, and 1 over its last coordinate."""
    last = vector[0]
    for c in vector[1:]:
        last = jnp.where(c > 0, c, last)
    scale = _inverse(last, jnp.uint32(q))
    power, start = jnp.uint32(1), jnp.uint32(0)
    code = shift = jnp.zeros_like(last)
    for c in vector:
        code = code + c * scale % q * power
        shift = jnp.where(c > 0, start - power, shift)
        power, start = power * q, start + power
    return code + shift, scale


def _inverse(number: UInt32[Array, " n"], q: UInt32[Array, ""]) -> UInt32[Array, " n"]:
    """`number`^(q-2), by repeated squaring."""

    def square(state):
        left, base, result = state
        return left >> 1, base * base % q, jnp.where(left & 1, result * base % q, result)

    start = q - 2, number, jnp.ones_like(number)
    return jax.lax.while_loop(lambda state: state[0] > 0, square, start)[2]


def _residue(
    key: PRNGKeyArray, modulus: UInt32[Array, ""], shape: tuple[int, ...]
) -> UInt32[Array, "*shape"]:
    """A 64-bit word modulo a number up to 2^24, byte by byte."""
    rest = jnp.zeros(shape, jnp.uint32)
    for half in jax.random.bits(key, (2, *shape), jnp.uint32):
        for place in (24, 16, 8, 0):
            rest = (rest << 8 | half >> place & 255) % modulus
    return rest


@partial(jax.jit, static_argnums=1)
def orthogonal(counts: Int32[Array, " points"], space: Space) -> Int32[Array, " points"]:
    """For each point, how many of the counted ones are orthogonal to it."""
    q, rest = space.order, space.dimension - 1
    vectors = q**rest
    smaller = jnp.arange(space.points - vectors, dtype=jnp.uint32)
    level, top = counts[: len(smaller)], counts[len(smaller) :]
    spread = jnp.zeros_like(top).at[_code(smaller, q, rest)].set(level)
    flat, high = _products(jnp.stack([spread, top]), q, rest)
    nonzero = _digits(jnp.arange(1, vectors, dtype=jnp.uint32), q, rest)
    direction, scale = _number(nonzero, q)
    raised = flat[direction, 0] + high[direction, q - scale]
    return jnp.concatenate([flat[:, 0] + high[:, 0], level.sum()[None], raised])


def _products(
    tables: Int32[Array, "tables vectors"], q: int, dimension: int
) -> Int32[Array, "tables points q"]:
    """How many of the counted vectors have each inner product with each point."""
    count = len(tables)
    table = tables.reshape(count, 1, q, -1)
    # Points whose pivot is above i have their u_i replaced; then those with pivot i join them.
    for i in reversed(range(dimension - 1)):
        replaced = _replace(table.reshape(count, -1, q, q, q**i))
        joining = tables.reshape(count, -1, q, q**i).sum(1, keepdims=True)
        table = jnp.concatenate([joining, replaced.reshape(count, -1, q, q**i)], axis=1)
    return table[..., 0]


def _replace(table: Int32[Array, "tables done q q rest"]) -> Int32[Array, "tables done q q rest"]:
    """Adds up over a coordinate u, for each v, the counts whose product grows by u v to z."""
    q = table.shape[2]
    z, u = np.arange(q)[:, None], np.arange(q)

    def with_v(v: Int[Array, ""]) -> Int32[Array, "tables done q rest"]:
        return table[:, :, (z - u * v) % q, u].sum(3)

    return jnp.moveaxis(jax.lax.map(with_v, jnp.arange(q)), 0, 2)


def _fields(epsilon: float, categories: int) -> list[int]:
    """The primes worth a comparison."""
    least = {_least_field(categories, t) for t in range(2, categories.bit_length() + 2)}
    near = int(min(math.exp(min(epsilon, 700.0)) + 1, max(least)))
    below, above = _primes(range(near, 1, -1)), _primes(range(near + 1, max(least)))
    return sorted({*least, *islice(below, 2), *islice(above, 2)})


def _least_field(points: int, dimension: int) -> int:
    """The smallest prime with so many points in this dimension, at most (q + 1)^(t - 1)."""
    start = max(2, int(points ** (1 / (dimension - 1))) - 1)
    found = _primes(range(start, LARGEST_PRIME + 1))
    return next(q for q in found if Space(q, dimension).points >= points)


def _primes(numbers: range) -> Iterator[int]:
    return (number for number in numbers if is_prime(number))
