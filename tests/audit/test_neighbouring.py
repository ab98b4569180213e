"""Two data sets that one person tells apart."""

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.audit.neighbouring import canaries_apart, neighbours


def test_one_person_more_is_far_beyond_the_bounds():
    """Of numbers, and of rows."""
    one, other = neighbours(3, bounds=(-1.0, 1.0))
    rows, others = neighbours(3, 2)

    assert list(one) == [-1, -1, -1, 7] and list(other) == [-1, -1, -1]
    assert rows.shape == (4, 2) and others.shape == (3, 2) and np.all(rows[-1] == 4)


def test_a_person_is_replaced_by_one_who_is_as_far_on_the_other_side():
    """As many people in both."""
    one, other = neighbours(2, relation=Relation.REPLACE_ONE, beyond=0.0)

    assert list(one) == [0, 0, 1] and list(other) == [0, 0, 0]
    assert neighbours(2, relation=Relation.REPLACE_ONE).other[-1] == -3


def test_each_canary_has_a_column():
    """In which nobody else is beyond."""
    rows, canaries = canaries_apart(3, 2, bounds=(1.0, 2.0))

    assert np.all(rows == np.ones((2, 3))) and np.all(canaries == 1 + 4 * np.eye(3))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"people": 0}, "people must be a whole number from 1"),
        ({"people": 2, "columns": 0}, "columns must be a whole number from 1"),
        ({"people": 2, "bounds": (1.0, 1.0)}, "bounds must be two finite numbers, rising"),
        ({"people": 2, "bounds": 3}, "bounds must be two finite numbers, rising"),
        ({"people": 2, "beyond": -1.0}, "beyond must be at least zero"),
    ],
)
def test_other_arguments_are_refused(asked, said):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=said):
        neighbours(**asked)
