"""Pictures from updates: found without a promise, and not under one that a device can keep."""

import math

import numpy as np
import pytest

import tacit
from tacit.accounting.theorems.reconstruction import Directions, after
from tacit.attacks.searched_pictures import PRIOR, SearchedPictures, nearest_alike

FEW = SearchedPictures(people=6, steps=300)


def test_plain_updates_give_pictures_away():
    """Every one, and others' pictures seldom; so it is an attack."""
    found = SearchedPictures(people=20, steps=300).run(tacit.NonPrivate(), seed=0)

    assert found.found.share == 1.0 == found.allowed and found.others <= 0.3


def test_a_report_gives_none_away_and_hardly_any_is_allowed():
    """At epsilon 10."""
    found = FEW.run(tacit.Local(10.0), seed=0)

    assert found.found.share == 0.0
    assert found.allowed == pytest.approx(after(PRIOR, 10.0), rel=0.05) and found.allowed < 1e-3


def test_a_large_epsilon_gives_some_away():
    """At 500, as the promise allows."""
    found = FEW.run(tacit.Local(500.0), seed=0)

    assert found.found.share > 0.5 and found.allowed > 0.999


def test_the_prior_is_of_pictures_that_have_no_pixel_below_zero():
    """In three numbers the best guess of such directions, their middle, succeeds in a third of its
    bound's cases or more, and never above it; in 64 it is one in forty million."""
    drawn = np.abs(np.random.default_rng(0).normal(size=(100_000, 3)))
    near = drawn.sum(axis=1) / (3**0.5 * np.linalg.norm(drawn, axis=1)) > 1 - 0.4**2 / 2
    bound = 2**3 * math.exp(Directions(3).log_breach(0.4))

    assert bound / 3 < near.mean() < bound + 0.01
    assert math.exp(PRIOR) == pytest.approx(1 / 4.25e7, rel=0.05)


def test_others_are_people_with_the_same_digit():
    """The next one, or whoever is next where nobody has it."""
    assert list(nearest_alike(np.array([3, 1, 3, 1, 9]))) == [2, 3, 0, 1, 0]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"people": 1}, "people must be a whole number from 2 to 360, got 1"),
        ({"people": 361}, "people must be a whole number from 2 to 360"),
        ({"people": math.nan}, "people must be a whole number from 2 to 360"),
        ({"steps": 0}, "steps must be a whole number from 1 to 100,000, got 0"),
    ],
)
def test_other_settings_are_refused(said, message):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=message):
        SearchedPictures(**said)
