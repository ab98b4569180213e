"""The Laplace mechanism on a grid: pure epsilon for sums of bounded L1 sensitivity.

The sum t is a vector of whole multiples of a public step, and neighbouring sums are at most n steps
apart in L1. Each coordinate gets independent noise of mass proportional to e^(-a |k|), k whole,
with a = epsilon / n. The release y of t has probability proportional to e^(-a ||y - t||_1), so

* **privacy**: the ratio at y is e^(a (||y - t'||_1 - ||y - t||_1)) <= e^(a n) = e^epsilon, on the
  integers themselves: no rounding is left to argue about. n is rounded up, a down. (The density is
  the K-norm mechanism's for the L1 ball, so the two are one.)
* **error**: unbiased, with variance 2x/(1-x)² steps² a coordinate, x = e^-a.

For a count (step and sensitivity 1) it is the two-sided geometric mechanism: of all
epsilon-private ones, the best for every user with a prior and a loss, after post-processing.

Clamping or rounding the answer to a public range is post-processing and costs nothing. Drawing
again until the answer falls into the range does not keep epsilon: it divides by the probability of
falling there, which is different for neighbours.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.events import KNormDpEvent
from tacit.argument import got, is_number, refuse_none_positive, refuse_not_positive, takes_numpys
from tacit.mechanisms.alone import per_grid
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import FixedPoint

# Of tables and other things a receipt leaves out: the numbers beside them say how they are made.
UNRECORDED = {"recorded": False}


@final
class UnfitStep(ValueError):
    """A step of a sum's grid of which a mechanism's noise would be too many, or too few."""


@final
class Laplace(eqx.Module):
    """Adds discrete Laplace noise to each coordinate of a sum. Build it with `calibrate`.

    **Guarantee**: pure `epsilon`-differential privacy of one release, under any relation in which
    neighbouring sums are within `sensitivity` in L1 on the grid, cutting to the grid included; up
    to `tv_distance(dim)` in total variation, the reserve of which is its delta
    (`accounting.reserve`).
    Composed by `event`; a single whole number more tightly by `events.discrete_laplace`.

    **Error**: `variance` a coordinate, `error(dim)` = dim `variance` in mean squared L2 norm;
    exact, in the units of the sum.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    References:
        Dwork, McSherry, Nissim and Smith 2006, "Calibrating noise to sensitivity in private data
        analysis".
        Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy
        mechanisms".
    """

    epsilon: float
    sensitivity: float
    step: float
    noise: DiscreteLaplaceLaw = eqx.field(metadata=UNRECORDED)

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "sensitivity", "step")

    @classmethod
    @takes_numpys
    def calibrate(cls, epsilon: float, sensitivity: float, step: float) -> Laplace:
        """The least noise that is `epsilon`-private.

        Args:
          epsilon: Positive and finite.
          sensitivity: In L1, in the units of the sum; counted in whole steps, rounded up.
          step: Of the sum's grid, from 2^-100 to 2^100.

        Raises:
          ValueError: if one of them is not in its range, or the noise above 2^40 steps.
        """
        check(epsilon, sensitivity, step)
        rate = down(Fraction(epsilon) / whole_steps(sensitivity, step))
        if not rate >= 2.0**-40:
            raise UnfitStep(f"step must be at least 2^-40 sensitivity / epsilon, got {step}")
        noise = DiscreteLaplaceLaw.of(rate)
        return cls(float(epsilon), float(sensitivity), float(step), noise)

    @property
    def event(self) -> KNormDpEvent:
        return events.k_norm(self.epsilon)

    @property
    def variance(self) -> float:
        """Of one coordinate, in the sum's units squared."""
        return self.noise.variance * self.step**2

    def error(self, dim: int) -> float:
        """The mean squared L2 error of a sum with `dim` coordinates."""
        return dim * self.variance

    def tv_distance(self, dim: int) -> float:
        """How far the noise of `dim` coordinates is from its law, at most, in total variation."""
        return dim * self.noise.tv_distance * (1 + 2.0**-52)

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        high, low = self.noise.limbs(key, total.high.shape)
        return on_grid(total, self.step).plus(FixedPoint(high, low, total.step))


def check(epsilon: float, sensitivity: float, step: float) -> None:
    """Refuses what no mechanism on a grid can be made of."""
    for name, value in (("epsilon", epsilon), ("sensitivity", sensitivity)):
        refuse_not_positive(name, value)
    if not (is_number(step) and 2.0**-100 <= step <= 2.0**100):
        raise ValueError(f"step must be from 2^-100 to 2^100, got {got(step)}")


def whole_steps(sensitivity: float, step: float) -> int:
    """The sensitivity in steps, rounded up."""
    return math.ceil(Fraction(sensitivity) / Fraction(step))


def down(x: Fraction) -> float:
    """The largest float that is not above x."""
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else math.nextafter(nearest, -math.inf)


def on_grid(total: FixedPoint, step: float) -> FixedPoint:
    """The sum if its step is this one, else zero: noise made for another grid hides nothing."""
    same = (total.step == step).astype(jnp.int32)
    return FixedPoint(total.high * same, total.low * same, total.step)
