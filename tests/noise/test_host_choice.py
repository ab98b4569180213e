"""Choices of the host: in exact proportion to floats, however small, and uniform where they say."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from tacit.noise import host_choice
from tacit.noise.host_choice import below, chosen, multiset


def words(seed):
    """Uniform 64-bit words."""
    drawn = random.Random(seed)
    while True:
        yield drawn.getrandbits(64)


def at(share: Fraction):
    """The words of a uniform number equal to `share`, as many as are asked for."""
    while True:
        share *= 2**64
        yield int(share)
        share -= int(share)


WEIGHTS = np.array([0.1, 0.0, 3.0, 1e-300, 2.0**-1074, 0.7])


@pytest.mark.parametrize("scale", [1.0, 2.0**900, 2.0**-1000])
def test_each_has_exactly_its_share_of_the_uniform_numbers(scale):
    """To 2^-2300 on both sides of where one begins and ends, though floats cannot add them."""
    weights = WEIGHTS * scale
    parts = [Fraction(each) for each in weights.tolist()]
    for index, (end, part) in enumerate(zip(itertools.accumulate(parts), parts, strict=True)):
        if part:
            share, least = end / sum(parts), Fraction(1, 2**2300)
            assert chosen(at(share - least), weights) == index
            assert chosen(at(share - part / sum(parts) + least), weights) == index


def test_what_floats_say_is_what_whole_numbers_say():
    """Ten thousand draws of a hundred weights of all sizes, by both ways."""
    weights = np.exp(np.random.default_rng(0).uniform(-60, 0, 100))
    for word in itertools.islice(words(1), 10_000):
        quick = chosen(iter([word, *itertools.islice(words(2), 9)]), weights)
        if word % 50 == 0:
            exact = host_choice._exactly(words(2), word, weights)
            assert quick == exact


def test_nothing_is_chosen_that_has_no_weight():
    """Nor where the draw is an end of it."""
    weights = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    drawn = {chosen(at(share), weights) for share in (Fraction(0), Fraction(1, 2))}

    assert drawn == {1, 3}


def test_below_is_uniform():
    """Of seven, where a remainder alone would favour some by 2^-61; the top is drawn anew."""
    drawn = words(3)
    counts = np.bincount([below(drawn, 7) for _ in range(7_000)], minlength=7)

    assert chisquare(counts).pvalue > 1e-4
    assert below(iter([2**64 - 1, 5]), 7) == 5


@pytest.mark.parametrize("points, size", [(1, 3), (4, 1), (3, 3), (5, 2)])
def test_lists_with_repetition_are_equally_likely(points, size):
    """All that there are, in order."""
    drawn = words(4)
    counts = Counter(tuple(multiset(drawn, points, size)) for _ in range(6_000))
    lists = list(itertools.combinations_with_replacement(range(points), size))

    assert set(counts) <= set(lists)
    assert len(lists) == 1 or chisquare([counts[each] for each in lists]).pvalue > 1e-4
