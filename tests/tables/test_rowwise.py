"""Expressions of one row, and those that are none."""

import ibis
import pytest

from tables.records import table, visits
from tacit.tables import rowwise


@pytest.mark.parametrize(
    "holds, says",
    [
        (ibis._.days > ibis._.days.mean(), "Mean|WindowFunction|Reduction"),
        (ibis._.days.rank() < 3, "not allowed"),
        (ibis.random() < 0.5, "not allowed|expression"),
        (ibis._.sex.cast("int64") > 1, "try_cast"),
        (3 / ibis._.days > 1, "nullif"),
        (ibis._.nothing > 1, "columns that are there"),
        (ibis._.days, "true or false"),
        ("days; DROP TABLE visits", "no column"),
        (3, "a column is its name"),
    ],
)
def test_expressions_of_other_rows_are_refused(tmp_path, holds, says):
    """And those at which an engine might stop, before anything is read."""
    with pytest.raises(ValueError, match=says):
        table(visits(9, 3, seed=7), tmp_path).where(holds)


def test_whole_numbers_are_read_in_double_precision(tmp_path):
    """A product beyond 64 bits is a large number, and no engine stops at it."""
    frame = visits(9, 3, seed=1).assign(huge=2**62)
    own = table(frame, tmp_path).where(ibis._.huge * ibis._.huge > 1e30)

    assert own.conditions and "CAST" in ibis.to_sql(rowwise.condition(own.rows, own.conditions[0]))
