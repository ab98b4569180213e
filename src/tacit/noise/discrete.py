"""Discrete Laplace and discrete Gaussian noise: whole numbers, no float decides a draw.

Both laws are put together from draws of small tables, whose masses are integers with a proven
distance from the exact law (`noise.tables`), as a number is from digits, by Horner's rule.

1. *Laplace*, mass proportional to x^|k| with x = e^-a. Let G be geometric, P(G = g) = (1-x) x^g,
   and let k be G with probability 1/(1+x) and -1-G otherwise. A negative k has G = |k| - 1 and mass
   x/(1+x) (1-x) x^(|k|-1), so either way it is x^|k| (1-x)/(1+x), and zero is counted once. The
   digits of G in any base B are independent, since x^g is a product over them, and -1-G has the
   digits B-1 minus those of G under its leading one. So the leading digit comes with the sign from
   one table, each other digit from its own, turned around below zero. All of this is exact but for
   the tables.
2. *A joint of Gaussians*, mass proportional to e^(-k²/2sigma²). Let X, Y be independent discrete
   Gaussians of deviations u, s, and n a value of b X + Y. Completing the square,

       sum_j e^(-j²/2u² - (n-bj)²/2s²) = e^(-n²/2(b²u² + s²)) sum_j e^(-(j - mn)²/2t²),

   with 1/t² = 1/u² + b²/s² and some m. By Poisson's formula the last sum is a constant times

       1 + 2 sum_i e^(-2 pi² t² i²) cos(2 pi i mn).

   If t² >= 3, it is constant within r < 2.01 e^(-6 pi²) relatively, and b X + Y is within
   r/(1-r) < 2^-84 of the discrete Gaussian of variance b²u² + s².
3. *Gaussian.* When u >= s and s² >= 3 (1 + b²), t² >= 3. So one table of deviation s serves for
   every digit: X_0 + b X_1 + b² X_2 + ... has variance s² (1 + b² + b⁴ + ...), and s is chosen to
   make it sigma².
4. *Distance.* Total variation adds up over tables and over joints, as functions of independent
   draws never increase it: at most 2^-79 a draw, computed and rounded up in `tv_distance`. A
   release of d draws is within d `tv_distance` of one with exact noise, for which
   `accounting.reserve` pays out of delta.

References:
    Ghosh, Roughgarden and Sundararajan 2009 (the two-sided geometric mechanism).
    Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy".
    Micciancio and Walter 2017, "Gaussian sampling over the integers" (sums of narrow ones).
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int32, Key, PRNGKeyArray, UInt32

from tacit.noise.fixed import LIMB
from tacit.noise.tables import ROWS, AliasTable, draw, table
from tacit.noise.weights import Weights, weights

# Six digits reach it, and 2^46 steps of a grid hold 64 such deviations.
LARGEST_SCALE = 2.0**40
# Up to here tables hold no value that 32 bits do not.
LARGEST_NARROW = 2.0**24

# Tables of signed numbers hold -HALF to HALF - 1, so e^-60 and e^-81 are cut off the widest.
HALF = ROWS // 2
# Tables of 128 KiB that are kept: plans that are compared have the same noise again and again.
MOST_TABLES = 64
WIDEST_LAPLACE, WIDEST_GAUSSIAN = 68, 320
# The least t² of step 2, and the distance that it costs at each joint.
SMOOTH, JOINT, ZERO = Fraction(3), Fraction(1, 2**84), Fraction(0)

Limbs = tuple[Int32[Array, "*shape"], Int32[Array, "*shape"]]


@final
class DiscreteLaplaceLaw(eqx.Module):
    """Integers k with probability proportional to e^(-`parameter` |k|). Build it with `of`.

    **Error**: within `tv_distance` of that law in total variation, a draw; `variance` is the law's.

    One program for all parameters with as many digits (1 up to a scale of 68, 2 to 557,000, 3 to
    4e9, then 4): arrays are traced.
    """

    parameter: float
    tv_distance: float
    base: Int32[Array, ""]
    tables: UInt32[Array, "digits 4 rows"]
    narrow: bool = eqx.field(static=True)

    @classmethod
    def of(cls, parameter: float) -> DiscreteLaplaceLaw:
        """The law of scale 1 / `parameter`, for this very float.

        Raises:
          ValueError: if `parameter` is not in [2^-40, inf).
        """
        if not 1 / LARGEST_SCALE <= parameter < math.inf:
            raise ValueError(f"parameter must be at least 2^-40 and finite, got {parameter}")
        base, made = laplace_tables(Fraction(parameter), WIDEST_LAPLACE)
        return cls(
            float(parameter),
            math.nextafter(sum(each.tv_distance for each in made), math.inf),
            jnp.asarray(base, jnp.int32),
            jnp.stack([jnp.asarray(each.columns) for each in made]),
            parameter * LARGEST_NARROW >= 1,
        )

    @property
    def variance(self) -> float:
        """2x/(1-x)² with x = e^-parameter."""
        return 2 * math.exp(-self.parameter) / math.expm1(-self.parameter) ** 2

    def sample(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Int32[Array, "*shape"]:
        """Independent draws.

        Raises:
          ValueError: if the scale is above 2^24, where `limbs` must be used.
        """
        _refuse_unless(self.narrow)
        high, low = self.limbs(key, shape)
        return high * LIMB + low

    @functools.partial(jax.jit, static_argnums=2)
    def limbs(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        """Independent draws as (high, low): 2^15 high + low, with low in [0, 2^15)."""
        digits = len(self.tables)
        least = jnp.where(jnp.arange(digits) == 0, -HALF, 0)

        def step(number: Limbs, level: tuple) -> tuple[Limbs, None]:
            keys, columns, least = level
            digit = draw(keys, columns, shape) + least
            turned = jnp.where(number[0] < 0, self.base - 1 - digit, digit)
            return _append(number, self.base, turned), None

        levels = jax.random.split(key, (digits, 2)), self.tables, least
        return lax.scan(step, _zero(shape), levels)[0]


@final
class DiscreteGaussianLaw(eqx.Module):
    """Integers k with probability proportional to e^(-k² / 2 `sigma`²). Build it with `of`.

    **Error**: within `tv_distance` of that law in total variation, a draw; `variance` is the law's.

    One program for all deviations with as many digits (1 up to 320, 2 to 5e4, 3 to 1e7, 4 to 2e9,
    5 to 3e11, then 6): arrays are traced.
    """

    sigma: float
    tv_distance: float
    base: Int32[Array, ""]
    columns: UInt32[Array, "4 rows"]
    digits: int = eqx.field(static=True)
    narrow: bool = eqx.field(static=True)

    @classmethod
    def of(cls, sigma: float) -> DiscreteGaussianLaw:
        """The law whose exponent has this very float.

        Raises:
          ValueError: if `sigma` is not in (0, 2^40].
        """
        if not 0 < sigma <= LARGEST_SCALE:
            raise ValueError(f"sigma must be positive and at most 2^40, got {sigma}")
        digits, base, narrowed = _gaussian_digits(Fraction(sigma) ** 2)
        made = gaussian_table(narrowed, ROWS)
        return cls(
            float(sigma),
            math.nextafter(digits * made.tv_distance + (digits - 1) * JOINT, math.inf),
            jnp.asarray(base, jnp.int32),
            jnp.asarray(made.columns),
            digits,
            sigma <= LARGEST_NARROW,
        )

    @property
    def variance(self) -> float:
        """Below `sigma`² by less than a float shows, from a deviation of 3 on."""
        if self.sigma >= 3:
            return self.sigma**2
        ratios = (k / self.sigma for k in range(1, 130))
        masses = [math.exp(-ratio * ratio / 2) for ratio in ratios]
        squares = math.fsum(k * k * mass for k, mass in enumerate(masses, 1))
        return 2 * squares / (1 + 2 * math.fsum(masses))

    def sample(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Int32[Array, "*shape"]:
        """Independent draws.

        Raises:
          ValueError: if `sigma` is above 2^24, where `limbs` must be used.
        """
        _refuse_unless(self.narrow)
        high, low = self.limbs(key, shape)
        return high * LIMB + low

    @functools.partial(jax.jit, static_argnums=2)
    def limbs(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        """Independent draws as (high, low): 2^15 high + low, with low in [0, 2^15)."""

        def step(number: Limbs, keys: Key[Array, " two"]) -> tuple[Limbs, None]:
            return _append(number, self.base, draw(keys, self.columns, shape) - HALF), None

        return lax.scan(step, _zero(shape), jax.random.split(key, (self.digits, 2)))[0]


@functools.lru_cache(maxsize=MOST_TABLES)
def laplace_tables(rate: Fraction, widest: int) -> tuple[int, tuple[AliasTable, ...]]:
    """The base of the digits of e^(-`rate` |k|), and their tables, the leading one first."""
    digits, base = _laplace_digits(rate, widest)
    leading = rate * base ** (digits - 1)
    made = [_signed(*(weights(start, leading, ZERO, HALF) for start in (ZERO, rate)))]
    for place in reversed(range(digits - 1)):
        digit = weights(ZERO, rate * base**place, ZERO, base)
        made.append(table(digit.lower, digit.slack))
    return base, tuple(made)


@functools.lru_cache(maxsize=MOST_TABLES)
def gaussian_table(variance: Fraction, rows: int) -> AliasTable:
    """The table of -`rows`/2 to `rows`/2 - 1 with mass proportional to e^(-k² / 2 variance)."""
    c = 1 / (2 * variance)
    # j² = j + j(j-1).
    upwards = weights(ZERO, c, 2 * c, rows // 2 + 1)
    missing = 2 * (upwards.slack + upwards.tail) + upwards.lower[-1]
    return table([*reversed(upwards.lower[1:]), *upwards.lower[:-1]], missing, rows)


def _laplace_digits(rate: Fraction, widest: int) -> tuple[int, int]:
    """The fewest digits, and the least base that lets the leading one fit a scale of `widest`."""
    least = 1 / (widest * rate)
    digits = 1
    while ROWS ** (digits - 1) < least:
        digits += 1
    bases = range(1, ROWS + 1)
    return digits, bases[bisect_left(bases, least, key=lambda base: base ** (digits - 1))]


def _gaussian_digits(variance: Fraction) -> tuple[int, int, Fraction]:
    """The fewest digits that fit the table, the largest smooth base, and the table's variance."""
    digits, base, spread = 1, 1, 1
    while variance > spread * WIDEST_GAUSSIAN**2:
        digits += 1
        base = bisect_right(_smooth(digits, WIDEST_GAUSSIAN), variance)
        spread = _spread(base, digits)
    return digits, base, variance / spread


@functools.cache
def _smooth(digits: int, end: int) -> list[Fraction]:
    """The least variance that so many digits are smooth for, in each base below `end`."""
    return [SMOOTH * (1 + base**2) * _spread(base, digits) for base in range(1, end)]


def _spread(base: int, digits: int) -> int:
    return sum(base ** (2 * place) for place in range(digits))


def _signed(upwards: Weights, downwards: Weights) -> AliasTable:
    """The table of -`HALF` to `HALF` - 1, from the weights of 0, 1, ... and of -1, -2, ..."""
    missing = sum(half.slack + half.tail for half in (upwards, downwards))
    return table([*reversed(downwards.lower), *upwards.lower], missing)


def _zero(shape: tuple[int, ...]) -> Limbs:
    return jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32)


def _append(number: Limbs, base: Int32[Array, ""], digit: Int32[Array, "*shape"]) -> Limbs:
    """base times the number plus the digit; nothing overflows, for base and |digit| <= 2^13."""
    low = number[1] * base + digit
    return number[0] * base + low // LIMB, low % LIMB


def _refuse_unless(narrow: bool) -> None:
    if not narrow:
        raise ValueError("32-bit draws must have a scale of at most 2^24: take `limbs`")
