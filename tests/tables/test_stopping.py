"""Operations that an engine may give up at, told by what they are of."""

from uuid import UUID

import ibis
import pytest

from tacit.tables.stopping import NotOfOneRow, may_overflow, refuse_what_stops

ROWS = ibis.table(
    {
        "of": "uuid",
        "long": "interval('s')",
        "day": "date",
        "json": "json",
        "price": "decimal(18, 2)",
        "no": "int64",
        "days": "float64",
        "ward": "string",
    }
)


@pytest.mark.parametrize(
    "made",
    [
        *(ROWS.ward.cast("int64"), ROWS.no / ROWS.days, ROWS.ward.substr(ROWS.no)),
        *(ROWS.ward.isin([3]), ROWS.ward == UUID(int=3), ROWS.ward != ROWS.of),
        *(ROWS.json.between(1, 2), ROWS.ward.try_cast("json").cases((1, 2), else_=3)),
        *(ROWS.json.coalesce(ROWS.json), ROWS.json.cast("int64"), ROWS.json == ROWS.json),
        ROWS.ward.like("%a" * 21),
        *(ROWS.no == ROWS.long, ROWS.no.coalesce(ROWS.long), ROWS.no.nullif(ROWS.long)),
        *(ROWS.ward.like("A\\"), ROWS.ward.substr(2**31), ROWS.ward.substr(0, 2**31)),
    ],
    ids=str,
)
def test_what_stops_at_one_value_is_refused(made):
    """Of text, of a zero, of a place in a text, and of another kind."""
    with pytest.raises(NotOfOneRow, match="one person's"):
        refuse_what_stops(made.op())


@pytest.mark.parametrize(
    "made",
    [
        *(ROWS.day > "2026-01-31", ROWS.of == str(UUID(int=3))),
        *(ROWS.json.isnull(), ROWS.json.cast("string"), ROWS.ward.try_cast("json")),
        *(ROWS.ward.like("%a" * 20), ROWS.ward.like("_" * 1000)),
        *(ROWS.ward.like("A\\\\"), ROWS.ward.substr(-(2**31) + 1, 2**31 - 1), ROWS.ward.right(0)),
    ],
    ids=str,
)
def test_text_that_is_written_out_becomes_what_it_is_compared_with(made):
    """It is public, and the same for every row."""
    refuse_what_stops(made.op())


def test_numbers_overflow_unless_they_are_in_double_precision():
    """Whole ones that are computed, and decimals that are computed or put together."""
    price, no, days = ROWS.price, ROWS.no, ROWS.days
    for made in (price * price, price.coalesce(0), no + 1, no.abs(), -no):
        assert may_overflow(made.op())
    for made in (price, no, days * days, no.coalesce(0), ROWS.ward.length(), days.abs()):
        assert not may_overflow(made.op())
