"""Questions for databases, and what they refuse."""

from typing import Any, cast

import pytest

from tacit.contribution import OneHot
from tacit.question.databases import NearDatabase, TaughtShares, combinations_of
from tacit.question.rows import OfRows
from tacit.solve.table_cells import TableCells

CELLS = TableCells((2, 3), ((0,), (1,)))


def test_answers_are_as_long_as_they_say():
    """A count for each combination; two numbers for each round."""
    assert NearDatabase(CELLS, 4).size == 6 and TaughtShares(CELLS, 5, 2).size == 10
    assert combinations_of(NearDatabase(CELLS, 4)) == OneHot(6)
    assert OfRows(OneHot(6), 10, NearDatabase(CELLS, 4)).size == 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NearDatabase(CELLS, 0), "rows must be a whole number from 1 to 64, got 0"),
        (lambda: NearDatabase(CELLS, True), "rows must be a whole number"),
        (lambda: NearDatabase(CELLS, 64), "can be listed: make them of fewer rows"),
        (lambda: NearDatabase(cast(Any, "ab"), 4), "cells must be TableCells"),
        (
            lambda: TaughtShares(CELLS, cast(Any, 2.5), 0),
            "rounds must be a whole number from 1 to 1,000",
        ),
        (lambda: TaughtShares(CELLS, 5, 101), "repeats must be a whole number from 0 to 100"),
        (lambda: TaughtShares(TableCells((1,), ((0,),)), 5, 1), "from 2 to 4,194,304 combinations"),
        (lambda: TaughtShares(TableCells((2, 2), ()), 5, 1), "got 4 and 0"),
        (
            lambda: OfRows(OneHot(7), 10, NearDatabase(CELLS, 4)),
            r"is about OneHot\(6\), got OneHot",
        ),
    ],
)
def test_bad_input_is_refused(make, message):
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        make()
