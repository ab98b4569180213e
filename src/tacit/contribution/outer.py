"""Second moments: what a person's vector x adds to the sum is the matrix x x'.

With z = (a, x) one such sum holds the number of people, the sum of their vectors, and all squares
and products: count, mean and covariance from one question.

**How far one person moves it.** Let no x be longer than B.

1. x x' has one eigenvalue that is not zero, |x|², so its Frobenius norm and its nuclear norm (the
   sum of the sizes of its eigenvalues) are both |x|² <= B².
2. Of two people, x x' - y y' has at most two, r >= 0 >= -s, with r - s = |x|² - |y|² for the trace
   and r² + s² = |x|⁴ + |y|⁴ - 2 (x'y)² for the Frobenius norm. So

       r² + s² <= 2 B⁴,     (r + s)² = 2 (r² + s²) - (r - s)² = (|x|² + |y|²)² - 4 (x'y)² <= 4 B⁴,

   both with equality for two orthogonal vectors of length B.
3. On a line there are none: two numbers of [0, B²] are at most B² apart.
4. Among d² numbers the sum of sizes is at most d times the Frobenius norm.

| norm | one more or less | one replaced | replaced, d = 1 |
| --- | --- | --- | --- |
| Frobenius | B² | sqrt(2) B² | B² |
| nuclear | B² | 2 B² | B² |

**Exact sums, as fast as matrix products.** Members have whole multiples of u = B/`levels` for
coordinates, so that all that is summed is a whole multiple of u². A vector is rounded to the
nearest of these; where that makes it longer than B, which is asked in whole numbers, it is cut
towards zero instead, a little shortened before: there is no rounding left to argue about.

5. Of a coordinate k <= 2^13, k = 2^7 h + l with |h|, |l| <= 2^6. So every product of two such
   digits is at most 2^12, and so many as `ROWS` = 2^12 people's add up to at most 2^24: in float32
   every partial sum is exact, in whatever order a matrix product forms them.
6. Three products, h'h, h'l and l'l, are put together in whole numbers.

Sums have 2^46 steps to either side, so `levels`² people bear no more than `ROOM` = 2^44 of them.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int32, Num

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_whole
from tacit.contribution.numbers import inwards
from tacit.contribution.shape import is_length
from tacit.contribution.vectors import lengths, shortened
from tacit.in_memory import from_memory
from tacit.noise.fixed import FixedPoint

# Steps of a coordinate, and the most, whose digits are those of step 5.
LEVELS, MOST_LEVELS = 2**12, 2**13
# People of one product of matrices, and what a digit counts.
ROWS, DIGIT = 2**12, 2**7
ROOM = 2**44
# Into how many steps a unit may be divided, as a power of two.
MOST_DIVIDED = 15
# A little beyond what a refusal names, for numbers that are moved inwards.
LEAST_RADIUS, MOST_RADIUS = 2.0**-30, 2.0**30
# What float32 takes for a vector that is no longer than B, at most, relatively.
_SPARE = 2.0**-18


@final
class Outer(eqx.Module):
    """The squares x x' of vectors of `dim` numbers with L2 norm at most `radius`.

    A term is the vector; the answer is the mean of the matrices, `dim` x `dim`.

    **Guarantee**: after `project` every coordinate is a whole multiple of `radius`/`levels`, and
    the sum of their squares, in these, is at most `levels`²: exactly.

    | term | becomes |
    | --- | --- |
    | norm at most `radius` | the nearest vector of multiples, if it is no longer than `radius` |
    | of which rounding makes a longer one | cut towards zero, to multiples |
    | norm above `radius` | the same of the vector of norm `radius` in its direction |
    | any coordinate NaN or infinite, or a norm that overflows | zero |

    Args:
      dim: of the vectors.
      radius: the longest; moved inwards to the nearest float32 number.
      levels: a power of two: the multiples along one axis. Fewer let more people be summed.

    Raises:
      ValueError: if one of them is out of its range.
    """

    dim: int = eqx.field(static=True, converter=counted)
    radius: float = eqx.field(converter=lambda x: inwards(x, -math.inf))
    levels: int = eqx.field(static=True, default=LEVELS, converter=counted)

    def __check_init__(self):
        if not (is_whole(self.dim) and self.dim >= 1):
            raise ValueError(
                "second moments need at least one dimension, and a whole number of them, got "
                f"dim={got(self.dim)}"
            )
        if not (is_length(self.radius) and LEAST_RADIUS <= self.radius <= MOST_RADIUS):
            raise ValueError(
                f"the radius of second moments must be from 1e-09 to 1e+09, got {got(self.radius)}"
            )
        if not (is_whole(self.levels) and self.levels in _POWERS):
            raise ValueError(
                f"levels must be a power of two from 2 to {MOST_LEVELS:,}, got {got(self.levels)}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim, self.dim)

    @property
    def bound(self) -> float:
        return self.radius * self.radius

    @property
    def unit(self) -> float:
        return self.bound / self.levels**2

    @property
    def most_people(self) -> int:
        """How many people's squares may be summed."""
        return ROOM // self.levels**2

    def project(self, terms: Num[Array, "people dim"]) -> Float[Array, "people dim"]:
        side = self.radius / self.levels

        def fitting(whole: Array) -> Array:
            nearest, cut = jnp.round(whole), jnp.trunc(whole * (1 - _SPARE))
            return jnp.where(self._fits(nearest), nearest, jnp.where(self._fits(cut), cut, 0.0))

        return from_memory(fitting, shortened(terms, lengths, self.radius) / side) * side

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.answer_shape, grid)

    def add(
        self, total: FixedPoint, terms: Float[Array, "people dim"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        # Multiples are whole but for the rounding of float32.
        whole = jnp.where(present[:, None], jnp.round(terms * (self.levels / self.radius)), 0.0)
        # Steps divide a unit into a power of two; on a coarser grid nothing would be exact.
        power = jnp.round(jnp.log2(self.unit / total.step)).astype(jnp.int32)
        divided = jnp.clip(power, 0, MOST_DIVIDED)
        steps = jnp.where(power == divided, 1 << divided, 0)
        return total.plus(_squares(whole).times(steps, total.step))

    def sensitivity(self, relation: Relation) -> float:
        """In the Frobenius norm."""
        return self._apart(relation, math.sqrt(2))

    def nuclear_sensitivity(self, relation: Relation) -> float:
        """The largest sum of sizes of the eigenvalues of what neighbouring sums differ by."""
        return self._apart(relation, 2.0)

    def l1_sensitivity(self, relation: Relation) -> float:
        """A bound, for the sum of sizes of all numbers; exact in one dimension and in two."""
        return self.dim * self.sensitivity(relation)

    def _apart(self, relation: Relation, orthogonal: float) -> float:
        replaced = relation is Relation.REPLACE_ONE and self.dim > 1
        return self.bound * (orthogonal if replaced else 1.0)

    def _fits(self, whole: Float[Array, "people dim"]) -> Bool[Array, "people 1"]:
        squares = jnp.square(whole.astype(jnp.int32))
        return jnp.sum(squares, axis=1, keepdims=True) <= self.levels**2


# What the levels may be: a power of two divides B without rounding.
_POWERS = tuple(2**power for power in range(1, MOST_LEVELS.bit_length()))


def levels_for(people: int) -> int:
    """The finest that so many people's squares fit, up to the default.

    Raises:
      ValueError: if none are coarse enough.
    """
    fitting = (each for each in _POWERS if each <= LEVELS and people * each**2 <= ROOM)
    levels = max(fitting, default=0)
    if not levels:
        raise ValueError(
            f"squares are summed over at most {ROOM // _POWERS[0] ** 2:,} people, got {people:,}"
        )
    return levels


def _squares(whole: Float[Array, "people dim"]) -> FixedPoint:
    """The sum of k k' over rows of whole numbers k, of at most 2^13 each."""
    people, dim = whole.shape
    blocks = -(-people // ROWS)
    if blocks == 1:
        return _square(whole)
    padded = jnp.pad(whole, ((0, blocks * ROWS - people), (0, 0))).reshape(blocks, ROWS, dim)
    start = FixedPoint.zero((dim, dim), jnp.float32(1))
    return lax.scan(lambda total, own: (total.plus(_square(own)), None), start, padded)[0]


def _square(whole: Float[Array, "rows dim"]) -> FixedPoint:
    """The same of at most `ROWS` rows."""
    high = jnp.round(whole / DIGIT)
    low = whole - DIGIT * high
    tops, mixed, ends = _product(high, high), _product(high, low), _product(low, low)
    crossed = mixed + mixed.T
    # 2^14 tops + 2^7 crossed + ends, in limbs of 2^15.
    limbs = (tops >> 1) + (crossed >> 8), ((tops & 1) << 14) + ((crossed & 255) << 7) + ends
    return FixedPoint.zero(tops.shape, jnp.float32(1)).shifted(limbs)


def _product(one: Float[Array, "rows dim"], other: Float[Array, "rows dim"]) -> Int32[Array, "..."]:
    product = jnp.einsum("ni,nj->ij", one, other, precision=lax.Precision.HIGHEST)
    return product.astype(jnp.int32)
