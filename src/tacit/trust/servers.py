"""What a server does to the sum of a round's reports.

Both divide by the public expected cohort and never by a count of who turned up: the true count
is about people, and a divisor read off the data would be a second, un-noised release.
"""

from typing import final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.mechanisms.gaussian import Gaussian
from tacit.noise.fixed import Fixed


@final
class PlainMean(eqx.Module):
    """The sum over the expected cohort: reports that are private when they arrive."""

    divisor: float

    @property
    def noise(self) -> float:
        return 0.0

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: Fixed
    ) -> tuple[None, Float[Array, "*shape"]]:
        del key
        return carry, total.value() / self.divisor


@final
class NoisyMean(eqx.Module):
    """The sum, Gaussian noise, and then the division."""

    gaussian: Gaussian
    divisor: float

    @property
    def noise(self) -> float:
        return self.gaussian.sigma

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: Fixed
    ) -> tuple[None, Float[Array, "*shape"]]:
        return carry, self.gaussian.sample(key, total).value() / self.divisor
