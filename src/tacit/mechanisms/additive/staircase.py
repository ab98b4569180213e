"""The staircase mechanism: pure epsilon for one number, with the least noise there is.

The sum is a whole number of steps, and neighbouring sums are at most n steps apart. The mass of the
noise is constant on stairs: a on |k| < r, a b on r <= |k| < r + n, a b² on the next n, and so on,
with b = e^-epsilon. A shift by at most n climbs or descends one stair at most, so

* **privacy**: the ratio at every outcome is 1, b or 1/b;
* **optimality**: for n = 1 it is the two-sided geometric law. For larger n, over all r, it has the
  least expected |k| (and the least expected k²) of all epsilon-private noise added to a whole
  number. Laplace noise spends epsilon gradually over the n steps, and for a large epsilon most of
  it on shifts that are shorter; the staircase's error falls as e^(-epsilon/2) (absolute) and
  e^(-2 epsilon/3) (squared), Laplace's as 1/epsilon and 1/epsilon².

**Sampling** is by parts. The floor's 2r - 1 outcomes have mass (2r - 1) a, the stairs together
2 n a b / (1 - b). So a coin says floor, where all outcomes are alike; or else the noise is
±(r + n G + U) with a fair sign, P(G = g) = (1-b) b^g and U uniform on 0 .. n-1.

**Error.** Let N = 2r - 1 + 2nb/(1-b) = 1/a and m = n G + U, with mean and mean square m_1, m_2.

    E|k| = (r(r-1) + c (r + m_1)) / N,    E k² = (r(r-1)(2r-1)/3 + c (r² + 2 r m_1 + m_2)) / N,

c = 2nb/(1-b). Numerators are convex in r and N is linear, so both ratios fall and then rise, and
the best whole r is found by bisection, in exact fractions.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.events import KNormDpEvent
from tacit.argument import refuse_none_positive, refuse_not_whole, refuse_outside, takes_numpys
from tacit.mechanisms.additive.laplace import UNRECORDED, UnfitStep, check, on_grid, whole_steps
from tacit.mechanisms.alone import per_grid
from tacit.noise import uniform, words
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB, FixedPoint
from tacit.noise.weights import ONE, exponential

LARGEST_SCALE = 2**40  # Beyond 2^46 steps, where sums wrap, noise is with a chance near e^-64.

Limbs = tuple[int | Array, int | Array]
Cost = Callable[[Fraction, int, int], Fraction]


@final
class Staircase(eqx.Module):
    """Adds staircase noise. Build it with `least_absolute`, `least_squares` or `with_floor`.

    **Guarantee**: pure `epsilon`-differential privacy of one release, under any relation in which
    neighbouring sums differ in *one* coordinate, by at most `sensitivity` on the grid, cutting to
    it included; up to `tv_distance(dim)` in total variation, the reserve of which is its delta
    (`accounting.reserve`). It is *not* `epsilon` in L1: each coordinate that moves, however little,
    costs all of epsilon.

    **Error**: `absolute` = E|z| and `variance` = E z² a coordinate, exact, in the sum's units.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    References:
        Geng and Viswanath 2016, "The optimal noise-adding mechanism in differential privacy",
        with its section on whole numbers.
    """

    epsilon: float
    sensitivity: float
    step: float
    width_limbs: Limbs
    floor_limbs: Limbs
    coin: words.Word = eqx.field(metadata=UNRECORDED)
    stairs: DiscreteLaplaceLaw = eqx.field(metadata=UNRECORDED)

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "sensitivity", "step")

    @classmethod
    @takes_numpys
    def least_absolute(cls, epsilon: float, sensitivity: float, step: float) -> Staircase:
        """The floor with the least E|z|; arguments as for `with_floor`."""
        width = _width(epsilon, sensitivity, step)
        return cls.with_floor(epsilon, sensitivity, step, _best(_absolute, epsilon, width))

    @classmethod
    @takes_numpys
    def least_squares(cls, epsilon: float, sensitivity: float, step: float) -> Staircase:
        """The floor with the least E z²; arguments as for `with_floor`."""
        width = _width(epsilon, sensitivity, step)
        return cls.with_floor(epsilon, sensitivity, step, _best(_squared, epsilon, width))

    @classmethod
    @takes_numpys
    def with_floor(cls, epsilon: float, sensitivity: float, step: float, floor: int) -> Staircase:
        """The staircase with |k| < `floor` on its highest stair.

        Args:
          epsilon: From 1e-6 to 100.
          sensitivity: Of one coordinate, in the units of the sum; in whole steps, rounded up.
          step: Of the sum's grid, from 2^-100 to 2^100.
          floor: In steps, from 1 to the sensitivity.

        Raises:
          ValueError: if one of them is not in its range, or the noise above 2^40 steps.
        """
        width = _width(epsilon, sensitivity, step)
        refuse_not_whole("floor", floor, 1, width)
        # Rounded down: a lower floor is no more than a stair above the first.
        coin = words.word(math.floor(words.SIZE * _mass(_ratio(epsilon), width, floor)))
        stairs = DiscreteLaplaceLaw.of(epsilon)
        numbers = float(epsilon), float(sensitivity), float(step)
        return cls(*numbers, divmod(width, LIMB), divmod(floor, LIMB), coin, stairs)

    @property
    def width(self) -> int:
        """The sensitivity in steps: how wide a stair is."""
        return _whole(self.width_limbs)

    @property
    def floor(self) -> int:
        """r, in steps."""
        return _whole(self.floor_limbs)

    @property
    def event(self) -> KNormDpEvent:
        return events.k_norm(self.epsilon)

    @property
    def absolute(self) -> float:
        """E|z| of one coordinate, in the sum's units."""
        return float(_absolute(_ratio(self.epsilon), self.width, self.floor)) * self.step

    @property
    def variance(self) -> float:
        """E z² of one coordinate, in the sum's units squared."""
        return float(_squared(_ratio(self.epsilon), self.width, self.floor)) * self.step**2

    def error(self, dim: int) -> float:
        """The mean squared L2 error of a sum with `dim` coordinates."""
        return dim * self.variance

    def tv_distance(self, dim: int) -> float:
        """How far the noise of `dim` coordinates is from its law, at most, in total variation."""
        coin = 2.0**-63
        place = uniform.tv_distance(2 * self.width)
        return dim * (coin + self.stairs.tv_distance + place) * (1 + 2.0**-50)

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        for_coin, for_side, for_stair, for_place = jax.random.split(key, 4)
        shape = total.high.shape
        level = words.below(for_coin, self.coin, shape)
        drawn = self.stairs.sample(for_stair, shape)
        # Of a discrete Laplace number and its mirror image about -1/2, the geometric one.
        stair = jnp.where(drawn < 0, -1 - drawn, drawn)
        size = self._size(for_place, level, stair, total)
        side = 2 * jax.random.bernoulli(for_side, shape=shape).astype(jnp.int32) - 1
        noise = FixedPoint(side * size.high, side * size.low, total.step)
        return on_grid(total, self.step).plus(noise)

    def _size(
        self, key: PRNGKeyArray, level, stair: Int32[Array, "*shape"], total: FixedPoint
    ) -> FixedPoint:
        """U - (r - 1) on the floor, whose sign is fair already, else r + n G + U."""
        (r_high, r_low), (n_high, n_low) = self.floor_limbs, self.width_limbs
        nothing = FixedPoint.zero(level.shape, total.step)

        def either(on_floor: Limbs, off_floor: Limbs) -> FixedPoint:
            high, low = (jnp.where(level, *pair) for pair in zip(on_floor, off_floor, strict=True))
            return nothing.plus(FixedPoint(high, low, total.step))

        bound = either((2 * r_high, 2 * r_low - 1), (n_high, n_low))
        place = uniform.uniform_below(key, (bound.high, bound.low), level.shape)
        start = either((-r_high, 1 - r_low), (r_high, r_low))
        climbed = either((0, 0), _times(stair, self.width_limbs))
        return start.plus(FixedPoint(*place, total.step)).plus(climbed)


def _width(epsilon: float, sensitivity: float, step: float) -> int:
    refuse_outside("epsilon", epsilon, 1e-6, 100)
    check(epsilon, sensitivity, step)
    width = whole_steps(sensitivity, step)
    if not width * max(1, 1 / epsilon) <= LARGEST_SCALE:
        raise UnfitStep(f"step must be at least 2^-40 sensitivity max(1, 1/epsilon), got {step}")
    return width


def _ratio(epsilon: float) -> Fraction:
    """b = e^-epsilon, within 2^-185 and not below it."""
    return Fraction(exponential(Fraction(epsilon)).above, ONE)


def _best(cost: Cost, epsilon: float, width: int) -> int:
    b = _ratio(epsilon)
    floors = range(1, width)
    return 1 + bisect_left(floors, True, key=lambda r: cost(b, width, r) <= cost(b, width, r + 1))


def _stairs(b: Fraction, width: int) -> Fraction:
    """c: the mass of both sides' stairs, in units of the floor's height."""
    return 2 * width * b / (1 - b)


def _mass(b: Fraction, width: int, floor: int) -> Fraction:
    """The probability of the floor."""
    return (2 * floor - 1) / (2 * floor - 1 + _stairs(b, width))


def _absolute(b: Fraction, width: int, floor: int) -> Fraction:
    """E|k|."""
    c = _stairs(b, width)
    mean = width * b / (1 - b) + Fraction(width - 1, 2)
    return (floor * (floor - 1) + c * (floor + mean)) / (2 * floor - 1 + c)


def _squared(b: Fraction, width: int, floor: int) -> Fraction:
    """E k²."""
    c, stair = _stairs(b, width), b / (1 - b)
    mean = width * stair + Fraction(width - 1, 2)
    square = width**2 * stair * (1 + 2 * stair) + width * (width - 1) * stair
    square += Fraction((width - 1) * (2 * width - 1), 6)
    level = Fraction(floor * (floor - 1) * (2 * floor - 1), 3)
    return (level + c * (floor**2 + 2 * floor * mean + square)) / (2 * floor - 1 + c)


def _whole(limbs: Limbs) -> int:
    return int(limbs[0]) * LIMB + int(limbs[1])


def _times(number: Int32[Array, "*shape"], limbs: Limbs) -> Limbs:
    """The product modulo 2^47; its low limb, up to 2^30, is still to be carried."""
    high, low = number // LIMB, number % LIMB
    return limbs[0] * number + limbs[1] * high, limbs[1] * low
