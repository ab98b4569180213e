"""Events as plain JSON: a closed list, exact to the last bit.

An event this file does not know is refused, never guessed. Floats are written by `repr`, so an
event read back equals the event written; reading passes through the same constructors, and so
through the same checks, as making one.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tacit.accounting import events
from tacit.argument import got
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
    TruncatedSubsampledGaussianDpEvent,
    ZCDpEvent,
)

_FORMS: dict[str, tuple[type[DpEvent], Callable[..., DpEvent], tuple[str, ...]]] = {
    "gaussian": (GaussianDpEvent, events.gaussian, ("noise_multiplier",)),
    "laplace": (LaplaceDpEvent, events.laplace, ("noise_multiplier",)),
    "discrete-laplace": (
        DiscreteLaplaceDpEvent,
        events.discrete_laplace,
        ("noise_parameter", "sensitivity"),
    ),
    "discrete-gaussian": (
        events.DiscreteGaussianDpEvent,
        events.discrete_gaussian,
        ("sigma", "sensitivity"),
    ),
    "k-norm": (events.KNormDpEvent, events.k_norm, ("epsilon",)),
    "euclidean-norm": (
        events.EuclideanNormDpEvent,
        events.euclidean_norm,
        ("epsilon", "dimension"),
    ),
    "exponential-mechanism": (
        events.ExponentialMechanismDpEvent,
        events.exponential_mechanism,
        ("epsilon",),
    ),
    "permute-and-flip": (events.PermuteAndFlipDpEvent, events.permute_and_flip, ("epsilon",)),
    "sparse-vector": (events.SparseVectorDpEvent, events.sparse_vector, ("epsilon",)),
    "randomized-response": (
        RandomizedResponseDpEvent,
        events.randomized_response,
        ("noise_parameter", "num_buckets"),
    ),
    "epsilon-delta": (events.EpsilonDeltaDpEvent, events.epsilon_delta, ("epsilon", "delta")),
    "zcdp": (ZCDpEvent, events.zcdp, ("rho", "xi")),
    "local": (events.LocalDpEvent, events.local, ("epsilon",)),
    "priv-unit": (events.PrivUnitDpEvent, events.priv_unit, ("epsilon", "cap")),
    "shuffled": (events.ShuffledDpEvent, events.shuffled, ("local_epsilon", "people")),
    "blanket": (events.BlanketDpEvent, events.blanket, ("local_epsilon", "blanket", "people")),
    "poisson": (PoissonSampledDpEvent, events.poisson, ("sampling_probability", "event")),
    "poisson-records": (
        events.PoissonRecordsDpEvent,
        events.poisson_records,
        ("rate", "records", "event"),
    ),
    "truncated-poisson": (
        TruncatedSubsampledGaussianDpEvent,
        events.truncated_poisson,
        ("dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"),
    ),
    "without-replacement": (
        SampledWithoutReplacementDpEvent,
        events.without_replacement,
        ("source_dataset_size", "sample_size", "event"),
    ),
    "with-replacement": (
        SampledWithReplacementDpEvent,
        events.with_replacement,
        ("source_dataset_size", "sample_size", "event"),
    ),
    "group": (events.GroupDpEvent, events.group, ("size", "event")),
    "last-iterate": (
        events.LastIterateDpEvent,
        events.last_iterate,
        ("steps", "contraction", "shift", "noise", "diameter"),
    ),
    "repeated": (SelfComposedDpEvent, events.repeated, ("event", "count")),
    "composed": (ComposedDpEvent, events.composed, ("events",)),
}
"""Each event's class, the constructor that checks it, and its fields in the constructor's order."""

_NAMES = {kind: name for name, (kind, _, _) in _FORMS.items()}


def to_json(event: DpEvent) -> dict[str, Any]:
    """The event as plain JSON data.

    Raises:
      ValueError: the event is not one of the closed list.
    """
    if type(event) not in _NAMES:
        raise ValueError(
            "event must be made by tacit.accounting.events, as events.gaussian(2.0) is, or by a "
            f"mechanism's event, got {got(event)}"
        )
    name = _NAMES[type(event)]
    _, make, attributes = _FORMS[name]
    values = (_written(getattr(event, attribute)) for attribute in attributes)
    return {"event": name, **dict(zip(_fields(make), values, strict=True))}


def from_json(data: Mapping[str, Any]) -> DpEvent:
    """The event that `to_json` wrote.

    Raises:
      ValueError: an unknown event, a missing or unknown field, or a number out of its range.
    """
    name = data.get("event") if isinstance(data, Mapping) else None
    if not isinstance(name, str) or name not in _FORMS:
        raise ValueError(f"event must be one of {', '.join(_FORMS)}, got {name!r}")
    make = _FORMS[name][1]
    fields = _fields(make)
    if set(data) != {"event", *fields}:
        raise ValueError(f"a {name} event has the fields {', '.join(fields)}, got {sorted(data)}")
    return make(*(_read(data[field]) for field in fields))


def canonical(event: DpEvent) -> DpEvent:
    """The same event with every number checked and made a Python float or int.

    Raises:
      ValueError: a number is out of its range, or the event is nested too deeply to be read.
    """
    try:
        return from_json(to_json(event))
    except RecursionError as error:
        raise ValueError("events may be nested a few hundred deep, not deeper") from error


def _fields(make: Callable[..., DpEvent]) -> tuple[str, ...]:
    inner = {"event": "of", "events": "of"}
    return tuple(inner.get(name, name) for name in inspect.signature(make).parameters)


def _written(value: Any) -> Any:
    match value:
        case DpEvent():
            return to_json(value)
        case list():
            return [to_json(part) for part in value]
        case int() | None:
            return value
    return float(value)


def _read(value: Any) -> Any:
    match value:
        case Mapping():
            return from_json(value)
        case list():
            return [from_json(part) for part in value]
    return value
