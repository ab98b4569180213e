"""Whole records from tables: all without a promise, and with one no more than it allows."""

import math

import numpy as np
import pytest

import tacit
from tacit.attacks.table_rows import TableRows

ATTACK = TableRows(100)


def test_exact_tables_of_three_columns_name_every_record():
    """And few of those who were not counted; so it is an attack."""
    found = ATTACK.run(tacit.NonPrivate(), seed=0)

    assert found.found.share == 1.0 == found.allowed
    assert found.others < 0.4 and found.expected is None
    assert str(found).startswith("100.0% [96.4%, 100.0%] of members' records, beside ")


def test_what_is_named_adds_up_to_the_people_that_were_counted():
    """Row by row: it is their own table."""
    members = ATTACK.made(3).members
    table = ATTACK.guess(ATTACK.asked(tacit.NonPrivate()), members, 0)
    own = np.zeros(ATTACK.sizes, int)
    np.add.at(own, tuple(members.T), 1)

    assert np.array_equal(table, own)


def test_under_a_promise_members_are_named_hardly_more_than_others():
    """Of five hundred in five releases: within what the promise allows at the rate of others, and
    far from all."""
    runs = [ATTACK.run(tacit.Central(1.0, 1e-6), seed) for seed in range(5)]
    found, allowed = np.mean([(each.found.share, each.allowed) for each in runs], axis=0)

    assert found < allowed + 4 * math.sqrt(allowed * (1 - allowed) / 500)
    assert 0 < allowed < 0.2


def test_pairs_of_columns_leave_more_doubt():
    """Fewer members' records are named, and more of others'."""
    pairs, triples = (TableRows(100, ways=ways).run(tacit.NonPrivate(), seed=1) for ways in (2, 3))

    assert pairs.found.share < triples.found.share
    assert pairs.found.low > pairs.others


def test_other_sizes_and_no_promise_are_refused():
    """By what they may be."""
    with pytest.raises(ValueError, match="sizes must be whole numbers from 1 on"):
        TableRows(10, (2, "4", 2))
    with pytest.raises(ValueError, match="trust must be Central"):
        ATTACK.run(None, seed=0)


@pytest.mark.parametrize("people", [0, -1, 1.5, math.nan, "9"])
def test_other_numbers_of_people_are_refused(people):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match="people must be a whole number from 1"):
        TableRows(people)
