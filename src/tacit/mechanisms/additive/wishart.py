"""The difference of two Wisharts: pure epsilon for sums of squares x x', on a grid.

Let W, W' be independent Wishart matrices of d dimensions, d + 1 degrees of freedom and scale
I/(2 rate), rate = epsilon / sensitivity. The noise is E = W - W', rounded to the grid of the sum.

**Privacy.** With df degrees of freedom the density of W is proportional to det(W)^((df-d-1)/2)
e^(-rate tr W) on positive matrices; with d + 1 the power is zero. So E has the density

    f(E) = c e^(-rate tr E) J(E),    J(E) the integral of e^(-2 rate tr M) over M >= 0, M >= -E.

1. Let D >= 0. The region of J(E + D) holds that of J(E), so J(E + D) >= J(E).
2. If M is in the region of J(E + D), M + D is in that of J(E), and e^(-2 rate tr M) is
   e^(2 rate tr D) e^(-2 rate tr(M + D)). So J(E + D) <= e^(2 rate tr D) J(E).
3. Hence f(E + D)/f(E) = e^(-rate tr D) J(E + D)/J(E) is from e^(-rate tr D) to e^(rate tr D).
4. Any symmetric D is a positive part less another, so |log f(E + D) - log f(E)| <= rate |D|, the
   nuclear norm: the sum of the sizes of its eigenvalues. Neighbouring sums are within `sensitivity`
   of one another in it.

**Products of normals.** W = G G'/(2 rate) with G of d x (d+1) standard normals, W' likewise with H.
U = (G + H)/sqrt(2) and V = (G - H)/sqrt(2) are such matrices too, independent, and G G' - H H' is
U V' + V U'. So E = (U V' + V U')/(2 rate). Given U its numbers are normal of mean zero, of
deviation |u_i|/rate on the diagonal and (|u_i|² + |u_j|²)^(1/2)/(2 rate) off it. Hence the variance
is (d+1)/rate² on the diagonal, and half of that off it; and each number's density falls to both
sides from at most rate/2 at zero, as E 1/|u_i| <= (pi/2)^(1/2).

**On the grid.** The sum is whole steps s, so the sum plus the rounded E is the rounding of the sum
plus E: a post-processing, and exactly as private. What is left is to round E exactly.

5. For U and V whole numbers K and L are drawn, discrete Gaussians of deviation k, and N = K L' +
   L K' is formed without any rounding. k is such that 2 rate s k² is a power of two, 2^t: then
   floor(N/2^t + 1/2), a shift of bits, is (K L' + L K')/(2 rate k²) in steps, rounded.
6. K is the sum of 2^(7i) X_i over `DIGITS` draws X_i from one table of a deviation from 222 to 320:
   a discrete Gaussian but for the distance of so many tables and joints, by steps 2 and 3 of
   `noise.discrete`. k is above 2^105, so that is a rounded normal to 2^-400 (`gaussian`).
7. Digits are carried, so that each is from -64 to 63, and the last is cut in two. A product of two
   is at most 2^12, so float32 forms matrices of sums of them exactly, up to 4,095 dimensions. From
   there on all are whole numbers of 32 bits.
8. K/k is U but for 1/2k in each number (and a part 2^-200). Where no row of U or V is longer than
   q + `FAR`, q = (d+1)^(1/2), that moves a number of E by z = q (q + `FAR` + 1)/(rate k) at most.
   Rows are longer with chance e^(-`FAR`²/2) at most: a row's length is a 1-Lipschitz function of
   normals, with a mean below q.
9. So N/2^t is rounded as E is, but where E is within z of the middle between two steps. A density
   that falls to both sides from at most rate has no more than 2 z times its mean over a step there,
   but for the middles next to its peak: in all a chance of 2 z (1/s + 2 rate).

The chance of 9 for d (d+1)/2 numbers, that of 8 for 2d rows, and the draws' distance are
`tv_distance`.

References:
    Jiang, Xie and Zhang 2016, "Wishart mechanism for differentially private principal components
        analysis": one Wishart alone, which is not private, as W >= 0 shows where the sum ends.
    d'Orsi and Novikov 2026, "On purely private covariance estimation": noise of density
        e^(-rate |E|) itself, the K-norm's of the nuclear norm, which we cannot draw without error.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int32, PRNGKeyArray, UInt32

from tacit.accounting import events
from tacit.accounting.events import KNormDpEvent
from tacit.argument import (
    refuse_negative,
    refuse_none_positive,
    refuse_not_counted,
    refuse_not_whole,
    takes_numpys,
)
from tacit.mechanisms.additive.laplace import UNRECORDED, UnfitStep, check, on_grid
from tacit.mechanisms.alone import per_grid
from tacit.noise.discrete import HALF, JOINT, Limbs, gaussian_table
from tacit.noise.fixed import LIMB_BITS, FixedPoint
from tacit.noise.tables import ROWS, draw

# A product's digits are 155 MB then.
LARGEST_DIMENSION = 1024
# Draws of one number, and the bits between them; the least variance that joins such draws smoothly
# (step 6).
DIGITS, BITS = 15, 7
BASE = 2**BITS
SPREAD = sum(BASE ** (2 * place) for place in range(DIGITS))
# By step 3 of `noise.discrete`.
LEAST_VARIANCE = 3 * (1 + BASE**2)
# Beyond its mean no row is longer by more, but for a chance of 2^-72: step 8.
FAR = 10.0
# Places of products' digits, and of what is carried beyond them.
PLACES = 2 * DIGITS + 7
# Of a step, relative to sensitivity / epsilon: noise of 2^40 steps, and the least t whose digits
# end at `PLACES`.
FINEST, COARSEST = 2.0**-40, 2.0**-4
# What is kept of them: eight digits are more than two limbs.
KEPT = 8
# The farthest that a release may be from its law: as `EuclideanNorm`'s.
MOST_APART = 2.0**-40


@final
class WishartDifference(eqx.Module):
    """Adds the difference of two Wishart matrices to a symmetric one; see `calibrate`.

    **Guarantee**: pure `epsilon`-differential privacy of one release, under any relation in which
    neighbouring sums are symmetric matrices within `sensitivity` in the nuclear norm, on the grid;
    up to `tv_distance(dimension²)`, at most 2^-40, in total variation, the reserve of which is
    added to delta (`accounting.reserve`).

    **Error**: in mean squared L2 (Frobenius) norm `error(dimension²)`, d (d+1)²/2 (sensitivity
    / epsilon)² and a twelfth of a squared step for each number; `variance` on the diagonal, half of
    it off it. The largest eigenvalue of the noise is about 1.5 d sensitivity / epsilon.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | no matrix of `dimension` rows and columns | ValueError |
    | not symmetric | nothing is promised |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    In one dimension it is the Laplace mechanism.
    """

    epsilon: float
    sensitivity: float
    step: float
    dimension: int = eqx.field(static=True)
    total_variation: float
    shift: int
    columns: UInt32[Array, "4 rows"] = eqx.field(metadata=UNRECORDED)

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "sensitivity", "step", "dimension")
        refuse_negative("total_variation", self.total_variation)
        refuse_not_counted("shift", self.shift, 0)

    @classmethod
    @takes_numpys
    def calibrate(
        cls, epsilon: float, sensitivity: float, step: float, dimension: int
    ) -> WishartDifference:
        """The least noise that is `epsilon`-private.

        Args:
          epsilon: Positive and finite.
          sensitivity: In the nuclear norm, in the units of the sum.
          step: Of the sum's grid, from 2^-100 to 2^100, and from 2^-40 to 2^-4 times
            sensitivity / epsilon: the coarser, the nearer to the law.
          dimension: Of the matrix's rows, from 1 to 1024.

        Raises:
          ValueError: if one of them is not in its range.
        """
        rate = _rate(epsilon, sensitivity, step, dimension)
        shift = _shift(rate)
        variance = 2**shift / (2 * rate * SPREAD)
        made = gaussian_table(variance, ROWS)
        drawn = 2 * dimension * (dimension + 1) * DIGITS * float(made.tv_distance + JOINT)
        apart = drawn + _misrounded(dimension, float(rate), math.sqrt(variance * SPREAD))
        if not apart <= MOST_APART:
            raise ValueError(f"step must be coarser for {dimension} dimensions, got {step}")
        numbers = float(epsilon), float(sensitivity), float(step)
        made_of = int(dimension), apart * (1 + 2.0**-40), shift, jnp.asarray(made.columns)
        return cls(*numbers, *made_of)

    @property
    def event(self) -> KNormDpEvent:
        return events.k_norm(self.epsilon)

    @property
    def variance(self) -> float:
        """Of a number of the diagonal, in the sum's units squared."""
        rounding = self.step**2 / 12
        return (self.dimension + 1) * (self.sensitivity / self.epsilon) ** 2 + rounding

    def error(self, dim: int) -> float:
        """The mean squared error of the sum, of as many numbers as the matrix has."""
        self._check(dim)
        d, rounding = self.dimension, dim * self.step**2 / 12
        return d * (d + 1) ** 2 / 2 * (self.sensitivity / self.epsilon) ** 2 + rounding

    def tv_distance(self, dim: int) -> float:
        """How far a release is from one with exact noise, at most, in total variation."""
        self._check(dim)
        return self.total_variation

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        self._check(total.high.size)
        if total.high.shape != (self.dimension,) * 2:
            raise ValueError(
                f"the sum must be a matrix of {self.dimension} rows and columns, got shape "
                f"{total.high.shape}"
            )
        return on_grid(total, self.step).shifted(self._noise(key))

    def _noise(self, key: PRNGKeyArray) -> Limbs:
        shape = DIGITS, 2, self.dimension, self.dimension + 1
        digits = _carried(draw(jax.random.split(key), self.columns, shape) - HALF)
        products = _products(digits[:, 0], digits[:, 1])
        return _rounded(products + jnp.swapaxes(products, 1, 2), self.shift)

    def _check(self, size: int) -> None:
        if size != self.dimension**2:
            raise ValueError(f"the sum must have {self.dimension**2} numbers, got {size}")


def _rate(epsilon: float, sensitivity: float, step: float, dimension: int) -> Fraction:
    """Of a step; a ValueError if an argument is not in its range."""
    check(epsilon, sensitivity, step)
    refuse_not_whole("dimension", dimension, 1, LARGEST_DIMENSION)
    rate = Fraction(epsilon) * Fraction(step) / Fraction(sensitivity)
    if not FINEST <= rate <= COARSEST:
        least, most = (sensitivity / epsilon * end for end in (FINEST, COARSEST))
        raise UnfitStep(f"step must be between {least:.3g} and {most:.3g}, got {step}")
    return rate


def _shift(rate: Fraction) -> int:
    """The least t that makes the table's variance at least `LEAST_VARIANCE`."""
    least = 2 * rate * SPREAD * LEAST_VARIANCE
    shift = math.floor(math.log2(least)) - 1
    while 2**shift < least:
        shift += 1
    return shift


def _misrounded(dimension: int, rate: float, deviation: float) -> float:
    """The chance that some number is not rounded as the law's would be (steps 8 and 9), at most.

    Args:
      rate: per step.
      deviation: k.
    """
    q = math.sqrt(dimension + 1)
    moved = q * (q + FAR + 1) / (rate * deviation)
    numbers, rows = dimension * (dimension + 1) / 2, 2 * dimension
    return numbers * 2 * moved * (1 + 2 * rate) + rows * math.exp(-(FAR**2) / 2)


def _carried(draws: Int32[Array, " digits *shape"]) -> Float[Array, " more *shape"]:
    """The same numbers in digits from -64 to 63, one more of them: step 7."""

    def carry(over: Int32[Array, "*shape"], own: Int32[Array, "*shape"]) -> tuple[Array, Array]:
        digit = ((own + over + BASE // 2) & (BASE - 1)) - BASE // 2
        return (own + over - digit) >> BITS, digit

    last, digits = lax.scan(carry, jnp.zeros_like(draws[0]), draws)
    return jnp.concatenate([digits, last[None]]).astype(jnp.float32)


def _products(
    one: Float[Array, "digits rows columns"], other: Float[Array, "digits rows columns"]
) -> Int32[Array, "places rows rows"]:
    """The digits of the products of all rows of one with all of the other, not yet carried."""

    def add(place: Int32[Array, ""], total: Int32[Array, "places rows rows"]) -> Array:
        own = jnp.einsum("ik,qjk->qij", one[place], other, precision=lax.Precision.HIGHEST)
        there = lax.dynamic_slice_in_dim(total, place, len(other))
        return lax.dynamic_update_slice_in_dim(total, there + own.astype(jnp.int32), place, 0)

    rows = one.shape[1]
    return lax.fori_loop(0, len(one), add, jnp.zeros((PLACES, rows, rows), jnp.int32))


def _rounded(digits: Int32[Array, " places *shape"], shift: int | Int32[Array, ""]) -> Limbs:
    """floor(N / 2^shift + 1/2) of numbers N of these digits, as (high, low)."""
    half = jnp.asarray(shift) - 1
    digits = digits.at[half // BITS].add(1 << half % BITS)

    def carry(over: Int32[Array, "*shape"], own: Int32[Array, "*shape"]) -> tuple[Array, Array]:
        return (own + over) >> BITS, (own + over) & (BASE - 1)

    _, whole = lax.scan(carry, jnp.zeros_like(digits[0]), digits)
    kept, rest = lax.dynamic_slice_in_dim(whole, shift // BITS, KEPT), shift % BITS
    lowest = kept[0] + (kept[1] << BITS) + (kept[2] << 2 * BITS)
    above = jnp.zeros_like(lowest)
    for digit in kept[:2:-1]:
        above = (above << BITS) + digit
    # Three digits have six bits more than a limb.
    high = (above << (3 * BITS - LIMB_BITS - rest)) + (lowest >> rest + LIMB_BITS)
    return high, (lowest >> rest) & (2**LIMB_BITS - 1)
