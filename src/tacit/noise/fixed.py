"""Sums on a public grid: exact, whatever the order, and exact when noise is added.

A float sum is rounded after every addition, by an amount that depends on what was added before.
So one person can move it by more than their own term (sixteen times more, in 80,000 people), and
float noise cannot hide it: which floats `total + noise` can reach at all depends on `total`.

Here every number is a whole multiple of one public `step`, a power of two, held in two limbs

    value = step (2^15 high + low).

1. *Terms* are cut towards zero, so a term's size never grows; two terms that differ by x still
   differ by at most x + step. Dividing a float by a power of two, and splitting one there, rounds
   nothing: a term becomes limbs exactly, the low one from 0 to 2^15 - 1.
2. *Sums.* Integer addition has no rounding, in whatever order. Low limbs of 2^16 numbers together
   are below 2^31; then what is over 2^15 is carried. High limbs wrap where they overflow, so limbs
   are a function of the exact sum: of what it is modulo 2^47 steps.
3. *Noise* comes in whole steps, which its mechanism draws as limbs: what comes out is the exact
   total plus noise of the law that the proof is about, or a function of that.
4. *Comparisons.* Sums that are compared with others must not wrap, however many people there are:
   they have a third limb (`Tall`).

`step_for` chooses the step: fine enough for terms of the given bound, coarse enough for the limbs.
"""

import math
from collections.abc import Sequence
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Float64, Int32, Int64

Limbs = tuple[Int32[Array, "*shape"], Int32[Array, "*shape"]]

# The most for which a low limb times another, or 2^16 of them added up, stay below 2^31.
LIMB_BITS = 15
LIMB = 2**LIMB_BITS
# Numbers a chunk may hold before its low limbs must be carried: step 2.
MOST_AT_ONCE = 2**16
# Relative float32 rounding between a term's projection and its noise.
ROUNDING = 1e-6


@final
class FixedPoint(eqx.Module):
    """Exact numbers, in units of a public step."""

    high: Int32[Array, "*shape"]
    low: Int32[Array, "*shape"]
    step: Float[Array, ""]

    @classmethod
    def zero(cls, shape: tuple[int, ...], step: Float[Array, ""]) -> "FixedPoint":
        return FixedPoint(jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32), step)

    @classmethod
    def of(cls, values: ArrayLike | Sequence[Any], step: float) -> "FixedPoint":
        """The host's numbers in steps of this size, cut towards zero in 64 bits.

        Beyond 2^46 steps they wrap around, as sums do.
        """
        most = 2.0**62
        units = np.clip(np.trunc(np.asarray(values, np.float64) / step), -most, most)
        high, low = np.divmod(units.astype(np.int64), LIMB)
        limbs = (jnp.asarray(limb.astype(np.int32)) for limb in (high, low))
        return FixedPoint(*limbs, step=jnp.asarray(step, jnp.float32))

    def exact(self) -> Float64[np.ndarray, "*shape"]:
        """The host's numbers, exactly."""
        high, low = (np.asarray(limb, np.float64) for limb in (self.high, self.low))
        return np.asarray((high * LIMB + low) * float(self.step))

    def terms(self, values: Float[Array, "*shape"]) -> "FixedPoint":
        """`values` in these units, cut towards zero: step 1."""
        return self._split(jnp.trunc(values / self.step))

    def whole(self, steps: Float[Array, "*shape"]) -> "FixedPoint":
        """So many whole steps."""
        return self._split(steps)

    def on(self, step: float | Float[Array, ""]) -> "FixedPoint":
        """As many steps of another size."""
        return FixedPoint(self.high, self.low, jnp.asarray(step, jnp.float32))

    def shifted(self, limbs: Limbs) -> "FixedPoint":
        """The exact sum of these numbers and so many whole steps, given as (high, low): step 3."""
        return self._carried(self.high + limbs[0], self.low + limbs[1])

    def sum(self) -> "FixedPoint":
        """The sum over the first axis, of at most `MOST_AT_ONCE` numbers."""
        return self._carried(jnp.sum(self.high, axis=0), jnp.sum(self.low, axis=0))

    def plus(self, other: "FixedPoint") -> "FixedPoint":
        """The exact sum of two numbers on the same grid."""
        return self._carried(self.high + other.high, self.low + other.low)

    def times(self, factor: int | Int32[Array, ""], step: Float[Array, ""]) -> "FixedPoint":
        """So many times the number of steps, in units of another step; factors up to 2^15."""
        return FixedPoint(self.high, self.low, step)._carried(self.high * factor, self.low * factor)

    def wrapped(self, half: int | Int32[Array, ""]) -> "FixedPoint":
        """What is left of the numbers modulo 2^16 `half` steps, from -2^15 `half` on; `half` is a
        power of two, up to 2^30."""
        return FixedPoint(((self.high + half) & (2 * half - 1)) - half, self.low, self.step)

    def value(self) -> Float[Array, "*shape"]:
        """A float32 number within one rounding or two: for the public, after noise."""
        return (self.high.astype(jnp.float32) * LIMB + self.low.astype(jnp.float32)) * self.step

    def _split(self, units: Float[Array, "*shape"]) -> "FixedPoint":
        # Exact, as step 1 has it.
        high = jnp.floor(units / LIMB)
        low = units - high * LIMB
        return FixedPoint(high.astype(jnp.int32), low.astype(jnp.int32), self.step)

    def _carried(self, high: Int32[Array, "*shape"], low: Int32[Array, "*shape"]) -> "FixedPoint":
        return FixedPoint(high + low // LIMB, low % LIMB, self.step)


@final
class Tall(eqx.Module):
    """An exact sum of up to 2^31 terms of fewer than 2^29 steps each: it never wraps (step 4).

    value = step (2^30 top + 2^15 high + low), with high and low from 0 to 2^15 - 1.
    """

    top: Int32[Array, "*shape"]
    rest: FixedPoint

    @classmethod
    def of(cls, exact: FixedPoint) -> "Tall":
        """The same number."""
        high, low = exact.high + exact.low // LIMB, exact.low % LIMB
        return cls(high // LIMB, FixedPoint(high % LIMB, low, exact.step))

    @property
    def step(self) -> Float[Array, ""]:
        return self.rest.step

    def terms(self, values: Float[Array, "*shape"]) -> FixedPoint:
        """As of `FixedPoint`."""
        return self.rest.terms(values)

    def whole(self, steps: Float[Array, "*shape"]) -> FixedPoint:
        """As of `FixedPoint`."""
        return self.rest.whole(steps)

    def plus(self, other: FixedPoint) -> "Tall":
        """The exact sum with a number whose high limb is below 2^31 - 2^16."""
        more = Tall.of(self.rest.plus(other))
        return Tall(self.top + more.top, more.rest)

    def times(self, factor: int | Int32[Array, "*shape"]) -> "Tall":
        """So many times the number, in the same steps; factors from 0 to 2^15."""
        low = self.rest.low * factor
        high = self.rest.high * factor + low // LIMB
        rest = FixedPoint(high % LIMB, low % LIMB, self.rest.step)
        return Tall(self.top * factor + high // LIMB, rest)

    def on(self, step: float | Float[Array, ""]) -> "Tall":
        """As many steps of another size."""
        return Tall(self.top, self.rest.on(step))

    def value(self) -> Float[Array, "*shape"]:
        """A float32 number within a few roundings, and 2^7 steps: for the public, after noise."""
        return self.top.astype(jnp.float32) * LIMB**2 * self.step + self.rest.value()

    def exact(self) -> Float64[np.ndarray, "*shape"]:
        """The host's numbers, exact below 2^53 steps."""
        top = np.asarray(self.top, np.float64) * LIMB**2 * float(self.step)
        return np.asarray(top + self.rest.exact())

    def less_first(self) -> "Tall":
        """How far each number is from the first one."""
        rest = self.rest
        apart = Tall.of(FixedPoint(rest.high - rest.high[0], rest.low - rest.low[0], rest.step))
        return Tall(self.top - self.top[0] + apart.top, apart.rest)

    def cut(self) -> FixedPoint:
        """The nearest number from -2^45 to 2^45 - 1 steps: no two numbers move apart by it."""
        over, under = self.top >= LIMB, self.top < -LIMB
        high = jnp.clip(self.top, -LIMB, LIMB - 1) * LIMB + self.rest.high
        high = jnp.where(over, LIMB**2 - 1, jnp.where(under, -(LIMB**2), high))
        low = jnp.where(over, LIMB - 1, jnp.where(under, 0, self.rest.low))
        return FixedPoint(high, low, self.rest.step)


def joined(limbs: Limbs) -> Int64[np.ndarray, "*shape"]:
    """On the host: one number of each two limbs."""
    high, low = (np.asarray(limb, np.int64) for limb in limbs)
    return np.asarray(high * LIMB + low)


def step_for(bound: float, people: int, noise: float) -> float:
    """The step for sums of `people` terms of size at most `bound`, with noise of this deviation.

    Terms keep 30 bits (fewer beyond 2^14 people, so that the high limb of a sum fits 31 bits);
    noise keeps 34, below which its own granularity would show.
    """
    bits = min(30, 44 - math.ceil(math.log2(max(people, 1))))
    return 2.0 ** math.ceil(math.log2(max(bound * 2.0**-bits, noise * 2.0**-34)))
