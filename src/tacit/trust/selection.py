"""Choosing the candidate with the highest sum, without releasing any sum.

Scores are summed exactly on the mechanism's own grid, so what is compared are integers. Only
differences between scores matter, so the sensitivity is half of the `spread`: how much further one
score can move than another. Cutting terms to the grid can move each of two scores by one step.

Two mechanisms choose: permute-and-flip, which is never worse at the same epsilon, and the
exponential mechanism, whose repetitions compose better (bounded range). Each is calibrated for the
question as a whole, and the larger epsilon a choice wins.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from tacit.accounting import calibration, events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.contribution import Scored
from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.permute_and_flip import PermuteAndFlip
from tacit.noise.fixed import LIMB, Fixed
from tacit.plan import Guarantee
from tacit.question import Select
from tacit.trust.additive import ROUNDING, Promise

# Larger differences are cut by the mechanisms anyway: limbs apart, of a distance below 2^23.
FARTHEST = 2**9


@final
class Choice(eqx.Module):
    """The number of one candidate, chosen by its exact sum of scores."""

    mechanism: Exponential | PermuteAndFlip
    divisor: float
    candidates: int = eqx.field(static=True)

    @property
    def grid(self) -> float:
        return self.mechanism.grid.step

    @property
    def noise(self) -> float:
        return 0.0

    @property
    def error(self) -> float:
        return 0.0

    @property
    def distance(self) -> float:
        return 0.0

    def shortfall(self, beta: float) -> float:
        """With probability 1 - `beta` the chosen mean is within this of the highest.

        Raises:
          ValueError: if `beta` is not in (0, 1].
        """
        if not 0 < beta <= 1:
            raise ValueError(f"beta must be in (0, 1], got {beta}")
        return self.mechanism.error(self.candidates, 1, -math.log(beta)) / self.divisor

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: Fixed
    ) -> tuple[None, Int32[Array, ""], None]:
        return carry, self.mechanism.sample_distances(key, below_highest(total)), None


def below_highest(total: Fixed) -> Int32[Array, " candidates"]:
    """How many whole steps each sum is below the highest one, exactly up to 2^23."""
    high = jnp.max(total.high)
    low = jnp.max(jnp.where(total.high == high, total.low, 0))
    limbs = jnp.minimum(high - total.high, FARTHEST)
    return limbs * LIMB + (low - total.low)


def choice(promise: Promise, question: Select) -> tuple[Choice, Guarantee]:
    """The server part that chooses a candidate in each round, and what it promises the public."""
    sums = question.sums
    spill = overflow_delta(promise.epsilon, sums.overflow())
    if promise.delta > 0 and not spill < promise.delta:
        raise ValueError(f"delta must exceed {spill:.3g}, the cost of overflowing cohorts")
    allowed = max(promise.delta - spill, 0.0)
    kinds = (
        (PermuteAndFlip, events.permute_and_flip),
        (Exponential, events.exponential_mechanism),
    )
    found = []
    for kind, release in kinds:
        epsilon = calibration.release_epsilon(
            lambda e, release=release: sums.event(release(e), promise.relation),
            sums.times,
            promise.epsilon,
            allowed,
            promise.relation,
        )
        found.append((epsilon, kind, sums.event(release(epsilon), promise.relation)))
    epsilon, kind, event = max(found, key=lambda each: each[0])
    account = certified_epsilon(event, allowed, promise.relation)
    guarantee = Guarantee(
        "public",
        promise.relation,
        event,
        account.epsilon,
        max(promise.delta, spill),
        account.accountant,
        spill=spill,
    )
    mechanism = _on_grid(kind, epsilon, question.scores, promise.relation)
    return Choice(mechanism, sums.cohort, question.scores.candidates), guarantee


def _on_grid(
    kind: type[Exponential] | type[PermuteAndFlip],
    epsilon: float,
    shape: Scored,
    relation: Relation,
) -> Exponential | PermuteAndFlip:
    half = shape.spread(relation) / 2
    exact = kind(epsilon, half)
    if exact.grid.step <= shape.unit:
        return exact
    return kind(epsilon, (1 + ROUNDING) * half + exact.grid.step)
