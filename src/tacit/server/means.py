"""What a server does to the sum of a round's reports.

All divide by the public expected cohort and never by a count of who turned up: the true count
is about people, and a divisor read off the data would be a second, un-noised release.
"""

from typing import Protocol, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from tacit.contribution import Contribution, Product
from tacit.device.categories import OnCategory, OnCounts
from tacit.device.product import JointDevice
from tacit.facts import NO_NOISE, NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Device, InWholeSteps, Server
from tacit.question.sums import Mean
from tacit.server.grid import step_of


class Noise(Protocol):
    """A mechanism that adds noise to an exact sum, on the sum's own grid."""

    @property
    def variance(self) -> float: ...

    @property
    def step(self) -> float: ...

    def error(self, dim: int) -> float:
        """The mean squared error of a sum of so many numbers."""
        ...

    def tv_distance(self, dim: int) -> float: ...

    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint: ...


@final
class PlainMean(eqx.Module):
    """The sum over the expected cohort: reports that are private when they arrive."""

    divisor: float
    grid: float

    @property
    def facts(self) -> NoiseFacts:
        return NO_NOISE

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, "*shape"], None]:
        return carry, self.noisy(key, total).value() / self.divisor, None

    def noisy(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        del key
        return total


@final
class NoisyMean(eqx.Module):
    """The sum, noise, and then the division.

    Args:
      mechanism: the noise.
      divisor: the expected cohort.
      size: how many numbers the sum has.
      rounding: how far cutting all people's terms to the grid moves one of them, at most.
    """

    mechanism: Noise
    divisor: float
    size: int = eqx.field(static=True)
    rounding: float

    @property
    def grid(self) -> float:
        return self.mechanism.step

    @property
    def facts(self) -> NoiseFacts:
        noise, cut = self.mechanism, self.size * self.rounding**2
        error = noise.error(self.size) + cut
        return NoiseFacts(noise.variance**0.5, error, self.tv_distance, cut)

    @property
    def tv_distance(self) -> float:
        """Of the facts, alone: tables ask it for thousands of groups."""
        return self.mechanism.tv_distance(self.size)

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, "*shape"], None]:
        return carry, self.noisy(key, total).value() / self.divisor, None

    def noisy(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        return self.mechanism.sample(key, total)


@final
class FrequencyMean(eqx.Module):
    """Unbiased frequencies from how many reports support each category, over the cohort.

    With `own` and `other` the chances that a report supports its person's category and any other,
    (supporters - reports other) / (own - other) is what the people hold; `weight` of it a person.
    """

    own: float
    other: float
    weight: float
    divisor: float

    @property
    def grid(self) -> Float[Array, ""]:
        return jnp.ones(())

    @property
    def facts(self) -> NoiseFacts:
        return NO_NOISE

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: tuple[FixedPoint, FixedPoint]
    ) -> tuple[None, Float[Array, " categories"], None]:
        del key
        supporters, reports = (part.value() for part in total)
        held = (supporters - reports * self.other) / (self.own - self.other)
        return carry, self.weight * held / self.divisor, None


@final
class JointMean(eqx.Module):
    """A product's answer: each part's own server on its own sum, one after the other."""

    parts: tuple[Server, ...]

    @property
    def grid(self) -> tuple[PyTree, ...]:
        return tuple(part.grid for part in self.parts)

    @property
    def facts(self) -> NoiseFacts:
        parts = [part.facts for part in self.parts]
        return NoiseFacts(
            noise=max(part.stated_noise for part in parts),
            error=sum(part.stated_error for part in parts),
            tv_distance=sum(part.tv_distance for part in parts),
        )

    def init(self) -> tuple[PyTree, ...]:
        return tuple(part.init() for part in self.parts)

    def step(
        self, carry: tuple[PyTree, ...], key: PRNGKeyArray, total: tuple[PyTree, ...]
    ) -> tuple[tuple[PyTree, ...], Float[Array, " numbers"], None]:
        keys = self._keys(key)
        steps = [
            part.step(*rest) for part, *rest in zip(self.parts, carry, keys, total, strict=True)
        ]
        carries, answers, _ = zip(*steps, strict=True)
        return carries, jnp.concatenate([jnp.ravel(answer) for answer in answers]), None

    def noisy(self, key: PRNGKeyArray, total: tuple[PyTree, ...]) -> tuple[PyTree, ...]:
        each = zip(map(_exactly, self.parts), self._keys(key), total, strict=True)
        return tuple(part.noisy(own, sums) for part, own, sums in each)

    def _keys(self, key: PRNGKeyArray) -> PRNGKeyArray:
        """One for each part."""
        return jax.random.split(key, len(self.parts))


def plain_mean(device: Device, question: Mean) -> Server:
    """The server that adds nothing: for reports that are private when they arrive, or never."""
    match device:
        case JointDevice(devices=devices):
            return JointMean(tuple(plain_mean(part, question) for part in devices))
        case OnCategory() | OnCounts():
            support = device.oracle.support
            return FrequencyMean(
                float(support.own), float(support.other), device.weight, question.cohort
            )
    return _exact_mean(device.facts.report_set, question)


def _exactly(part: Server) -> InWholeSteps:
    if not isinstance(part, InWholeSteps):
        raise ValueError(f"the noisy sums of a {type(part).__name__} are not kept as whole steps")
    return part


def _exact_mean(reports: Contribution, question: Mean) -> Server:
    if isinstance(reports, Product):
        return JointMean(tuple(_exact_mean(part, question) for part in reports.parts))
    return PlainMean(question.cohort, step_of(reports, question.capacity, 0.0))
