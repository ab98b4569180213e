"""Caps: which rows of a person count, and what that bounds."""

import itertools

import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.caps import Caps

NOTHING = tacit.NonPrivate()


def test_a_persons_first_row_of_every_group_counts_before_any_second(tmp_path):
    """With a cap on all rows alone; and no more than the cap."""
    frame = pd.DataFrame({"patient": ["a"] * 40, "ward": list("ABCD") * 10, "days": 1.0})
    by = table(frame, tmp_path).by(ward=list("ABCD"))
    counted = {
        m: by.ask(n=tables.count(), rows_per_person=m).run(NOTHING).frame.n for m in (3, 4, 9)
    }

    assert [3, 4, 9] == [counted[m].sum() for m in (3, 4, 9)]
    assert {0, 1} == set(counted[3]) and {1} == set(counted[4]) and {2, 3} == set(counted[9])


@pytest.mark.parametrize(
    "stated, found",
    [
        ((5, None, None), (5, 5, 5)),
        ((None, 2, 3), (6, 2, 3)),
        ((5, 2, None), (5, 2, 5)),
        ((5, None, 2), (5, 5, 2)),
        ((None, 1000, 1000), (1024, 1000, 1000)),
    ],
)
def test_what_is_not_stated_follows(stated, found):
    """From what is: no cap is above the one on all rows."""
    own = Caps.of(*stated)
    assert found == (own.rows, own.groups, own.each)


@pytest.mark.parametrize("stated", itertools.product([None, 0, 1.5, "3", 1025], [None, 0], [None]))
def test_what_is_no_cap_is_refused(stated):
    """In a sentence that says what to state."""
    with pytest.raises(ValueError, match=r"rows_per_person|groups_per_person"):
        Caps.of(*stated)


@pytest.mark.parametrize(
    "caps, groups, said",
    [
        (Caps(5, 5, 5), 1, "at most 5 rows of one patient"),
        (Caps(1, 1, 1), 1, "at most 1 row of one patient"),
        (Caps(5, 1, 5), 3, "at most 5 rows of one patient, in at most 1 group, 5 in each"),
        (Caps(9, 5, 3), 3, "at most 9 rows of one patient, in at most 3 groups, 3 in each"),
    ],
)
def test_caps_are_said_in_words(caps, groups, said):
    """Of as many groups as there are."""
    assert caps.words(groups, "patient") == said
