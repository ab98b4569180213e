"""Which local randomiser runs on a device, for each shape of contribution.

One table: a number in an interval is reported by ScalarDP; a vector in a ball by its direction
(PrivUnit2), with its norm either reported apart (ScalarDP) or folded into a sign. Each is
epsilon-locally private as it stands, and each states the exact set its reports lie in, which is
what a server may scale noise to.
"""

import math
from dataclasses import dataclass
from typing import final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.contribution import Ball, Contribution, Interval
from tacit.mechanisms.folded import Folded
from tacit.mechanisms.privunit2 import PrivUnit2
from tacit.mechanisms.scalardp import ScalarDP
from tacit.mechanisms.separated import Separated
from tacit.plan import Device


@final
@dataclass(frozen=True)
class Split:
    """The local budget of one report of a vector: so much for direction, so much for magnitude."""

    direction: float
    magnitude: float

    def __post_init__(self):
        if not (0 < self.direction < math.inf and 0 < self.magnitude < math.inf):
            raise ValueError(
                "both parts of a local budget must be positive and finite, got "
                f"direction {self.direction} and magnitude {self.magnitude}"
            )

    @property
    def epsilon(self) -> float:
        return self.direction + self.magnitude


@final
class OnInterval(eqx.Module):
    """ScalarDP on an interval: the distance from the lower bound, randomised, and moved back."""

    contribution: Interval
    scalar: ScalarDP

    @property
    def epsilon(self) -> float:
        return self.scalar.epsilon

    @property
    def reports(self) -> Contribution:
        lower = self.contribution.lower
        return Interval(lower - self.scalar.bound, lower + self.scalar.bound)

    @property
    def worst_error(self) -> float:
        return self.scalar.worst_error

    def sample(self, key: PRNGKeyArray, terms: Float[Array, " people"]) -> Float[Array, " people"]:
        lower = self.contribution.lower
        return lower + self.scalar.sample(key, terms - lower)


@final
class OnBall(eqx.Module):
    """A vector's direction, randomised, with its norm randomised apart or folded into a sign."""

    mechanism: Separated | Folded

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def reports(self) -> Contribution:
        return Ball(self.mechanism.direction.dim, self.mechanism.bound)

    @property
    def worst_error(self) -> float:
        return self.mechanism.worst_error

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.mechanism.sample(key, terms)


def device_for(contribution: Contribution, budget: float | Split) -> Device:
    """The device part for one report of `contribution` under a local `budget`.

    With a plain number for a vector, the mechanism of the least worst-case error is taken.

    Raises:
      ValueError: for a shape that has no local randomiser, or a split of a plain number.
    """
    match contribution, budget:
        case Interval(lower=lower, upper=upper), int() | float():
            return OnInterval(contribution, ScalarDP.best(budget, upper - lower))
        case Ball(dim=dim, radius=radius), Split(direction=direction, magnitude=magnitude):
            unit = PrivUnit2.optimal(dim, direction)
            # A report's squared norm weighs on its error: fewer levels than for a number alone.
            scalar = ScalarDP.best(magnitude, radius, 1 - unit.scale**-2)
            return OnBall(Separated(unit, scalar))
        case Ball(dim=dim, radius=radius), int() | float():
            apart, folded = Separated.split(dim, budget, radius), Folded.best(dim, budget, radius)
            return OnBall(min(apart, folded, key=lambda mechanism: mechanism.worst_error))
    raise ValueError(
        "a local report is an Interval with one budget, or a Ball with one budget or a Split; "
        f"got {type(contribution).__name__} with {type(budget).__name__}"
    )
