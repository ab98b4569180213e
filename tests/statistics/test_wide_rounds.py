"""Rounds that find people: what they are asked for, and what is known after them."""

import math

import pytest

from tacit.statistics.response import longest_normal
from tacit.statistics.wide_rounds import BEYOND, WideWay, part_of, surely, wide_rounds


def test_hardly_anybody_is_beyond_the_bound():
    """As far as a normal vector, and the mean; far away, hardly farther than the mean."""
    longest = longest_normal(50, BEYOND)

    assert longest < surely(50, 0.1, 1.0).bound < 0.1 + longest
    assert 1e4 < surely(50, 1e4, 1.0).bound < 1e4 + longest / 2
    assert surely(50, 3.0, 0.5).variance == (0.5 * surely(50, 3.0, 0.5).bound) ** 2


def test_every_round_is_asked_by_what_is_known_before_it():
    """First of all the radius, and nothing; then what noise and people leave. Answers of variances
    4 and 12 leave 3, and the second moves the centre by a quarter of its gain."""
    told, ways = [], iter([WideWay(4.0, 8.0, 1.0), WideWay(12.0, 0.5, 2.0)])

    def way(known: float, noisy: float, noise: float) -> WideWay:
        told.append((known, noisy, noise))
        return next(ways)

    (first, second), known, noisy = wide_rounds(10, 100, 70.0, (0.1, 0.2), way)

    longest = longest_normal(10, BEYOND)
    assert told[0] == (70.0, math.inf, 0.1)
    assert told[1] == (pytest.approx(longest * math.sqrt(0.01 + 4)), 4.0, 0.2)
    assert (first.bound, first.part) == (8.0, 1.0) and (second.bound, second.part) == (0.5, 0.5)
    assert (known, noisy) == (pytest.approx(longest * math.sqrt(0.01 + 3)), pytest.approx(3.0))


def test_an_answer_without_noise_is_worth_all():
    """Also beside another without."""
    assert 1.0 == part_of(0.0, 0.0) == part_of(3.0, 0.0) == part_of(math.inf, 5.0)
    assert 0.75 == part_of(3.0, 1.0)
