"""Every kind of release: when its accounting is proved, and where its losses come from.

This is the one table that knows all mechanisms. A kind is the dominating pair of one simple event:
its privacy losses on a grid, its Renyi divergences, and its epsilon at delta = 0. All that is built
on top (composition, calibration, receipts, the ledger) asks this table and nothing else, so a new
mechanism is a file in `pairs` and a row here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from dp_accounting.dp_event import (
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
from jaxtyping import Float

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
    subsampled,
    truncated,
)
from tacit.accounting.pld import Directions, Losses
from tacit.accounting.relation import Relation

Orders = Float[np.ndarray, " orders"]
FINENESS = 64
MOST_CELLS = 2**19
_NARROWEST = 1e-14
_RARE = 1e-40
_UNSEEN = 1e-250
_EVERY = frozenset(Relation)
_MOVING = frozenset({Relation.ADD_REMOVE, Relation.ZERO_OUT})
_FIXED = frozenset({Relation.REPLACE_ONE})
_COUNTED = frozenset({Relation.REPLACE_ONE, Relation.ZERO_OUT})


@dataclass(frozen=True)
class Kind:
    """One row: what a simple event's privacy is, under the relations it is proved for.

    Args:
        name: what a refusal calls it.
        relations: those under which the pair is proved.
        spread: the standard deviation of one release's loss.
        losses: the losses of the pair, for an event, an interval and a tail that may be cut off.
        renyi: upper bounds on the Renyi divergences of both directions, at the given orders.
        pure: the epsilon at delta = 0; infinite if there is none.
        reach: a loss that one release hardly ever exceeds; it bounds how fine a grid can be.
    """

    name: str
    relations: frozenset[Relation]
    spread: Callable[[Any], float]
    losses: Callable[[Any, float, float], Directions]
    renyi: Callable[[Any, Orders], Orders]
    pure: Callable[[Any], float]
    reach: Callable[[Any], float]


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


def _sampled_spread(event: Any) -> float:
    rate, inner = _rate(event), event.event
    if isinstance(inner, GaussianDpEvent):
        return sampled_gaussian.spread(rate, inner.noise_multiplier)
    removed, _ = subsampled.poisson(_base(inner, _UNSEEN), rate, _sampled_interval(event))
    mean = float(removed.masses @ removed.values)
    return math.sqrt(removed.masses @ (removed.values - mean) ** 2)


def _poisson_losses(event: PoissonSampledDpEvent, interval: float, tail: float) -> Directions:
    rate, inner = _rate(event), event.event
    if isinstance(inner, GaussianDpEvent):
        return sampled_gaussian.poisson_losses(rate, inner.noise_multiplier, interval, tail)
    return subsampled.poisson(_base(inner, tail), rate, interval)


def _fixed_losses(
    event: SampledWithoutReplacementDpEvent, interval: float, tail: float
) -> Directions:
    rate, inner = _rate(event), event.event
    if isinstance(inner, GaussianDpEvent):
        exact = sampled_gaussian.without_replacement_losses
        return exact(rate, inner.noise_multiplier, interval, tail)
    return subsampled.without_replacement(_base(inner, tail), rate, interval)


def _poisson_renyi(event: PoissonSampledDpEvent, orders: Orders) -> Orders:
    if isinstance(event.event, GaussianDpEvent):
        return sampled_gaussian.poisson_renyi(event, orders)
    base = _seen(_base(event.event, _UNSEEN))
    pair = subsampled.poisson(base, _rate(event), _sampled_interval(event))
    return _with_tails(event.event, subsampled.renyi(pair, orders), orders)


def _fixed_renyi(event: SampledWithoutReplacementDpEvent, orders: Orders) -> Orders:
    if isinstance(event.event, GaussianDpEvent):
        return sampled_gaussian.without_replacement_renyi(event, orders)
    base = _seen(_base(event.event, _UNSEEN))
    pair = subsampled.without_replacement(base, _rate(event), _sampled_interval(event))
    return _with_tails(event.event, subsampled.renyi(pair, orders), orders)


def _with_tails(inner: DpEvent, seen: Orders, orders: Orders) -> Orders:
    """Divergences of a sample, where the tails of what is sampled may have been cut off.

    Why 10: at order a the discrete Gaussian's tails count as if it were moved by a times its
    sensitivity; the cut lies beyond thirty sigmas, so up to ten they weigh less than e^-200. At
    higher orders the divergence without sampling is a bound, by convexity.
    """
    if not isinstance(inner, DiscreteGaussianDpEvent):
        return seen
    near = orders * inner.sensitivity <= 10 * inner.sigma
    return np.where(near, seen, kind_of(inner).renyi(inner, orders))


def _sampled_pure(event: Any) -> float:
    pure_epsilon = kind_of(event.event).pure(event.event)
    if not math.isfinite(pure_epsilon):
        return math.inf
    return subsampled.amplified(pure_epsilon, 0.0, _rate(event))[0]


def _rate(event: Any) -> float:
    if isinstance(event, PoissonSampledDpEvent):
        return event.sampling_probability
    return event.sample_size / event.source_dataset_size


def _base(inner: DpEvent, tail: float) -> Directions:
    """The losses of what is sampled, on a grid fine beside them."""
    return kind_of(inner).losses(inner, finest(inner), tail)


def finest(event: DpEvent) -> float:
    """The grid for one event alone: fine beside its loss, and of bounded size."""
    kind = kind_of(event)
    return max(kind.spread(event) / FINENESS, kind.reach(event) / MOST_CELLS, _NARROWEST)


def _sampled_interval(event: Any) -> float:
    return max(_rate(event) * finest(event.event), _sampled_reach(event) / MOST_CELLS)


def _shifted_reach(shift: float) -> float:
    """The loss of N(shift, 1) against N(0, 1) fourteen deviations out."""
    return shift * (shift / 2 + 14)


def _discrete_reach(event: DiscreteGaussianDpEvent) -> float:
    farthest = max(1.0, 14 * event.sigma)
    return (event.sensitivity / 2 + farthest) * event.sensitivity / event.sigma**2


def _sampled_reach(event: Any) -> float:
    rate, inner = _rate(event), kind_of(event.event).reach(event.event)
    absent = math.log1p(-rate) if rate < 1 else -math.inf
    return max(float(np.logaddexp(absent, math.log(rate) + inner)), -absent if rate < 1 else 0.0)


def _records_reach(event: Any) -> float:
    most = records.most_drawn(_RARE, event.records, event.rate)
    return _shifted_reach(max(most, 1) / event.event.noise_multiplier)


def _replaced_reach(event: Any) -> float:
    most = records.most_drawn(_RARE, event.sample_size, 1 / event.source_dataset_size)
    return _shifted_reach(max(most, 1) / event.event.noise_multiplier)


def _seen(base: Directions) -> Directions:
    """The losses without outcomes too rare for any delta above 1e-200 to notice."""
    forth, back = (
        Losses(one.interval, one.lowest, one.masses, 0.0) if one.infinite <= _UNSEEN else one
        for one in base
    )
    return forth, forth if base[0] is base[1] else back


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
    PoissonSampledDpEvent: Kind(
        "Poisson sampling",
        _MOVING,
        _sampled_spread,
        _poisson_losses,
        _poisson_renyi,
        _sampled_pure,
        _sampled_reach,
    ),
    TruncatedSubsampledGaussianDpEvent: _kind(
        "truncated Poisson sampling",
        frozenset({Relation.ADD_REMOVE}),
        truncated,
        lambda event: _shifted_reach(2 / event.noise_multiplier),
    ),
    PoissonRecordsDpEvent: _kind("Poisson sampling of records", _MOVING, records, _records_reach),
    SampledWithoutReplacementDpEvent: Kind(
        "sampling without replacement",
        _FIXED,
        _sampled_spread,
        _fixed_losses,
        _fixed_renyi,
        _sampled_pure,
        _sampled_reach,
    ),
    SampledWithReplacementDpEvent: _kind(
        "sampling with replacement", _FIXED, replaced, _replaced_reach
    ),
    ShuffledDpEvent: _kind("shuffling", _COUNTED, clones),
    BlanketDpEvent: _kind("shuffling of one randomiser", _COUNTED, blanket),
}
