"""What thresholds are compared on: whole steps of a public grid, and noise whose tails are known.

`Stream` says how far one person moves a sum. The noise on a sum or a threshold changes its mass by
at most a factor e^rate over such a move: geometric noise in the one way that costs (`OneSided`),
discrete Laplace noise in both (`TwoSided`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float64, PRNGKeyArray

from tacit.argument import got, is_number, is_power_of_two, refuse_not_positive
from tacit.noise.discrete import DiscreteLaplaceLaw, Limbs
from tacit.noise.fixed import LIMB, FixedPoint

# Sums are cut to fewer than 2^44 steps; with noise of these scales nothing overflows two limbs.
HIGHEST = 2**29
LARGEST_SCALE = 2.0**39
# Covers the float64 rounding of rates.
_SLACK = 1e-12


@final
class Stream(eqx.Module):
    """What is public about the sums: the threshold, and how far one person moves a sum.

    Args:
      threshold: T; within 2^43 steps of zero.
      sensitivity: Positive and finite.
      step: The grid's step (`FixedPoint.step`), a power of two; `sensitivity` is rounded up to
        whole steps, T to the nearest.

    Raises:
      ValueError: if an argument is out of range.
    """

    threshold: float
    sensitivity: float
    step: float

    def __check_init__(self):
        refuse_not_positive("sensitivity", self.sensitivity)
        if not (is_number(self.step) and is_power_of_two(self.step)):
            raise ValueError(f"step must be a power of two, got {got(self.step)}")
        highest = HIGHEST / 2 * LIMB * self.step
        if not (is_number(self.threshold) and abs(self.threshold) <= highest):
            raise ValueError(
                f"threshold must be within 2^43 steps of zero, got {got(self.threshold)}"
            )

    @property
    def units(self) -> int:
        """u: the sensitivity in steps, rounded up."""
        return math.ceil(Fraction(self.sensitivity) / Fraction(self.step))

    def law(self, rate: float) -> DiscreteLaplaceLaw:
        """The noise whose mass changes by at most e^`rate` over one person's move.

        Raises:
          ValueError: if its scale is above 2^39 steps.
        """
        parameter = rate / self.units * (1 - _SLACK)
        if not parameter * LARGEST_SCALE >= 1:
            raise ValueError(f"noise must have a scale of at most 2^39 steps, got {1 / parameter}")
        return DiscreteLaplaceLaw.of(parameter)

    def start(self, shift: int) -> tuple[np.int32, np.int32]:
        """T plus `shift` steps, in limbs."""
        high, low = divmod(round(self.threshold / self.step) + shift, LIMB)
        return np.int32(high), np.int32(low)


@final
class OneSided(eqx.Module):
    """Geometric noise on 0, 1, 2, ...: max(k, -1-k) of a discrete Laplace k (`noise.discrete`)."""

    law: DiscreteLaplaceLaw

    def limbs(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        high, low = self.law.limbs(key, shape)
        return jnp.where(high < 0, -1 - high, high), jnp.where(high < 0, LIMB - 1 - low, low)

    def at_least(self, k: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """P[v >= k]."""
        return np.exp(-self.law.parameter * np.maximum(k, 0))

    def below(self, k: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """P[v < k]."""
        return -np.expm1(-self.law.parameter * np.maximum(k, 0))


@final
class TwoSided(eqx.Module):
    """Discrete Laplace noise."""

    law: DiscreteLaplaceLaw

    def limbs(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        return self.law.limbs(key, shape)

    def at_least(self, k: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """P[v >= k]."""
        tail = np.exp(-self.law.parameter * np.maximum(k, 1 - k)) / (
            1 + math.exp(-self.law.parameter)
        )
        return np.where(k >= 1, tail, 1 - tail)

    def below(self, k: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """P[v < k]."""
        return self.at_least(1 - k)


def cut(total: FixedPoint) -> Limbs:
    """The nearest number of fewer than 2^44 steps: no two sums move apart by it."""
    low = jnp.where(total.high >= HIGHEST, LIMB - 1, jnp.where(total.high < -HIGHEST, 0, total.low))
    return jnp.clip(total.high, -HIGHEST, HIGHEST - 1), low


def plus(one: tuple[Array, ...], other: Limbs) -> Limbs:
    """The sum of two numbers in limbs."""
    low = one[1] + other[1]
    return one[0] + other[0] + low // LIMB, low % LIMB
