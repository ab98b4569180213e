"""No shape takes for a number what is none."""

import math

import pytest

from refusals import NO_NUMBERS, refuse_no_numbers
from tacit.contribution import (
    Ball,
    Contrasts,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
    Tally,
)

RIGHT = [
    (Ball, {"dim": 3, "radius": 1.0}),
    (Counts, {"categories": 3, "l0": 2, "linf": 1}),
    (Cube, {"dim": 3, "lower": -1.0, "upper": 1.0}),
    (Grid, {"least": 0, "most": 9, "step": 1.0}),
    (Interval, {"lower": 0.0, "upper": 1.0}),
    (L1Ball, {"dim": 3, "radius": 1.0}),
    (OneHot, {"categories": 3}),
    (Outer, {"dim": 3, "radius": 1.0, "levels": 64}),
    (Sphere, {"dim": 3}),
    (Tally, {"cells": 3, "most": 2, "total": 4}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)


@pytest.mark.parametrize("other", ["many", True, math.nan, [1]], ids=str)
def test_only_a_length_is_typical(other):
    """Or nothing."""
    Ball(3, 1.0, None)
    with pytest.raises(ValueError, match="typical norm must be at least"):
        Ball(3, 1.0, other)


@pytest.mark.parametrize("other", NO_NUMBERS, ids=lambda each: type(each).__name__)
def test_only_shares_are_shares(other):
    """Of a product each part has one."""
    parts = Interval(0.0, 1.0), Interval(0.0, 1.0)
    for shares in [(0.5, other)] + [other] * (other is not None):
        with pytest.raises(ValueError, match="one positive share"):
            Product(*parts, shares=shares)


@pytest.mark.parametrize("other", [*NO_NUMBERS, -1, 0.5, math.inf])
def test_only_attributes_are_attributes(other):
    """Tables are of attributes by their numbers, whose categories are counted."""
    Contrasts((2, 3), ((0,), (0, 1)), (1, 1))
    alone = [other] * (not isinstance(other, list))
    for sizes in [*alone, (2, other)]:
        with pytest.raises(ValueError, match="attributes have 1 to"):
            Contrasts(sizes, ((0,), (0, 1)), (1, 1))
    for sets in [*alone, ((0,), other), ((0,), (other,))]:
        with pytest.raises(ValueError, match="sets must be of the attributes' numbers"):
            Contrasts((2, 3), sets, (1, 1))
    for weights in [*alone, (1, other)]:
        with pytest.raises(ValueError, match="weights must be positive whole numbers"):
            Contrasts((2, 3), ((0,), (0, 1)), weights)
