"""Numbers for people: short where they can be, and never below what they bound."""

import math

import pytest

from tacit.accounting.upper import enough, lower, upper, upper_delta


@pytest.mark.parametrize(
    "value, written",
    [
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        (0.1 * (1 + 9e-10), "0.1"),
        (0.1 * (1 + 2e-9), "0.10001"),
        (1.99998, "2"),
        (1.000049, "1.0001"),
        (0.0, "0"),
        (5e-324, "0." + "0" * 323 + "49407"),
        (math.inf, "∞"),
    ],
)
def test_a_bound_is_rounded_up_beyond_a_billionth(value, written):
    """0.1 is 0.1 however its float ends, and two billionths more are seen."""
    assert written == upper(value)


def test_no_bound_is_shown_more_than_a_billionth_below_itself():
    """Through all magnitudes, beside every short number."""
    for exponent in range(-12, 6):
        for digits in range(1000, 10_000, 271):
            for over in (0.0, 1e-12, 1e-10, 1.1e-9, 1e-8, 1e-5):
                value = digits * 10.0**exponent * (1 + over)
                assert value * (1 - 1.0001e-9) <= float(upper(value)) <= value * (1 + 1e-4)
                assert value * (1 - 1.0001e-9) <= float(upper_delta(value)) <= value * (1 + 1e-3)


@pytest.mark.parametrize(
    "value, written", [(1e-6, "1e-06"), (1.23456e-7, "1.235e-07"), (0.0, "0"), (1e-300, "1e-300")]
)
def test_a_delta_is_written_as_floats_are(value, written):
    """Four digits, rounded up."""
    assert written == upper_delta(value)


@pytest.mark.parametrize(
    "value, written",
    [
        (0.3, "0.3"),
        (2.99999, "2.9999"),
        (1.000049, "1"),
        (0.0, "0"),
        (math.inf, "∞"),
        (1e7, "10000000"),
    ],
)
def test_what_is_left_is_rounded_down(value, written):
    """Nobody is told of more than there is."""
    assert written == lower(value)


@pytest.mark.parametrize(
    "value, written",
    [
        (0.3, "0.3"),
        (0.3000000000001789, "0.30001"),
        (15.999999999978158, "16.0"),
        (math.inf, "inf"),
    ],
)
def test_a_number_to_be_written_down_is_enough(value, written):
    """Not a billionth less, as one that is only read may be."""
    assert written == repr(enough(value))
