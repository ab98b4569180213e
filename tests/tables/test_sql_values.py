"""Values are of a kind, or refused."""

import ibis
import pytest

from tacit.tables.sql_values import NUMBER, TEXT, TIME, TRUTH, day, kind_of, number

KINDS = {
    "int64": NUMBER,
    "float32": NUMBER,
    "decimal(9, 2)": NUMBER,
    "string": TEXT,
    "boolean": TRUTH,
    "date": TIME,
    "timestamp": TIME,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_name(kind):
    """Numbers are of one kind, whatever they are kept in."""
    assert KINDS[kind] == kind_of(ibis.table({"x": kind}, name="t").x)


@pytest.mark.parametrize("kind", ["timestamp('UTC')", "array<int64>", "time", "interval('D')"])
def test_what_depends_on_the_engine_has_no_kind(kind):
    """A time of a zone has other hours elsewhere."""
    with pytest.raises(ValueError, match="SQL is answered for numbers, text"):
        kind_of(ibis.table({"x": kind}, name="t").x)


def test_numbers_are_finite_and_days_are_days():
    """As they are written, to the letter."""
    assert "float64" == str(number(3.0).type())
    assert "date" == str(day("2026-01-31", "date").type())
    for made in (lambda: number(float("inf")), lambda: day("31.1.2026", "date")):
        with pytest.raises(ValueError, match=r"must be finite|is written as 2026-01-31"):
            made()
    with pytest.raises(ValueError, match="no time zone"):
        day("2026-01-31 10:00+02:00", "timestamp")
