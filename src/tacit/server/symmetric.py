"""Symmetric sums with noise that is not: the mean of both halves.

**The largest eigenvalue** of the noise, over s, the root of what the variances in a row add up to.
Of independent numbers it is about `EDGE`, 2, if there are many rows (Wigner). Of the difference of
two Wisharts with about as many degrees of freedom as rows it is `WISHART_EDGE`. In units in which
each has mean one its eigenvalues are as Marchenko and Pastur say, with the R-transform 1/(1 - z),
and being free of one another their R-transforms add up: 1/(1 - z) - 1/(1 + z), which is 2 z/(1 -
z²). Their spectrum ends at the least of 1/z + 2 z/(1 - z²), where z² = sqrt(5) - 2: that is
sqrt((11 + 5 sqrt(5))/2), s² being 2. One matrix in six, or fewer, has a larger one, seldom by a
tenth (Tracy and Widom of many rows; measured of few).
"""

import math
from typing import Any, final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import FixedPoint
from tacit.server.means import Noise, NoisyMean

EDGE, WISHART_EDGE = 2.0, math.sqrt((11 + 5 * math.sqrt(5)) / 4)


@final
class SymmetricMean(eqx.Module):
    """A symmetric sum, noise that is independent in each number, and the mean of both halves.

    So noise of variance v has v on the diagonal and v/2 off it. Gaussian noise is then the same in
    every basis, as the sum's distances are in the Frobenius norm.

    Args:
      mechanism: the noise of each number, in steps that the sum is whole multiples of.
      divisor: the expected cohort.
      size: how many rows the sum has.
    """

    mechanism: Noise
    divisor: float
    size: int = eqx.field(static=True)

    @property
    def grid(self) -> float:
        return self.mechanism.step

    @property
    def facts(self) -> NoiseFacts:
        noise = self.mechanism
        error = noise.variance * variances_of(self.size)
        return NoiseFacts(noise.variance**0.5, error, noise.tv_distance(self.size**2))

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, "size size"], None]:
        noisy = self.mechanism.sample(key, total).value()
        return carry, (noisy + noisy.T) / (2 * self.divisor), None


def variances_of(size: int) -> float:
    """An answer's error, in variances of a number on the diagonal: d of them, d (d - 1) halves."""
    return size * (size + 1) / 2


def edge_of(server: Any) -> float:
    """About the largest eigenvalue of a symmetric answer's noise, over the deviation s of a row."""
    wisharts = isinstance(server, NoisyMean) and isinstance(server.mechanism, WishartDifference)
    return WISHART_EDGE if wisharts else EDGE
