"""Caps: numbers that are allowed, and words for them."""

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
    """In the words of a log."""
    assert "epsilon 50 in any 7 days" == str(Cap.read("epsilon 50 a week"))
