"""Every kind of release: when its accounting is proved, and where its losses come from.

This is the one table that knows all mechanisms. A kind is the dominating pair of one simple event:
its privacy losses on a grid, its Renyi divergences, and its epsilon at delta = 0. All that is built
on top (composition, calibration, receipts, the ledger) asks this table and nothing else, so a new
mechanism is a file in `pairs` and a row here.
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tacit.accounting.events import (
    BlanketDpEvent,
    DiscreteGaussianDpEvent,
    EpsilonDeltaDpEvent,
    EuclideanNormDpEvent,
    ExponentialMechanismDpEvent,
    LocalDpEvent,
    PoissonRecordsDpEvent,
    PrivUnitDpEvent,
    ShuffledDpEvent,
)
from tacit.accounting.kind import Kind
from tacit.accounting.loss.pld import Directions
from tacit.accounting.pairs import (
    approximate,
    blanket,
    clones,
    discrete,
    exponential,
    knorm,
    laplace,
    pure,
    records,
    replaced,
    response,
    sampled_gaussian,
    truncated,
)
from tacit.accounting.relation import Relation
from tacit.accounting.sampled import FIXED, POISSON, Sampled
from tacit.borrowed import (
    DiscreteLaplaceDpEvent,
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
    RandomizedResponseDpEvent,
    SampledWithoutReplacementDpEvent,
    SampledWithReplacementDpEvent,
    TruncatedSubsampledGaussianDpEvent,
    ZCDpEvent,
)

# How rarely more are drawn, and how many deviations off an outcome is, than bounds how fine a grid
# is; beyond 36 lies 1e-283. What is counted has limits of its own.
_RARE = 1e-40
_FARTHEST = 36
_EVERY = frozenset(Relation)
_MOVING = frozenset({Relation.ADD_REMOVE, Relation.ZERO_OUT})
_FIXED = frozenset({Relation.REPLACE_ONE})
_COUNTED = frozenset({Relation.REPLACE_ONE, Relation.ZERO_OUT})


def kind_of(event: DpEvent) -> Kind:
    """The row of a simple event.

    Raises:
      ValueError: no accounting is known for it.
    """
    if type(event) not in _KINDS:
        raise ValueError(f"no accounting is proved for {type(event).__name__}")
    return _KINDS[type(event)]


def _kind(
    name: str,
    relations: frozenset[Relation],
    pair: ModuleType,
    reach: Callable[[Any], float] | None = None,
) -> Kind:
    """The row of a mechanism that has a file of its own."""
    pure_epsilon = pair.pure_epsilon
    own = pair.spread, pair.losses, pair.renyi, pure_epsilon
    return Kind(name, relations, *own, reach or pure_epsilon)


def _never(_: DpEvent) -> float:
    return math.inf


def _shifted_reach(shift: float) -> float:
    """The loss of N(shift, 1) against N(0, 1) at the farthest outcome that is looked at."""
    return shift * (shift / 2 + _FARTHEST)


def _discrete_reach(event: DiscreteGaussianDpEvent) -> float:
    farthest = max(1.0, _FARTHEST * event.sigma)
    return (event.sensitivity / 2 + farthest) * event.sensitivity / event.sigma / event.sigma


def _records_reach(event: Any) -> float:
    most = records.most_drawn(_RARE, event.records, event.rate)
    return _shifted_reach(max(most, 1) / event.event.noise_multiplier)


def _replaced_reach(event: Any) -> float:
    most = records.most_drawn(_RARE, event.sample_size, 1 / event.source_dataset_size)
    return _shifted_reach(max(most, 1) / event.event.noise_multiplier)


def _gaussian_losses(event: GaussianDpEvent, interval: float, tail: float) -> Directions:
    return sampled_gaussian.poisson_losses(1.0, event.noise_multiplier, interval, tail)


def _zcdp_losses(event: ZCDpEvent, interval: float, tail: float) -> Directions:
    raise ValueError("no privacy losses are known of a zCDP event, only Renyi divergences")


_KINDS: dict[type[DpEvent], Kind] = {
    GaussianDpEvent: Kind(
        "a Gaussian event",
        _EVERY,
        lambda event: 1 / event.noise_multiplier,
        _gaussian_losses,
        lambda event, orders: orders / event.noise_multiplier / event.noise_multiplier / 2,
        _never,
        lambda event: _shifted_reach(1 / event.noise_multiplier),
    ),
    LaplaceDpEvent: _kind("a Laplace event", _EVERY, laplace),
    DiscreteLaplaceDpEvent: Kind(
        "a discrete Laplace event",
        _EVERY,
        discrete.discrete_laplace_spread,
        discrete.discrete_laplace_losses,
        discrete.discrete_laplace_renyi,
        discrete.discrete_laplace_pure_epsilon,
        discrete.discrete_laplace_pure_epsilon,
    ),
    DiscreteGaussianDpEvent: Kind(
        "a discrete Gaussian event",
        _EVERY,
        discrete.discrete_gaussian_spread,
        discrete.discrete_gaussian_losses,
        discrete.discrete_gaussian_renyi,
        discrete.discrete_gaussian_pure_epsilon,
        _discrete_reach,
    ),
    EuclideanNormDpEvent: _kind("a Euclidean-norm event", _EVERY, knorm),
    ExponentialMechanismDpEvent: _kind("an exponential mechanism", _EVERY, exponential),
    EpsilonDeltaDpEvent: _kind(
        "an (epsilon, delta) event", _EVERY, approximate, lambda event: event.epsilon
    ),
    ZCDpEvent: Kind(
        "a zCDP event",
        _EVERY,
        lambda event: math.sqrt(2 * event.rho),
        _zcdp_losses,
        lambda event, orders: event.xi + event.rho * orders,
        _never,
        _never,
    ),
    LocalDpEvent: _kind("a local event", _EVERY, pure),
    RandomizedResponseDpEvent: Kind(
        "randomised response",
        _FIXED,
        response.randomized_response_spread,
        response.randomized_response_losses,
        response.randomized_response_renyi,
        response.randomized_response_pure_epsilon,
        response.randomized_response_pure_epsilon,
    ),
    PrivUnitDpEvent: Kind(
        "a PrivUnit report",
        _FIXED,
        response.priv_unit_spread,
        response.priv_unit_losses,
        response.priv_unit_renyi,
        response.priv_unit_pure_epsilon,
        response.priv_unit_pure_epsilon,
    ),
    PoissonSampledDpEvent: Sampled(POISSON, kind_of).kind("Poisson sampling", _MOVING),
    TruncatedSubsampledGaussianDpEvent: _kind(
        "truncated Poisson sampling",
        frozenset({Relation.ADD_REMOVE}),
        truncated,
        lambda event: _shifted_reach(2 / event.noise_multiplier),
    ),
    PoissonRecordsDpEvent: _kind("Poisson sampling of records", _MOVING, records, _records_reach),
    SampledWithoutReplacementDpEvent: Sampled(FIXED, kind_of).kind(
        "sampling without replacement", _FIXED
    ),
    SampledWithReplacementDpEvent: _kind(
        "sampling with replacement", _FIXED, replaced, _replaced_reach
    ),
    ShuffledDpEvent: _kind("shuffling", _COUNTED, clones),
    BlanketDpEvent: _kind("shuffling of one randomiser", _COUNTED, blanket),
}
