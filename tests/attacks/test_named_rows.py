"""Whose update it was: all are named without a promise, and with one no more than it allows."""

import math

import numpy as np
import pytest

import tacit
from tacit.attacks.breach import BreachRate
from tacit.attacks.named_rows import SENDERS, KnownRows, NamedRows

FEW = NamedRows(100)


def test_plain_updates_name_everybody():
    """So it is an attack."""
    found = FEW.run(tacit.NonPrivate(), seed=0)

    assert found.found.share == 1.0 == found.allowed


@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_reports_name_no_more_than_is_allowed(epsilon):
    """A lower limit, wrong once in a million, is below it; it is e^epsilon/(99 + e^epsilon)."""
    found = FEW.run(tacit.Local(epsilon), seed=0)
    surely = BreachRate(found.found.breaches, SENDERS, 1 - 2e-6)

    assert surely.low <= found.allowed
    assert found.allowed == pytest.approx(math.exp(epsilon) / (99 + math.exp(epsilon)), rel=2e-2)


def test_a_large_epsilon_names_most():
    """At 100 in 650 numbers."""
    assert FEW.run(tacit.Local(100.0), seed=0).found.low > 0.8


def test_a_limit_of_bytes_hides_nobody():
    """64 of 2,600, at epsilon 64: nearly all are named, as of whole reports."""
    found = FEW.run(tacit.Local(64.0, 64), seed=0)

    assert 0.8 < found.found.low < 1.0 and found.allowed > 1 - 1e-6


def test_people_who_are_alike_count_as_one():
    """Two kinds among a hundred people: at epsilon 1 one of them is named with chance e/(1 + e)."""
    rows = np.repeat([[0.0, 1.0], [1.0, 0.0]], 50, axis=0)
    people = KnownRows(rows, np.zeros(100, np.int32))
    alike = KnownRows(rows, np.repeat(np.array([0, 1], np.int32), 50))

    with pytest.raises(ValueError, match="at least 2 people must differ, got 1"):
        FEW.against(KnownRows(rows[:50], people.labels[:50]), tacit.NonPrivate(), 0)
    assert FEW.against(alike, tacit.NonPrivate(), 0).found.share == 1
    allowed = FEW.against(alike, tacit.Local(1.0), 0).allowed
    assert allowed == pytest.approx(math.e / (1 + math.e), rel=1e-3)


def test_people_of_one_class_are_named():
    """The model is still of two: of one, nobody's update tells anything."""
    people = KnownRows(np.eye(5), np.zeros(5, np.int32))

    assert FEW.against(people, tacit.NonPrivate(), 0).found.share == 1.0


@pytest.mark.parametrize("known", [1, 0, 1798, 2.5, math.nan, "9"])
def test_other_numbers_of_people_are_refused(known):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match="known must be a whole number from 2 to 1,797"):
        NamedRows(known)
