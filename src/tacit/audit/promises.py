"""What a promise allows to be told apart: the most who are found, at a rate of false alarms.

Whoever says "it is the first of two neighbouring data sets" says so rightly with some chance t, and
wrongly with some chance a. An (epsilon, delta)-private answer allows

    t <= e^epsilon a + delta,        1 - a <= e^epsilon (1 - t) + delta,

for either data set and either answer (Kairouz, Oh and Viswanath 2015), so that limits of both
chances show an epsilon of at least log((t - delta)/a) and log((1 - a - delta)/(1 - t)). A plan's
promise allows what its event's tradeoff curve does: less, as it says more than one epsilon and one
delta. Gaussian noise has t = Phi(Phi^-1(a) + mu); two-thirds of it are seen long before any epsilon
at a small delta shows them.

References:
    Kairouz, Oh and Viswanath 2015, "The composition theorem for differential privacy".
    Dong, Roth and Su 2022, "Gaussian differential privacy".
"""

import math
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from tacit.accounting import accountant
from tacit.argument import got, is_number
from tacit.plan import Plan

Chances = Float[np.ndarray, "*ways"]


@runtime_checkable
class AuditPromise(Protocol):
    """What is put to the test."""

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    def most_found(self, false_alarms: float) -> float:
        """The largest chance of a true alarm that it allows."""
        ...

    def evidence(self, found: Chances, false_alarms: Chances) -> Chances:
        """How much such chances say against it: to choose by, and no more."""
        ...


@final
@dataclass(frozen=True)
class EpsilonDelta:
    """An epsilon and a delta.

    Raises:
      ValueError: unless epsilon is from 0 on and finite, and delta in [0, 1).
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self):
        if not (is_number(self.epsilon) and 0 <= self.epsilon < math.inf):
            raise ValueError(f"epsilon must be at least 0 and finite, got {got(self.epsilon)}")
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta must be in [0, 1), got {got(self.delta)}")

    def most_found(self, false_alarms: float) -> float:
        steep = math.exp(min(self.epsilon, 700.0)) * false_alarms + self.delta
        flat = 1 - math.exp(-self.epsilon) * (1 - false_alarms - self.delta)
        return min(1.0, steep, flat)

    def evidence(self, found: Chances, false_alarms: Chances) -> Chances:
        """The epsilon that is shown."""
        return shown(found, false_alarms, self.delta)


@final
@dataclass(frozen=True)
class PlanPromise:
    """A plan's, of its first guarantee: the whole tradeoff curve of its event."""

    plan: Plan

    def __post_init__(self):
        if not self.plan.guarantees:
            raise ValueError("a plan that promises nothing has nothing to be audited")

    @property
    def epsilon(self) -> float:
        return self.plan.guarantees[0].epsilon

    @property
    def delta(self) -> float:
        return self.plan.guarantees[0].delta

    def most_found(self, false_alarms: float) -> float:
        return most_found(self.plan, false_alarms)

    def evidence(self, found: Chances, false_alarms: Chances) -> Chances:
        """How far apart normal noise would have both."""
        return ndtri(found) - ndtri(false_alarms)


def most_found(plan: Plan, false_alarms: float) -> float:
    """The largest share of true alarms that all of a plan's guarantees allow; 1 of none."""
    missed = [
        accountant.tradeoff(each.event, false_alarms, each.relation).false_negative
        - each.delta_reserved
        for each in plan.guarantees
    ]
    return 1 - max([0.0, *missed])


def shown(found: Chances, false_alarms: Chances, delta: float) -> Chances:
    """The epsilon, at this delta, that chances of true and false alarms show; 0 for none."""
    raised = likelier(found, false_alarms, delta)
    return np.maximum(0.0, np.maximum(raised, likelier(1 - false_alarms, 1 - found, delta)))


def likelier(least: Chances, most: Chances, delta: float) -> Chances:
    """The epsilon, at this delta, that a chance shows which is at least so large on one data set,
    and at most so large on its neighbour; minus infinity for none at all.

    Args:
      least: from 0 to 1.
      most: above 0.
      delta: in [0, 1).
    """
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(least - delta, 0.0)) - np.log(most)
