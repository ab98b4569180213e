"""Symmetric sums with noise that is not: the mean of both halves."""

from typing import final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.facts import NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.server.means import Noise


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
