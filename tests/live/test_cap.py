"""Caps: numbers that are allowed, and words for them."""

import re

import pytest

from tacit.live.cap import Cap


@pytest.mark.parametrize(
    "words, epsilon, days",
    [
        ("epsilon 50 a week", 50.0, 7.0),
        ("epsilon .5 per day", 0.5, 1.0),
        (" epsilon 1e1 a month ", 10.0, 30.0),
        ("epsilon 3 a year", 3.0, 365.0),
    ],
)
def test_a_cap_is_read_from_words(words, epsilon, days):
    """So much in a day, a week, a month or a year."""
    assert Cap(epsilon, days) == Cap.read(words)


WRONG = """|50|epsilon a week|epsilon 5 a decade|epsilon -5 a week|epsilon 1e999 a week
epsilon 0 a week|epsilon e a week|epsilon 5 a week or so"""


@pytest.mark.parametrize("words", [7, *WRONG.replace("\n", "|").split("|")])
def test_other_words_are_refused(words):
    """The sentence shows some that are allowed."""
    with pytest.raises(ValueError, match="epsilon 50 a week"):
        Cap.read(words)


@pytest.mark.parametrize(
    "words, said",
    [
        ("epsilon -1 a week", "its epsilon must be positive and finite, got -1.0"),
        ("epsilon nan a week", "its epsilon must be positive and finite, got nan"),
        ("epsilon 5 and delta 2 a week", "its delta must be at least 0 and below 1, got 2.0"),
        ("epsilon 5 and delta NaN a week", "its delta must be at least 0 and below 1, got nan"),
        ("epsilon 5 and delta x a week", "and delta 1e-5 a week"),
    ],
)
def test_a_wrong_number_in_the_right_words_is_named(words, said):
    """With what it may be, and not the words; these have a delta if they are wrong."""
    with pytest.raises(ValueError, match=re.escape(said)):
        Cap.read(words)


@pytest.mark.parametrize(
    "numbers",
    [
        (0.0, 1.0),
        (float("nan"), 1.0),
        (float("inf"), 1.0),
        ("1", 1.0),
        (1.0, 0.0),
        (1.0, 1.0, 1.0),
        (1.0, 1.0, -0.1),
        (1.0, 1.0, float("nan")),
    ],
)
def test_other_numbers_are_refused(numbers):
    """Each is named with the values that it may have."""
    with pytest.raises(ValueError, match="must be"):
        Cap(*numbers)


def test_it_says_what_it_allows():
    """Both numbers, in the words of a log: the delta too, where nobody said one."""
    assert "epsilon 50 and delta 1e-09 in any 7 days" == str(Cap.read("epsilon 50 a week"))
    said = Cap.read("epsilon 4 and delta 1e-5 a month")
    assert "epsilon 4 and delta 1e-05 in any 30 days" == str(said)
