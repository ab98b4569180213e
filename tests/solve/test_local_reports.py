"""Chances of reports are private, unbiased, and of nearly the least variance."""

import math

import numpy as np
import pytest

from tacit.question.workloads import Prefix
from tacit.solve.local_reports import (
    _variance,
    caps,
    decoder,
    least_variance,
    lower_bound,
    projected,
    variances,
)

SQUARES = Prefix(12).gram().dense()
FOUND = least_variance(SQUARES, 1.0, 48, 200)


def test_chances_are_private_and_whole():
    """Columns of sum one, rows within a factor e."""
    np.testing.assert_allclose(FOUND.sum(0), 1, atol=1e-9)
    assert (FOUND.max(1) / FOUND.min(1)).max() <= math.e * (1 + 1e-9)


def test_caps_are_private_and_better_than_randomised_response():
    """At once: above the bound and what a descent finds, far below the least elaborate report."""
    squares = Prefix(48).gram().dense()
    found = caps(squares, 1.0, 192)
    response = (np.ones((48, 48)) + (math.e - 1) * np.eye(48)) / (47 + math.e)
    mean = variances(found, squares).mean()

    np.testing.assert_allclose(found.sum(0), 1, atol=1e-9)
    assert (found.max(1) / found.min(1)).max() <= math.e * (1 + 1e-9)
    assert lower_bound(squares, 1.0) < mean < 2.2 * lower_bound(squares, 1.0)
    assert mean < variances(response, squares).mean() / 8


def test_answers_are_unbiased_with_the_stated_variances():
    """By the law of one report, for each cell, written out."""
    back, queries = decoder(FOUND), np.tri(12)
    np.testing.assert_allclose(back @ FOUND, np.eye(12), atol=1e-9)
    answers = queries @ back
    for cell in range(12):
        off = answers - queries[:, [cell]]
        written = (off**2).sum(0) @ FOUND[:, cell]
        assert variances(FOUND, SQUARES)[cell] == pytest.approx(written)


def test_no_mechanism_is_below_the_bound():
    """Neither what is found, which is near it, nor randomised response, nor chances at random."""
    bound, rng = lower_bound(SQUARES, 1.0), np.random.default_rng(0)
    response = (np.ones((12, 12)) + (math.e - 1) * np.eye(12)) / (11 + math.e)
    least = np.full(30, 2 / 30 / (1 + math.e))
    others = [projected(rng.random((30, 12)), least, math.e) for _ in range(5)]

    assert bound <= variances(FOUND, SQUARES).mean() <= 1.25 * bound
    assert all(variances(each, SQUARES).mean() > bound for each in [response, *others])
    assert variances(FOUND, SQUARES).mean() < variances(response, SQUARES).mean() / 2


def test_the_bound_is_met_by_the_best_report_of_a_histogram():
    """All subsets of a third of eight cells at epsilon 1, as another program found: 21.7364."""
    cells = 8
    size = 2
    subsets = [s for s in range(2**cells) if s.bit_count() == size]
    inside = np.array([[s >> x & 1 for x in range(cells)] for s in subsets], float)
    chances = 1 + (math.e - 1) * inside
    chances /= chances.sum(0)

    assert lower_bound(np.eye(cells), 1.0) <= variances(chances, np.eye(cells)).mean()
    assert variances(chances, np.eye(cells)).mean() == pytest.approx(21.7364, abs=5e-5)


def test_slopes_are_those_of_the_variance():
    """By differences, in a direction that is no coordinate's."""
    rng = np.random.default_rng(1)
    turn = rng.normal(size=FOUND.shape) * 1e-7
    _, slope = _variance(FOUND, SQUARES)
    above, below = (_variance(FOUND + sign * turn, SQUARES)[0] for sign in (1, -1))

    assert (above - below) / 2 == pytest.approx(float((slope * turn).sum()), rel=1e-4)


def test_projections_are_the_nearest():
    """Optimal by the conditions of Karush, Kuhn and Tucker: one shift for what is inside."""
    rng = np.random.default_rng(2)
    least, given = np.full(9, 1 / 15), rng.normal(0.1, 0.05, (9, 5))
    found = projected(given, least, 4.0)
    for column, own in zip(found.T, given.T, strict=True):
        inside = (column > 1 / 15 + 1e-9) & (column < 4 / 15 - 1e-9)
        shift = (column - own)[inside].mean()
        np.testing.assert_allclose(column, np.clip(own + shift, 1 / 15, 4 / 15), atol=1e-8)
        assert column.sum() == pytest.approx(1)
