"""An event as the multiset of the simple events it is made of.

Composition is a sum: the privacy loss of several releases is the sum of their losses, in any
grouping and any order. So a nest of composed and repeated events is the same promise as the flat
list of its parts, and here it becomes that list before any accountant sees it. Composing k times
and composing k single events are then the same by construction, and no accountant is ever handed a
composition it might drop.

Inside one sample, several Gaussian releases are one: independent noises of multiplier z_i on one
and the same cohort are together a Gaussian release of multiplier (sum of 1/z_i^2)^(-1/2), because
only the distance between the two means, in units of the noise, matters.
"""

import math
from collections import Counter

from dp_accounting import (
    ComposedDpEvent,
    DpEvent,
    GaussianDpEvent,
    PoissonSampledDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
)

from tacit.accounting.events import LocalDpEvent, ShuffledDpEvent, canonical
from tacit.accounting.relation import Relation

Parts = Counter[DpEvent]

_ALLOWED = {
    GaussianDpEvent: frozenset(Relation),
    LocalDpEvent: frozenset(Relation),
    PoissonSampledDpEvent: frozenset({Relation.ADD_REMOVE, Relation.ZERO_OUT}),
    SampledWithoutReplacementDpEvent: frozenset({Relation.REPLACE_ONE}),
    ShuffledDpEvent: frozenset({Relation.REPLACE_ONE, Relation.ZERO_OUT}),
}
_NAMES = {
    GaussianDpEvent: "a Gaussian event",
    LocalDpEvent: "a local event",
    PoissonSampledDpEvent: "Poisson sampling",
    SampledWithoutReplacementDpEvent: "sampling without replacement",
    ShuffledDpEvent: "shuffling",
}


def parts(event: DpEvent, relation: Relation) -> Parts:
    """The simple events that `event` is made of, each with how often it occurs.

    **Guarantee.** Every part is a pair of event and relation whose accounting is proved.

    | pair | allowed under |
    | --- | --- |
    | Gaussian, local | every relation |
    | Poisson sampling of Gaussians | add/remove, zero-out |
    | sampling without replacement of Gaussians | replace-one |
    | shuffling | replace-one, zero-out (the number of reports is seen) |

    Raises:
        ValueError: a part is not allowed under `relation`, or a sampled event is not Gaussian.
    """
    flat = _flatten(canonical(event))
    for part in flat:
        allowed = _ALLOWED[type(part)]
        if relation not in allowed:
            names = " or ".join(sorted(r.value for r in allowed))
            raise ValueError(
                f"{_NAMES[type(part)]} is accounted under {names} only, got {relation.value}"
            )
    return flat


def total_multiplier(gaussians: Parts) -> float:
    """The noise multiplier of the one Gaussian release that equals all of `gaussians`."""
    inverse_squares = [
        count / part.noise_multiplier**2
        for part, count in gaussians.items()
        if isinstance(part, GaussianDpEvent)
    ]
    if len(inverse_squares) < len(gaussians):
        raise ValueError("only Gaussian events can be sampled, got another event in the sample")
    return 1 / math.sqrt(math.fsum(inverse_squares))


def sampled_gaussian(
    part: PoissonSampledDpEvent | SampledWithoutReplacementDpEvent,
) -> tuple[float, float]:
    """The rate and the noise multiplier of one simple sampled event."""
    multiplier = total_multiplier(Counter([part.event]))
    if isinstance(part, PoissonSampledDpEvent):
        return part.sampling_probability, multiplier
    return part.sample_size / part.source_dataset_size, multiplier


def _flatten(event: DpEvent) -> Parts:
    match event:
        case SelfComposedDpEvent():
            inner = _flatten(event.event)
            return Counter({part: count * event.count for part, count in inner.items()})
        case ComposedDpEvent():
            return sum((_flatten(part) for part in event.events), Counter())
        case PoissonSampledDpEvent():
            release = GaussianDpEvent(total_multiplier(_flatten(event.event)))
            if event.sampling_probability == 1:
                return Counter([release])
            return Counter([PoissonSampledDpEvent(event.sampling_probability, release)])
        case SampledWithoutReplacementDpEvent():
            release = GaussianDpEvent(total_multiplier(_flatten(event.event)))
            sizes = event.source_dataset_size, event.sample_size
            return Counter([SampledWithoutReplacementDpEvent(*sizes, release)])
    return Counter([event])
