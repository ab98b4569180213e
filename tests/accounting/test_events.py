"""Events: their checks."""

import math

import numpy as np
import pytest

from tacit.accounting import events


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
    """A number or a text in the place of an event is refused."""
    with pytest.raises(ValueError, match="made of events"):
        events.repeated(inner, 3)  # pyright: ignore[reportArgumentType]
