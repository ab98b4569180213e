"""Bits from random subsets: all without a promise, and with one no more than it allows."""

import math

import numpy as np
import pytest

import tacit
from tacit.attacks.decoders import Exhaustive, LinearProgram, NearestInSquares
from tacit.attacks.subset_sums import SubsetSums


@pytest.mark.parametrize(
    "attack",
    [
        SubsetSums(64, 256),
        SubsetSums(64, 192, LinearProgram()),
        SubsetSums(12, 2**12, Exhaustive()),
    ],
    ids=["least squares", "linear program", "exhaustive"],
)
def test_without_a_promise_every_bit_is_found(attack):
    """So each is an attack."""
    found = attack.run(tacit.NonPrivate(), seed=1)

    assert found.found.share == 1.0 == found.expected == found.allowed


def test_a_promise_allows_more_than_is_found():
    """Some more than least squares find; no run is proved above it."""
    found = SubsetSums(128, 1024).run(tacit.Central(5.0, 1e-6), seed=2)

    assert 0.6 < found.expected < found.allowed < found.expected + 0.1
    assert found.found.low <= found.allowed


def test_all_subsets_are_each_asked_for_once():
    """Those of nobody and of everybody too; fewer are drawn."""
    whole = SubsetSums(4, 16).asked

    assert len(np.unique(whole, axis=0)) == 16 and SubsetSums(4, 15).asked.shape == (15, 4)
    assert not np.array_equal(SubsetSums(9, 30).asked, SubsetSums(9, 30, seed=1).asked)


def test_noise_is_for_who_is_in_the_most_subsets():
    """Nobody's terms are longer than the ball, and somebody's as long."""
    attack = SubsetSums(40, 100)
    terms, shape = attack.terms(np.ones(40, bool)), attack.question.contribution

    assert np.linalg.norm(terms, axis=1).max() == pytest.approx(shape.bound)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((1, 5), "people must be a whole number from 2"),
        ((5, 0), "subsets must be a whole number from 1"),
        ((math.nan, 5), "people must be"),
        ((2**13, 2**13), "people times subsets must be at most 2"),
        ((5, 5, NearestInSquares), "by must be a decoder"),
        ((5, 5, NearestInSquares(), -1), "seed must be"),
    ],
)
def test_other_arguments_are_refused(asked, said):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=said):
        SubsetSums(*asked)
