"""Means of sums whose noise the devices added: nothing is left to do but to divide.

At least `honest` of those who report keep their own share of the noise to themselves, and that many
shares are the noise of a curator with the same promise (`mechanisms.additive.noise_share`). All who
report have one each, so an answer of n people has n / honest times that variance.

**The grid** is as coarse as costs nothing: every bit of it is sent by everybody. Steps are at most
2^-16 of the noise that is promised, and so small that cutting all terms to them moves a sum by at
most 2^-4 of it. Sums are taken modulo a power of two that is larger than twice all terms and,
but for a chance of 2^-60 a number, all noise; what wraps is a function of what is released.
"""

import math
from dataclasses import replace
from typing import final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.reserve import Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.contribution import Contribution, Product
from tacit.device.noise_sharing import NoiseSharing, Shares
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.noise_share import NoiseShare
from tacit.noise.fixed import LIMB_BITS, FixedPoint, step_for
from tacit.plan import Server
from tacit.question.sums import Mean
from tacit.server.means import JointMean, Noise, NoisyMean
from tacit.server.noisy_mean import Noising, Sums, gaussian_event, gaussian_noise

# Of the promised noise: the largest step, and how far cutting all terms may move a sum.
FINEST, CUT = 2.0**-16, 2.0**-4
# Bits of the chance that noise makes one number wrap, and the least and the most of a modulus.
RARE, LEAST_BITS, MOST_BITS = 60, LIMB_BITS + 1, 3 * LIMB_BITS + 1


@final
class AggregatedMean(eqx.Module):
    """The sum with everybody's share of its noise, over the expected cohort.

    Args:
      share: one device's.
      divisor: the expected cohort.
      most: the largest one.
      size: how many numbers the sum has.
      rounding: how far cutting all people's terms to the grid moves one of them, at most.
      half: sums are taken modulo 2^16 `half` steps.
    """

    share: NoiseShare
    divisor: float
    most: int
    size: int = eqx.field(static=True)
    rounding: float
    half: int

    @property
    def grid(self) -> float:
        return self.share.step

    @property
    def facts(self) -> NoiseFacts:
        variance, cut = self.divisor * self.share.variance, self.size * self.rounding**2
        distance = self.share.tv_distance(self.size, self.most)
        return NoiseFacts(math.sqrt(variance), self.size * variance + cut, distance, cut)

    @property
    def bits(self) -> int:
        """Of one number modulo that."""
        return LEAST_BITS + self.half.bit_length() - 1

    @property
    def noise(self) -> Gaussian:
        """What the largest cohort adds to a number: fewer people add less."""
        variance = self.most * self.share.variance - self.grid**2 / 12
        return Gaussian(math.sqrt(variance) * (1 + 2.0**-50), 1.0, self.grid)

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, "*shape"], None]:
        return carry, self.noisy(key, total).value() / self.divisor, None

    def noisy(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        del key
        return total.wrapped(self.half)


# Of one shape, or of a product's parts.
Means = AggregatedMean | JointMean


def aggregated_mean(
    budget: Budget, question: Mean, honest: int
) -> tuple[NoiseSharing, Means, Guarantee]:
    """What devices and server do for sums that alone are seen, and what they promise to all who see
    them.

    Args:
      budget: what is to be kept over all rounds.
      question: who reports, and how often.
      honest: how many of a round's reports have shares that nobody else knows, at least.

    Raises:
      ValueError: if shares are of no such sums.
    """
    shape = question.contribution
    sums = Sums(question, shape, budget.relation)

    def make(epsilon: float, delta: float) -> tuple[Means, DpEvent, float]:
        multiplier, event = gaussian_event(budget.relation, question, epsilon, delta)
        server = _shared(sums.server(_coarse_noise(multiplier)), shape, question.capacity, honest)
        return server, event, sums.chance(server)

    server, promise = within_delta(budget, make, known=question.overflow())
    return NoiseSharing(shape, *_shared_by(server)), server, promise


def _coarse_noise(multiplier: float) -> Noising:
    def noise(sums: Sums, shape: Contribution, share: float) -> Noise:
        fine = gaussian_noise(multiplier)(sums, shape, share)
        held = replace(sums, held=_step(fine, shape, sums.question.capacity))
        return gaussian_noise(multiplier)(held, shape, share)

    return noise


def _step(fine: Noise, shape: Contribution, people: int) -> float:
    """The largest that is no larger than the opening says, and no smaller than sums have room."""
    noise, unit = math.sqrt(fine.variance), shape.unit or 1.0
    most = min(noise * FINEST, unit) if shape.unit else noise * min(FINEST, CUT / people)
    least = unit * step_for(shape.bound / unit, people, noise / unit)
    return max(unit * 2.0 ** math.floor(math.log2(most / unit)), least)


def _shared(server: Server, shape: Contribution, people: int, honest: int) -> Means:
    """The same noise, of so many of the people's shares."""
    match server, shape:
        case JointMean(parts=servers), Product(parts=shapes):
            each = zip(servers, shapes, strict=True)
            return JointMean(tuple(_shared(own, part, people, honest) for own, part in each))
        case NoisyMean(mechanism=Gaussian() as noise, divisor=divisor, size=size, rounding=cut), _:
            share = NoiseShare(noise.sigma, noise.step, honest)
            half = _half_of(share, shape, people)
            return AggregatedMean(share, divisor, people, size, cut, half)
    raise ValueError(
        "sums that alone are seen are of numbers, vectors and counts, got "
        f"{type(shape).__name__}: ask Central for it"
    )


def _half_of(share: NoiseShare, shape: Contribution, people: int) -> int:
    """Half of the modulus that sums of so many people and their noise do not reach."""
    deviation = math.sqrt(people * share.variance)
    noise = deviation * math.sqrt(2 * (RARE + 1) * math.log(2))
    largest = (people * shape.bound + noise) / share.step
    bits = math.ceil(math.log2(largest * (1 + 2.0**-20))) + 1
    return 2 ** (min(max(bits, LEAST_BITS), MOST_BITS) - LEAST_BITS)


def _shared_by(server: Server) -> tuple[Shares, int]:
    """What devices draw for it, and the bits of a report."""
    match server:
        case AggregatedMean(share=share, size=size, bits=bits):
            return share, size * bits
        case JointMean(parts=parts):
            shares, bits = zip(*map(_shared_by, parts), strict=True)
            return shares, sum(bits)
    raise TypeError(f"{type(server).__name__} has no noise that devices share")
