"""Columns of records: numbers between bounds, and declared values, as learners get them."""

import ibis
import numpy as np
import pandas as pd
import pytest

from tacit import tables
from tacit.tables.engine import rows_of

FRAME = pd.DataFrame({"days": [0.0, 7.5, 40.0, -1.0, np.nan], "ward": ["A", "B", None, "Z", "A"]})


def _read(column, rows: pd.DataFrame = FRAME) -> list[float | None]:
    found = rows_of(rows).mutate(whole=column.whole).to_pyarrow()["whole"].to_pylist()
    return [None if each is None else column.targets(np.array([each])).item() for each in found]


def test_a_number_is_held_between_its_bounds():
    """To the nearest of 2^24 levels, whole numbers as they are; missing where it is."""
    assert [0, 7.5, 30, 0, None] == _read(tables.number("days", 0, 30))
    halves = tables.number((ibis._.days / 2).coalesce(5), 0, 30)
    assert [0, 3.75, 20, 0, 2.5] == _read(halves, FRAME.fillna({"days": 5}))


def test_a_category_is_a_place_among_declared_values():
    """And for a learner of features a column for each of them; what is not declared is missing."""
    column = tables.category("ward", ["B", "A", None])

    assert [1, 0, 2, None, 1] == _read(column)
    assert [[0, 1, 0], [1, 0, 0]] == column.features(np.array([1, 0])).tolist()


@pytest.mark.parametrize("values", [["A"], ["A", "A"], "AB", [1.5, 2.5], []])
def test_values_that_are_none_are_refused(values):
    """In one sentence."""
    with pytest.raises(ValueError):
        tables.category("ward", values)
