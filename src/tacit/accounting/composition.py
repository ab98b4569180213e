"""An event as the multiset of the simple events it is made of.

Composition is a sum: the privacy loss of several releases is the sum of their losses, in any
grouping and any order. So a nest of composed and repeated events is the same promise as the flat
list of its parts, and here it becomes that list before any accountant sees it. Composing k times
and composing k single events are then the same by construction, and no accountant is ever handed a
composition it might drop.

| event | becomes |
| --- | --- |
| K-norm, sparse vector, permute-and-flip | a pure event of the same epsilon |
| last iterate of mu-GDP | a Gaussian of multiplier 1/mu |
| a group | its parts, each for the group |
| several Gaussians inside one sample | one Gaussian of 1/z^2 = sum of 1/z_i^2 |
| a sample at rate 1 | what is sampled |

Inside one sample, independent Gaussian noises of multiplier z_i on one and the same cohort are
together one Gaussian release, because only the distance between the two means, in units of the
noise, matters. Any other event can be sampled alone.
"""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

from tacit.accounting import events
from tacit.accounting.decimals import DOWN, ONE, UP, ZERO
from tacit.accounting.event_json import canonical
from tacit.accounting.kinds import kind_of
from tacit.accounting.pairs.records import group_of
from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.accounting.theorems import iteration
from tacit.borrowed import (
    ComposedDpEvent,
    DiscreteLaplaceDpEvent,
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
    RandomizedResponseDpEvent,
    SampledWithoutReplacementDpEvent,
    SampledWithReplacementDpEvent,
    SelfComposedDpEvent,
)

Parts = Counter[DpEvent]
_SAMPLED_ALONE = (
    DiscreteLaplaceDpEvent,
    LaplaceDpEvent,
    RandomizedResponseDpEvent,
    events.DiscreteGaussianDpEvent,
    events.EpsilonDeltaDpEvent,
    events.EuclideanNormDpEvent,
    events.ExponentialMechanismDpEvent,
    events.LocalDpEvent,
    events.PrivUnitDpEvent,
)


def parts(event: DpEvent, relation: Relation) -> Parts:
    """The simple events that `event` is made of, each with how often it occurs.

    **Guarantee.** Every part is a pair of event and relation whose accounting is proved.

    Raises:
      ValueError: a part is not allowed under `relation`, or a sample holds what no sampling
        theorem covers.
    """
    refuse_no_relation(relation)
    event = canonical(event)
    _allow_groups(event, relation)
    flat = _flatten(event)
    for part in flat:
        _allow(part, relation)
    return Counter(dict(sorted(flat.items(), key=repr)))


def total_multiplier(gaussians: Parts) -> float:
    """The noise multiplier of the one Gaussian release that equals all of `gaussians`, rounded
    down."""
    if gaussians.total() == 1:
        return _multiplier(*gaussians)
    total = ZERO
    for part, count in gaussians.items():
        own = Decimal(_multiplier(part))
        total = UP.add(total, UP.divide(Decimal(count), DOWN.multiply(own, own)))
    near = math.nextafter(float(UP.divide(ONE, UP.sqrt(total))), math.inf)
    while UP.multiply(UP.multiply(Decimal(near), Decimal(near)), total) > ONE:
        near = math.nextafter(near, 0.0)
    return near


def _multiplier(part: DpEvent) -> float:
    if not isinstance(part, GaussianDpEvent):
        raise ValueError(f"only Gaussian events add up in a sample, got {type(part).__name__}")
    return part.noise_multiplier


def _allow(part: DpEvent, relation: Relation) -> None:
    kind = kind_of(part)
    if relation not in kind.relations:
        names = " or ".join(sorted(allowed.value for allowed in kind.relations))
        raise ValueError(f"{kind.name} is accounted under {names} only, got {relation.value}")
    match part:
        case PoissonSampledDpEvent() | SampledWithoutReplacementDpEvent():
            _allow(part.event, relation)


def _allow_groups(event: Any, relation: Relation) -> None:
    """Refuse a group of what is not proved for one person, and a group inside a sample.

    Why the second: a group that is drawn together is another event than one whose people are drawn
    each alone, and neither bounds the other.
    """
    match event:
        case events.GroupDpEvent():
            parts(event.event, relation)
        case ComposedDpEvent():
            for part in event.events:
                _allow_groups(part, relation)
        case SelfComposedDpEvent():
            _allow_groups(event.event, relation)
        case _ if _holds_group(event):
            raise ValueError("a group stands around a sample, not inside one, got one inside")


def _holds_group(event: Any) -> bool:
    inner = event.events if isinstance(event, ComposedDpEvent) else [getattr(event, "event", None)]
    return isinstance(event, events.GroupDpEvent) or any(map(_holds_group, filter(None, inner)))


def _flatten(event: DpEvent) -> Parts:
    match event:
        case SelfComposedDpEvent():
            inner = _flatten(event.event)
            return Counter({part: count * event.count for part, count in inner.items()})
        case ComposedDpEvent():
            total: Parts = Counter()
            for part in event.events:
                total.update(_flatten(part))
            return total
        case events.GroupDpEvent(size=1):
            return _flatten(event.event)
        case events.GroupDpEvent():
            return _flatten(group_of(event.size, event.event))
    return _simple(event)


def _simple(event: Any) -> Parts:
    match event:
        case PoissonSampledDpEvent():
            if event.sampling_probability == 1:
                return _flatten(event.event)
            return Counter([events.poisson(event.sampling_probability, _sampled(event.event))])
        case SampledWithoutReplacementDpEvent():
            sizes = event.source_dataset_size, event.sample_size
            return Counter([SampledWithoutReplacementDpEvent(*sizes, _sampled(event.event))])
        case SampledWithReplacementDpEvent():
            sizes = event.source_dataset_size, event.sample_size
            return Counter([SampledWithReplacementDpEvent(*sizes, _gaussian(event.event))])
        case events.PoissonRecordsDpEvent():
            inner = _gaussian(event.event)
            return Counter([events.poisson_records(event.rate, event.records, inner)])
        case events.LastIterateDpEvent():
            return Counter([events.gaussian(iteration.multiplier(event))])
        case events.KNormDpEvent() | events.SparseVectorDpEvent() | events.PermuteAndFlipDpEvent():
            return Counter([events.local(event.epsilon)])
    return Counter([event])


def _sampled(event: DpEvent) -> DpEvent:
    """The one event that a sample holds: all its Gaussians as one, or any other event alone."""
    inner = _flatten(event)
    if all(isinstance(part, GaussianDpEvent) for part in inner):
        return _gaussian(event)
    alone = next(iter(inner))
    if inner.total() > 1 or not isinstance(alone, _SAMPLED_ALONE):
        raise ValueError(
            "a sample holds Gaussian events or one other additive, selection or local event, got "
            + ", ".join(type(part).__name__ for part in inner)
        )
    return alone


def _gaussian(event: DpEvent) -> GaussianDpEvent:
    return events.gaussian(total_multiplier(_flatten(event)))
