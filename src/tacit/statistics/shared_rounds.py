"""Rounds that share one promise: their plan, and the noise that each will have.

A curator asks everybody in every round, and each round has its share of the promise. People who
report by themselves are in one round each, with all of their promise for it: shares are then of
people, and all alike. All rounds ask for one ball of numbers; what a learner puts into it may be
another thing in each.
"""

import math

from tacit.contribution import Ball, Contribution, L1Ball
from tacit.plan import Plan
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.question.uneven import Uneven
from tacit.server.uneven import UnevenMean
from tacit.trust.central import Central
from tacit.trust.people import Curated, Trust


def unit_ball(trust: Trust, numbers: int) -> Ball | L1Ball:
    """In which so many numbers have the least noise: a curator's without a delta in L1."""
    pure = isinstance(trust, Central) and trust.delta == 0
    return L1Ball(numbers, 1.0) if pure else Ball(numbers, 1.0)


def shared_plan(trust: Trust, shape: Contribution, people: int, shares: tuple[float, ...]) -> Plan:
    """What as many rounds as shares promise together."""
    if not isinstance(trust, Curated):
        return trust.plan(Mean(shape, Once(), len(shares), people))
    return trust.plan(Uneven(Mean(shape, Everyone(), len(shares), people), shares))


def deviations_of(plan: Plan) -> tuple[float, ...]:
    """Of the noise on one number of each round's answer.

    Raises:
      ValueError: if it is not known beforehand.
    """
    if isinstance(plan.server, UnevenMean):
        return plan.server.deviations
    if plan.error is None:
        raise ValueError(
            "the noise of these reports is not known, and what is learnt would move by it: leave "
            "the projection radius infinite"
        )
    numbers = math.prod(plan.sums.contribution.answer_shape)
    return (math.sqrt(plan.error / numbers),) * plan.sums.rounds
