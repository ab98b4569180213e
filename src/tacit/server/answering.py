"""What servers of a workload's answers have in common: their facts, and how loud they are.

Each adds Gaussian noise to some sums, of which the public sees one release of a multiplier in each
round; the multiplier is the least that keeps the promise, with what the sampler takes of delta.
"""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.reserve import Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.question.objectives import ErrorObjective, MaxError
from tacit.question.sums import Mean
from tacit.question.workloads import Workload


class WorkloadServer(Protocol):
    """A server of a workload's answers, whose noise is on some sums."""

    @property
    def workload(self) -> Workload: ...

    @property
    def mechanism(self) -> Gaussian | Laplace: ...

    @property
    def objective(self) -> ErrorObjective: ...

    @property
    def variances(self) -> tuple[float, float]: ...

    @property
    def of_least(self) -> float | None: ...

    @property
    def facts(self) -> NoiseFacts: ...


def answer_facts(server: WorkloadServer, sums: int) -> NoiseFacts:
    """What is known of answers made of so many noisy sums."""
    whole, largest = server.variances
    worst = isinstance(server.objective, MaxError)
    return NoiseFacts(
        noise=math.sqrt(server.mechanism.variance * largest),
        error=server.mechanism.variance * whole,
        tv_distance=server.mechanism.tv_distance(sums),
        of_least=None if worst else server.of_least,
        worst_of_least=server.of_least if worst else None,
        queries=server.workload.queries,
    )


Served = TypeVar("Served", bound=WorkloadServer)


def calibrated(
    budget: Budget, sums: Mean, server: Callable[[float], Served]
) -> tuple[Served, Guarantee]:
    """The server of the least noise multiplier, and what it promises the public.

    Raises:
      ValueError: if the participation is not proved under the relation.
    """
    relation = budget.relation
    sums.refuse_unproved(relation)

    def event(multiplier: float) -> DpEvent:
        return sums.event(events.gaussian(multiplier), relation)

    def make(epsilon: float, delta: float) -> tuple[Served, DpEvent, float]:
        multiplier = calibration.noise_multiplier(event, epsilon, delta, relation)
        made = server(multiplier)
        chance = sums.overflow() + sums.rounds * made.facts.tv_distance
        return made, event(multiplier), chance

    return within_delta(budget, make, known=sums.overflow())
