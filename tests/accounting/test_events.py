"""Events: their checks, and JSON that is exact and closed."""

import json
import math

import numpy as np
import pytest
from dp_accounting import DpEvent, NonPrivateDpEvent
from dp_accounting.dp_event import RepeatAndSelectDpEvent
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("kind", [int, np.float32, np.float64, np.int64])
def test_multipliers_become_python_floats(kind: type) -> None:
    """The number types dp_accounting mishandles never reach it."""
    assert type(events.gaussian(kind(2)).noise_multiplier) is float


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_positive_numbers_only(bad: float) -> None:
    """NaN, zero, negative and infinite parameters are refused."""
    for make in (events.gaussian, events.local, lambda x: events.shuffled(x, 5)):
        with pytest.raises(ValueError, match="must be positive and finite"):
            make(bad)


@pytest.mark.parametrize("bad", [0, -1, math.nan, 1.0000001])
def test_rates_are_probabilities(bad: float) -> None:
    """A sampling rate outside (0, 1] is refused."""
    with pytest.raises(ValueError, match=r"rate must be in \(0, 1\]"):
        events.poisson(bad, events.gaussian(1))


@pytest.mark.parametrize("bad", [0, -3, 1.5, math.nan])
def test_counts_are_whole(bad: float) -> None:
    """Counts of people, samples and repetitions are whole and at least 1."""
    gaussian = events.gaussian(1)
    for make in (
        lambda: events.repeated(gaussian, bad),
        lambda: events.shuffled(1, bad),
        lambda: events.without_replacement(bad, 1, gaussian),
        lambda: events.without_replacement(10, bad, gaussian),
    ):
        with pytest.raises(ValueError, match="whole number"):
            make()


def test_samples_fit_the_people() -> None:
    """A sample larger than the population is refused."""
    with pytest.raises(ValueError, match="at most people = 5, got 6"):
        events.without_replacement(5, 6, events.gaussian(1))


@pytest.mark.parametrize(
    "event", [RepeatAndSelectDpEvent(NonPrivateDpEvent(), 1.0, 1.0), NonPrivateDpEvent()]
)
def test_unknown_events_are_not_written(event: DpEvent) -> None:
    """An event outside the closed list is refused by name."""
    with pytest.raises(ValueError, match=f"got {type(event).__name__}"):
        event_json.to_json(event)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"event": "laplace", "scale": 1.0},
        {"event": "repeat-and-select"},
        {"event": "gaussian"},
        {"event": "gaussian", "noise_multiplier": 1.0, "extra": 2},
        {"event": "gaussian", "noise_multiplier": -1.0},
        {"event": "composed", "of": []},
    ],
)
def test_unknown_json_is_not_read(data: object) -> None:
    """Unknown events, missing or extra fields, and bad numbers are refused."""
    with pytest.raises(ValueError):
        event_json.from_json(data)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("bad", ["1", None, True, [1.0], 10**400])
def test_only_numbers_are_numbers(bad: object) -> None:
    """Text, nothing, a truth value, a list or a number beyond floats is refused with a sentence."""
    for make in (events.gaussian, events.local, lambda x: events.shuffled(x, 5)):
        with pytest.raises(ValueError, match="must be"):
            make(bad)
    with pytest.raises(ValueError, match="whole number from 1"):
        events.repeated(events.gaussian(1), bad)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("inner", [5, None, "x", []])
def test_events_are_made_of_events(inner: object) -> None:
    """A number or a text in the place of an event is refused, from code and from JSON."""
    with pytest.raises(ValueError, match="made of events"):
        events.repeated(inner, 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError):
        event_json.from_json({"event": "repeated", "of": inner, "count": 3})


def test_depth_is_bounded() -> None:
    """An event nested thousands deep is refused, and does not end the process."""
    event = events.gaussian(1)
    for _ in range(3000):
        event = events.repeated(event, 1)
    with pytest.raises(ValueError, match="nested a few hundred deep"):
        event_json.canonical(event)
