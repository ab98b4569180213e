"""Breaches are counted by distances of directions, and rates have exact limits."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tacit.attacks.breach import BreachRate, breach_rate, distances


def test_a_distance_is_that_of_directions():
    """Lengths do not count, opposites are two apart, and right angles and zero sqrt 2."""
    targets = np.array([[3.0, 4.0]] * 5)
    guesses = np.array([[0.6, 0.8], [1e30, 4e30 / 3], [-3.0, -4.0], [4.0, -3.0], [0.0, 0.0]])

    assert distances(targets, guesses) == pytest.approx([0, 0, 2, math.sqrt(2), math.sqrt(2)])


def test_pictures_have_as_many_axes_as_they_like():
    """A guess that is off by a third of the picture's length is found at that distance."""
    picture = np.zeros((1, 4, 4))
    picture[0, 0, 0] = 1.0
    guess = picture.copy()
    guess[0, 1, 1] = math.tan(2 * math.asin(1 / 6))

    assert distances(picture, guess) == pytest.approx([1 / 3])


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_what_is_no_picture_is_near_to_none(wrong):
    """Neither as guess nor as target."""
    pair = np.array([[1.0, 0.0]]), np.array([[1.0, wrong]])

    assert distances(*pair)[0] == distances(*pair[::-1])[0] == math.inf
    assert breach_rate(distances(*pair), 2.0).breaches == 0


def test_a_breach_is_within_the_tolerance():
    """At it is within it."""
    assert breach_rate([0.0, 0.4, 0.41, 1.0], 0.4) == BreachRate(2, 4)


@pytest.mark.parametrize("breaches", [0, 1, 17, 39, 40])
def test_limits_are_clopper_and_pearson_s(breaches):
    """At the lower limit so many breaches or more have just the chance allowed; so at the upper."""
    rate = BreachRate(breaches, 40, confidence=0.9)

    assert rate.low <= rate.share <= rate.high
    assert (
        rate.low == 0
        if breaches == 0
        else math.isclose(binom.sf(breaches - 1, 40, rate.low), 0.05, rel_tol=1e-6)
    )
    assert (
        rate.high == 1
        if breaches == 40
        else math.isclose(binom.cdf(breaches, 40, rate.high), 0.05, rel_tol=1e-6)
    )


def test_a_rate_says_itself_with_its_limits():
    """In percent."""
    assert str(BreachRate(3, 10)) == "30.0% [6.7%, 65.2%]"


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: BreachRate(1, 0), "people must be a whole number from 1 on, got 0"),
        (lambda: BreachRate(-1, 5), "breaches must be a whole number from 0 on, got -1"),
        (lambda: BreachRate(6, 5), "there are at most 5 breaches, got 6"),
        (lambda: BreachRate(1, 5, math.nan), r"confidence must be in \(0, 1\), got nan"),
        (lambda: breach_rate([0.1], math.nan), "tolerance must be at least zero, got nan"),
        (lambda: breach_rate([[0.1]], 0.5), r"one distance for each person, got shape \(1, 1\)"),
        (lambda: distances(np.ones((2, 3)), np.ones((3, 2))), r"got \(2, 3\) and \(3, 2\)"),
        (lambda: distances(np.ones(3), np.ones(3)), "each of the targets must have a guess"),
    ],
)
def test_what_is_no_rate_is_refused(call, sentence):
    """With what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
