"""Events as JSON: exact to the last bit, a closed list, and the same text for ever."""

import json
import math
from typing import Any

import numpy as np
import pytest
from dp_accounting import DpEvent, GaussianDpEvent, NonPrivateDpEvent, SelfComposedDpEvent
from dp_accounting.dp_event import RepeatAndSelectDpEvent
from hypothesis import given
from hypothesis import strategies as st

from every_event import EVERY
from tacit.accounting import event_json, events

_positive = st.floats(min_value=1e-300, max_value=1e300)
_simple = (
    _positive.map(events.gaussian)
    | _positive.map(events.local)
    | st.builds(events.shuffled, st.floats(1e-300, 700), st.integers(1, 10**12))
    | _positive.map(events.laplace)
    | _positive.map(events.zcdp)
    | _positive.map(events.sparse_vector)
    | _positive.map(events.exponential_mechanism)
    | st.builds(events.discrete_laplace, _positive, st.integers(1, 10**9))
    | st.builds(events.discrete_gaussian, _positive, st.integers(1, 10**9))
    | st.builds(events.euclidean_norm, _positive, st.integers(1, 10**9))
    | st.builds(events.epsilon_delta, _positive, st.floats(0, 0.99))
    | st.builds(events.randomized_response, st.floats(1e-300, 1), st.integers(2, 10**9))
    | st.builds(events.priv_unit, st.floats(2, 700), st.floats(0.5, 0.88))
    | st.builds(events.blanket, st.floats(1, 700), st.floats(0.6, 1), st.integers(1, 10**12))
    | st.builds(
        events.last_iterate,
        st.integers(1, 10**9),
        st.floats(1e-9, 1),
        _positive,
        _positive,
        st.none() | _positive,
    )
)
_rates = st.floats(min_value=1e-300, max_value=1.0)
_sampled = st.builds(events.poisson, _rates, _simple) | st.builds(
    lambda sample, more, event: events.without_replacement(sample + more, sample, event),
    st.integers(1, 10**6),
    st.integers(0, 10**6),
    _simple,
)
_sampled |= st.builds(events.with_replacement, st.integers(1, 99), st.integers(1, 99), _simple)
_sampled |= st.builds(events.poisson_records, _rates, st.integers(1, 99), _simple)
_sampled |= st.builds(events.group, st.integers(1, 99), _simple)
_sampled |= st.builds(
    events.truncated_poisson, st.integers(1, 99), _rates, st.integers(1, 99), _positive
)
_any = st.recursive(
    _simple | _sampled,
    lambda inner: (
        st.builds(events.repeated, inner, st.integers(1, 10**9))
        | st.lists(inner, min_size=1, max_size=3).map(events.composed)
    ),
    max_leaves=5,
)


@given(_any)
def test_json_round_trip_is_exact(event: DpEvent) -> None:
    """An event read back through JSON text equals the event written."""
    assert event_json.from_json(json.loads(json.dumps(event_json.to_json(event)))) == event


@pytest.mark.parametrize(
    "event", [RepeatAndSelectDpEvent(NonPrivateDpEvent(), 1.0, 1.0), NonPrivateDpEvent()]
)
def test_unknown_events_are_not_written(event: DpEvent) -> None:
    """An event outside the closed list is refused by name."""
    with pytest.raises(ValueError, match=f"got {type(event).__name__}"):
        event_json.to_json(event)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "event must be one of gaussian, laplace, .*, got None"),
        ([], "event must be one of gaussian, laplace, .*, got None"),
        ({"event": ["gaussian"]}, r"event must be one of .*, got \['gaussian'\]"),
        ({"event": "repeat-and-select"}, "event must be one of .*, got 'repeat-and-select'"),
        (
            {"event": "laplace", "scale": 1.0},
            "a laplace event has the fields noise_multiplier, got",
        ),
        ({"event": "gaussian"}, r"has the fields noise_multiplier, got \['event'\]"),
        ({"event": "gaussian", "noise_multiplier": 1.0, "extra": 2}, r"got \['event', 'extra', "),
        ({"event": "gaussian", "noise_multiplier": -1.0}, "must be positive and finite, got -1.0"),
        ({"event": "composed", "of": []}, "at least one"),
        ({"event": "repeated", "of": {"event": "repeat-and-select"}, "count": 3}, "must be one of"),
    ],
)
def test_unknown_json_is_not_read(data: Any, said: str) -> None:
    """Unknown events, missing or extra fields, and bad numbers are refused, at any depth."""
    with pytest.raises(ValueError, match=said):
        event_json.from_json(data)


@pytest.mark.parametrize("inner", [5, None, "x", []])
def test_json_of_events_is_made_of_events(inner: object) -> None:
    """A number or a text in the place of an event is refused."""
    with pytest.raises(ValueError, match="made of events"):
        event_json.from_json({"event": "repeated", "of": inner, "count": 3})


def test_depth_is_bounded() -> None:
    """An event nested thousands deep is refused, and does not end the process."""
    event = events.gaussian(1)
    for _ in range(3000):
        event = events.repeated(event, 1)
    with pytest.raises(ValueError, match="nested a few hundred deep"):
        event_json.canonical(event)


def test_numbers_of_others_become_our_own() -> None:
    """An event made elsewhere, of whole numbers or NumPy's, is the one made here, to the type."""
    foreign = SelfComposedDpEvent(GaussianDpEvent(np.float32(2)), np.int64(3))
    found: Any = event_json.canonical(SelfComposedDpEvent(foreign, 2))
    assert found == events.repeated(events.repeated(events.gaussian(2), 3), 2)
    numbers = found.count, found.event.count, found.event.event.noise_multiplier
    assert [type(each) for each in numbers] == [int, int, float]


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_numbers_of_others_are_checked(bad: float) -> None:
    """dp_accounting makes an event of any number; none is accounted unchecked."""
    with pytest.raises(ValueError, match="must be positive and finite"):
        event_json.canonical(SelfComposedDpEvent(GaussianDpEvent(bad), 2))


def test_every_event_has_an_example() -> None:
    """No form of event is left out where all are tested."""

    def forms(data) -> set[str]:
        inner = data.get("of", [])
        parts = inner if isinstance(inner, list) else [inner]
        return {data["event"]}.union(*(forms(part) for part in parts))

    seen = set().union(*(forms(event_json.to_json(event)) for event, _ in EVERY))
    assert set(event_json._FORMS) - seen == {"repeated"}


GAUSSIAN = '{"event": "gaussian", "noise_multiplier": 1.5}'
WRITTEN = [
    (events.gaussian(1.5), GAUSSIAN),
    (events.laplace(0.1), '{"event": "laplace", "noise_multiplier": 0.1}'),
    (
        events.discrete_laplace(0.1, 2),
        '{"event": "discrete-laplace", "noise_parameter": 0.1, "sensitivity": 2}',
    ),
    (
        events.discrete_gaussian(6, 1),
        '{"event": "discrete-gaussian", "sigma": 6.0, "sensitivity": 1}',
    ),
    (events.k_norm(0.2), '{"event": "k-norm", "epsilon": 0.2}'),
    (events.euclidean_norm(0.4, 7), '{"event": "euclidean-norm", "epsilon": 0.4, "dimension": 7}'),
    (events.exponential_mechanism(0.3), '{"event": "exponential-mechanism", "epsilon": 0.3}'),
    (events.permute_and_flip(0.2), '{"event": "permute-and-flip", "epsilon": 0.2}'),
    (events.sparse_vector(0.2), '{"event": "sparse-vector", "epsilon": 0.2}'),
    (
        events.randomized_response(0.9, 5),
        '{"event": "randomized-response", "noise_parameter": 0.9, "categories": 5}',
    ),
    (
        events.epsilon_delta(0.2, 1e-9),
        '{"event": "epsilon-delta", "epsilon": 0.2, "delta": 1e-09}',
    ),
    (events.zcdp(0.01, 0.001), '{"event": "zcdp", "rho": 0.01, "xi": 0.001}'),
    (events.local(0.2), '{"event": "local", "epsilon": 0.2}'),
    (events.priv_unit(0.5, 0.55), '{"event": "priv-unit", "epsilon": 0.5, "cap": 0.55}'),
    (events.shuffled(1, 5000), '{"event": "shuffled", "local_epsilon": 1.0, "people": 5000}'),
    (
        events.blanket(1, 0.6, 3000),
        '{"event": "blanket", "local_epsilon": 1.0, "blanket": 0.6, "people": 3000}',
    ),
    (
        events.poisson(0.02, events.gaussian(1.5)),
        f'{{"event": "poisson", "rate": 0.02, "of": {GAUSSIAN}}}',
    ),
    (
        events.poisson_records(0.02, 3, events.gaussian(1.5)),
        f'{{"event": "poisson-records", "rate": 0.02, "records": 3, "of": {GAUSSIAN}}}',
    ),
    (
        events.truncated_poisson(1000, 0.02, 35, 1.2),
        '{"event": "truncated-poisson", "people": 1000, "rate": 0.02, "capacity": 35, '
        '"noise_multiplier": 1.2}',
    ),
    (
        events.without_replacement(1000, 20, events.gaussian(1.5)),
        f'{{"event": "without-replacement", "people": 1000, "sample": 20, "of": {GAUSSIAN}}}',
    ),
    (
        events.with_replacement(1000, 20, events.gaussian(1.5)),
        f'{{"event": "with-replacement", "people": 1000, "draws": 20, "of": {GAUSSIAN}}}',
    ),
    (
        events.group(2, events.gaussian(1.5)),
        f'{{"event": "group", "size": 2, "of": {GAUSSIAN}}}',
    ),
    (
        events.last_iterate(50, 0.98, 0.1, 1.0, None),
        '{"event": "last-iterate", "steps": 50, "contraction": 0.98, "shift": 0.1, "noise": 1.0, '
        '"diameter": null}',
    ),
    (
        events.repeated(events.gaussian(1.5), 12),
        f'{{"event": "repeated", "of": {GAUSSIAN}, "count": 12}}',
    ),
    (events.composed([events.gaussian(1.5)]), f'{{"event": "composed", "of": [{GAUSSIAN}]}}'),
]


@pytest.mark.parametrize(
    ("event", "text"), WRITTEN, ids=[json.loads(text)["event"] for _, text in WRITTEN]
)
def test_what_was_written_is_read_for_ever(event: DpEvent, text: str) -> None:
    """Ledgers and receipts outlive their release: no form, no field of one, is named anew."""
    assert json.dumps(event_json.to_json(event)) == text
    assert event_json.from_json(json.loads(text)) == event


def test_no_form_is_written_in_secret() -> None:
    """Every form of the list has its text above."""
    assert {json.loads(text)["event"] for _, text in WRITTEN} == set(event_json._FORMS)
