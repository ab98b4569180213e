"""Noise that is not the same in every round: each round's own, on one grid for all.

The proof of the shares is in `question.uneven`; a round of share w is noised like a part of a
product that has this share (`server.noisy_mean`). The server remembers which round it is.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, is_negligible, within_delta
from tacit.borrowed import DpEvent
from tacit.contribution import Contribution
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import FixedPoint
from tacit.question.uneven import Uneven
from tacit.server.means import NoisyMean
from tacit.server.noisy_mean import Noising, Sums, gaussian_noise, laplace_noise, least_noise
from tacit.server.symmetric import SymmetricMean


@final
class UnevenMean(eqx.Module):
    """Noisy means, each round's with noise of its own.

    Args:
      rounds: their servers, alike but for their numbers, on one grid.
    """

    rounds: tuple[NoisyMean | SymmetricMean, ...]

    @property
    def grid(self) -> float:
        return self.rounds[0].grid

    @property
    def divisor(self) -> float:
        return self.rounds[0].divisor

    @property
    def facts(self) -> NoiseFacts:
        """Of the round of least share, whose noise is the largest."""
        return max((each.facts for each in self.rounds), key=lambda facts: facts.stated_noise)

    @property
    def deviations(self) -> tuple[float, ...]:
        """Of the noise on one coordinate of each round's answer."""
        return tuple(each.facts.stated_noise / each.divisor for each in self.rounds)

    @property
    def tv_distance(self) -> float:
        """Of all rounds together from those that are proved, at most."""
        return math.fsum(each.facts.tv_distance for each in self.rounds)

    def init(self) -> Int32[Array, ""]:
        return jnp.zeros((), jnp.int32)

    def step(
        self, carry: Int32[Array, ""], key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[Int32[Array, ""], Float[Array, "*shape"], None]:
        # Samplers of deviations far apart are programs of different lengths.
        each = [lambda own=own: own.step(None, key, total)[1] for own in self.rounds]
        return carry + 1, jax.lax.switch(carry, each), None


def uneven_mean(
    budget: Budget, question: Uneven, reports: Contribution, between: Relation
) -> tuple[UnevenMean, Guarantee]:
    """The server part for rounds of these shares, and what it promises the public.

    Args:
      budget: what is to be kept over all rounds.
      question: of whom, and the rounds' shares.
      reports: what is summed.
      between: how one report changes; the budget's relation, unless devices randomise.
    """
    question.sums.refuse_unproved(budget.relation)
    sums = Sums(question.sums, reports, between)

    def make(epsilon: float, delta: float) -> tuple[UnevenMean, DpEvent, float]:
        if delta == 0:
            server, event = _pure(epsilon, question, sums)
        else:
            multiplier = calibration.noise_multiplier(
                events.gaussian, epsilon, delta, budget.relation
            )
            noise = gaussian_noise(multiplier)
            server, event = _rounds(question, sums, noise), events.gaussian(multiplier)
        return server, event, server.tv_distance

    return within_delta(budget, make)


def _pure(epsilon: float, question: Uneven, sums: Sums) -> tuple[UnevenMean, DpEvent]:
    server = _rounds(question, sums, least_noise(epsilon))
    if not is_negligible(epsilon, server.tv_distance):
        server = _rounds(question, sums, laplace_noise(epsilon))
    pairs = zip(server.rounds, _shares(question), strict=True)
    return server, events.composed([_release(each, epsilon * share) for each, share in pairs])


def _release(server: NoisyMean | SymmetricMean, epsilon: float) -> DpEvent:
    """As of one round, the Euclidean K-norm's own."""
    own = server.mechanism
    return own.event if isinstance(own, EuclideanNorm) else events.k_norm(epsilon)


def _rounds(question: Uneven, sums: Sums, noise: Noising) -> UnevenMean:
    """All on the grid of the largest noise: 2^-34 of that is small beside the others', too.

    Wisharts are on that of the least: a unit of few levels may be coarse beside it.
    """
    shape, shares = sums.reports, _shares(question)
    first = sums.mean(shape, min(shares), noise)
    if isinstance(first.mechanism, WishartDifference):
        first = sums.mean(shape, max(shares), noise)
    held = replace(sums, held=first.grid)
    return UnevenMean(tuple(held.mean(shape, share, noise) for share in shares))


def _shares(question: Uneven) -> Sequence[float]:
    # Their floats must not add up to more than one.
    return [share * (1 - 1e-12) for share in question.shares]
