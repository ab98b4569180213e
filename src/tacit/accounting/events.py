"""What was released, in the language every accountant reads: events, their checks, their JSON.

An event names a mechanism by the few numbers its privacy depends on. The Gaussian, sampled and
composed ones are those of dp_accounting; a locally randomised report and a shuffled pass over such
reports are ours. Why constructors: dp_accounting drops a composition silently when a noise
multiplier is an `int` or a `numpy.float32`, so every number passes here and becomes a Python float.

The JSON form is a closed list: an event this file does not know is refused, never guessed, and
floats are written by `repr`, so an event read back equals the event written.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attr
from dp_accounting import (
    ComposedDpEvent,
    DpEvent,
    GaussianDpEvent,
    PoissonSampledDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
)


@attr.s(frozen=True, slots=True, auto_attribs=True)
class LocalDpEvent(DpEvent):
    """One report whose law changes by a factor of at most e^epsilon between neighbours."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ShuffledDpEvent(DpEvent):
    """One pass in which `people` reports, each local_epsilon-DP, are in uniform secret order."""

    local_epsilon: float
    people: int


def gaussian(noise_multiplier: float) -> GaussianDpEvent:
    """One sum with Gaussian noise; the multiplier is over the distance between neighbours."""
    return GaussianDpEvent(_positive("noise_multiplier", noise_multiplier))


def poisson(rate: float, event: DpEvent) -> DpEvent:
    """`event` on a cohort each person joins independently and secretly with probability `rate`."""
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    return PoissonSampledDpEvent(float(rate), event)


def without_replacement(people: int, sample: int, event: DpEvent) -> DpEvent:
    """`event` on a secret uniform subset of exactly `sample` of `people` people."""
    people, sample = _count("people", people), _count("sample", sample)
    if sample > people:
        raise ValueError(f"sample must be at most people = {people}, got {sample}")
    return SampledWithoutReplacementDpEvent(people, sample, event)


def local(epsilon: float) -> LocalDpEvent:
    """One epsilon-locally-private report of one person."""
    return LocalDpEvent(_positive("epsilon", epsilon))


def shuffled(local_epsilon: float, people: int) -> ShuffledDpEvent:
    """One shuffled pass over `people` reports, each local_epsilon-DP."""
    return ShuffledDpEvent(_positive("local_epsilon", local_epsilon), _count("people", people))


def repeated(event: DpEvent, count: int) -> SelfComposedDpEvent:
    """`event` released `count` times, each time chosen with the earlier answers in view."""
    return SelfComposedDpEvent(event, _count("count", count))


def composed(events: Sequence[DpEvent]) -> ComposedDpEvent:
    """All of `events`, each chosen with the earlier answers in view."""
    if not events:
        raise ValueError("events must hold at least one event, got none")
    return ComposedDpEvent(list(events))


def to_json(event: DpEvent) -> dict[str, Any]:
    """The event as plain JSON data, exact to the last bit.

    Raises:
        ValueError: the event is not one of the closed list.
    """
    match event:
        case GaussianDpEvent():
            return {"event": "gaussian", "noise_multiplier": float(event.noise_multiplier)}
        case PoissonSampledDpEvent():
            rate = float(event.sampling_probability)
            return {"event": "poisson", "rate": rate, "of": to_json(event.event)}
        case SampledWithoutReplacementDpEvent():
            sizes = {"people": event.source_dataset_size, "sample": event.sample_size}
            return {"event": "without-replacement", **sizes, "of": to_json(event.event)}
        case SelfComposedDpEvent():
            return {"event": "repeated", "count": event.count, "of": to_json(event.event)}
        case ComposedDpEvent():
            return {"event": "composed", "of": [to_json(part) for part in event.events]}
        case LocalDpEvent():
            return {"event": "local", "epsilon": float(event.epsilon)}
        case ShuffledDpEvent():
            epsilon = float(event.local_epsilon)
            return {"event": "shuffled", "local_epsilon": epsilon, "people": event.people}
    raise ValueError(f"event must be one of {', '.join(_READERS)}, got {type(event).__name__}")


def from_json(data: Mapping[str, Any]) -> DpEvent:
    """The event that `to_json` wrote.

    Raises:
        ValueError: an unknown event, a missing or unknown field, or a number out of its range.
    """
    name = data.get("event") if isinstance(data, Mapping) else None
    if name not in _READERS:
        raise ValueError(f"event must be one of {', '.join(_READERS)}, got {name!r}")
    fields, read = _READERS[name]
    if set(data) != {"event", *fields}:
        raise ValueError(f"a {name} event has the fields {', '.join(fields)}, got {sorted(data)}")
    return read(*(data[field] for field in fields))


def canonical(event: DpEvent) -> DpEvent:
    """The same event with every number checked and made a Python float or int."""
    return from_json(to_json(event))


def _poisson(rate: float, of: Mapping[str, Any]) -> DpEvent:
    return poisson(rate, from_json(of))


def _without_replacement(people: int, sample: int, of: Mapping[str, Any]) -> DpEvent:
    return without_replacement(people, sample, from_json(of))


def _repeated(count: int, of: Mapping[str, Any]) -> DpEvent:
    return repeated(from_json(of), count)


def _composed(of: Sequence[Mapping[str, Any]]) -> DpEvent:
    return composed([from_json(part) for part in of])


_READERS = {
    "gaussian": (("noise_multiplier",), gaussian),
    "poisson": (("rate", "of"), _poisson),
    "without-replacement": (("people", "sample", "of"), _without_replacement),
    "local": (("epsilon",), local),
    "shuffled": (("local_epsilon", "people"), shuffled),
    "repeated": (("count", "of"), _repeated),
    "composed": (("of",), _composed),
}


def _positive(name: str, value: float) -> float:
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be positive and finite, got {value}")
    return float(value)


def _count(name: str, value: int) -> int:
    if not (value >= 1 and value == int(value)):
        raise ValueError(f"{name} must be a whole number of at least 1, got {value}")
    return int(value)
