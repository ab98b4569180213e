"""K-norm noise for the cube: pure epsilon for vectors of bounded L-infinity sensitivity.

The sum is a vector of d whole multiples of a step, and neighbours are within n steps in every
coordinate. With q = e^-lambda, lambda = epsilon / n, let R be the sum of d + 1 independent
geometric numbers, P(G = g) = (1-q) q^g, and let every coordinate of the noise be uniform on the
whole numbers of -(R+c) .. R+c, c = ceil(d/2). In the limit of a fine grid, R is Gamma(d+1) /
lambda and the density e^(-lambda ||z||_inf): the K-norm mechanism. On the grid itself:

**Privacy.**

1. P(R) is proportional to C(R+d, d) q^R, so a point of norm m has probability proportional to
   S(m) = sum of w(R) q^R over R >= max(m - c, 0), with

       w(R) = (R+1)(R+2)...(R+d) / (R + c + 1/2)^d.

2. w does not fall: the derivative of its log is the sum of 1/(R+j) less d/(R + c + 1/2), and
   c + 1/2 is at least the mean of the j, so Jensen says it is not negative.
3. Hence S(m) <= q^-k S(m+k) for every k >= 0: each term on the left, w(R) q^R, is at most q^-k
   times the term w(R+k) q^(R+k) on the right. And S does not rise.
4. The norms of what two neighbours add to come to one release are within n (triangle inequality),
   so its probabilities are within q^-n = e^(lambda n) <= e^epsilon, exactly: n is rounded up and
   lambda down.

**Error.** With M = R + c, E k² = E M(M+1)/3 a coordinate, near (d+1)(d+2) n² / 3 epsilon². For the
same cube, noise in L1 (`Laplace`, d n) has 2 d² n² / epsilon², and Euclidean K-norm noise
(sqrt(d) n) has d (d+1) n² / epsilon²: up to six times and three times as much.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.events import KNormDpEvent
from tacit.argument import refuse_none_positive, refuse_not_whole, takes_numpys
from tacit.mechanisms.additive.laplace import (
    UNRECORDED,
    UnfitStep,
    check,
    down,
    on_grid,
    whole_steps,
)
from tacit.mechanisms.alone import per_grid
from tacit.noise import uniform
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB, FixedPoint

# As `EuclideanNorm`'s; two sums of 2^10 terms each add up as many geometric numbers.
LARGEST_DIMENSION = 2**20
# Of R's mean, in steps: it exceeds 2^7 times it with probability below 2^-300.
LARGEST_RADIUS = 2.0**38
# The root of the largest dimension: both sums have as many terms.
_ROWS = 2**10


@final
class CubeNorm(eqx.Module):
    """Adds K-norm noise for the cube, the same random size in all directions; see `calibrate`.

    **Guarantee**: pure `epsilon`-differential privacy of one release, under any relation in which
    neighbouring sums are within `sensitivity` in L-infinity on the grid, cutting to it included; up
    to `tv_distance(dimension)` in total variation, the reserve of which is its delta
    (`accounting.reserve`).

    **Error**: `variance` a coordinate, `error(dimension)` in all, exact.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | not of `dimension` coordinates | ValueError |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    References:
        Hardt and Talwar 2010, "On the geometry of differential privacy".
        Steinke and Ullman 2017, "Between pure and approximate differential privacy" (this norm).
    """

    epsilon: float
    sensitivity: float
    step: float
    dimension: int = eqx.field(static=True)
    radius: DiscreteLaplaceLaw = eqx.field(metadata=UNRECORDED)

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "sensitivity", "step", "dimension")

    @classmethod
    @takes_numpys
    def calibrate(cls, epsilon: float, sensitivity: float, step: float, dimension: int) -> CubeNorm:
        """The least noise that is `epsilon`-private.

        Args:
          epsilon: Positive and finite.
          sensitivity: Of every coordinate, in the units of the sum; in whole steps, rounded up.
          step: Of the sum's grid, from 2^-100 to 2^100.
          dimension: The number of coordinates, from 1 to 2^20.

        Raises:
          ValueError: if one of them is not in its range, or the noise above 2^38 steps.
        """
        check(epsilon, sensitivity, step)
        refuse_not_whole("dimension", dimension, 1, LARGEST_DIMENSION)
        # lambda of step 4.
        rate = down(Fraction(epsilon) / whole_steps(sensitivity, step))
        if not (dimension + 1) <= LARGEST_RADIUS * rate:
            raise UnfitStep(
                f"step must be at least 2^-38 (dimension + 1) sensitivity / epsilon, got {step}"
            )
        numbers = float(epsilon), float(sensitivity), float(step)
        return cls(*numbers, int(dimension), DiscreteLaplaceLaw.of(rate))

    @property
    def event(self) -> KNormDpEvent:
        return events.k_norm(self.epsilon)

    @property
    def variance(self) -> float:
        """Of one coordinate, in the sum's units squared."""
        left = -math.expm1(-self.radius.parameter)
        mean = (self.dimension + 1) * (1 - left) / left
        size = mean + self._least
        return (mean / left + size * (size + 1)) / 3 * self.step**2

    @property
    def _least(self) -> int:
        """c, the least that step 2 holds for."""
        return (self.dimension + 1) // 2

    def error(self, dim: int) -> float:
        """The mean squared L2 error of the sum, whose dimension must be given again."""
        self._check(dim)
        return dim * self.variance

    def tv_distance(self, dim: int) -> float:
        """How far the release is from its law, at most, in total variation."""
        self._check(dim)
        places = dim * uniform.tv_distance(uniform.LARGEST_BOUND)
        return ((dim + 1) * self.radius.tv_distance + places + 2.0**-300) * (1 + 2.0**-50)

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        self._check(total.high.size)
        for_radius, for_places = jax.random.split(key)
        size = self._size(for_radius, total)
        sides = size.plus(size).plus(FixedPoint(jnp.int32(0), jnp.int32(1), total.step))
        places = uniform.uniform_below(for_places, (sides.high, sides.low), total.high.shape)
        noise = FixedPoint(*places, total.step).plus(FixedPoint(-size.high, -size.low, total.step))
        return on_grid(total, self.step).plus(noise)

    def _size(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """R + c, from d + 1 numbers, each the geometric half of a discrete Laplace one."""
        high, low = self.radius.limbs(key, (self.dimension + 1,))
        under = high < 0
        high = _rows(jnp.where(under, -1 - high, high))
        low = _rows(jnp.where(under, LIMB - 1 - low, low))
        most, rest = divmod(self._least, LIMB)
        least = FixedPoint(jnp.int32(most), jnp.int32(rest), total.step)
        return FixedPoint(high, low, total.step).sum().sum().plus(least)

    def _check(self, dim: int) -> None:
        if dim != self.dimension:
            raise ValueError(f"the sum must have {self.dimension} coordinates, got {dim}")


def _rows(limb: Int32[Array, " n"]) -> Int32[Array, "rows columns"]:
    """At most 2^10 rows, filled up with zeros: one sum may have only so many terms."""
    columns = -(-limb.size // _ROWS)
    return jnp.pad(limb, (0, -limb.size % columns)).reshape(-1, columns)
