"""Rows at which an engine would stop have a missing value, and the others what they had."""

import math
from datetime import date, datetime, timedelta, timezone

import ibis
import pandas as pd
import pytest

from tacit.tables.tried import tried

WORDS = pd.DataFrame({"c": ["3", "odd", "7", None]})
ODD = timezone(-timedelta(hours=23, minutes=59, seconds=59))


def _columns(rows, *made):
    """What each is of every row, in the order of their numbers; nothing for what is missing."""
    named = {f"x{i}": own.name(f"x{i}") for i, own in enumerate(made)}
    table = rows.order_by("no").select(**named).to_pyarrow()
    return [table[name].to_pylist() for name in named]


def _numbered(frame):
    return ibis.duckdb.connect().create_table("t", frame.assign(no=range(len(frame))))


def test_a_row_at_which_duckdb_stops_has_none():
    """Whatever is made of it, and though it stands there more than once."""
    rows = _numbered(WORDS)
    number = rows.c.cast("int64")
    twice = ibis.cases((number == 3, "three"), (number != 3, "other"), else_="none")
    made = number, number * number + 1, twice, rows.c.cast("date").year(), number.isnull()
    found = _columns(rows, *map(tried, made))

    assert [[3, None, 7, None], [10, None, 50, None]] == found[:2]
    assert ["three", "none", "other", "none"] == found[2] and 4 * [None] == found[3]
    assert [False, True, False, True] == found[4]
    assert [["3", "odd", "7", None]] == _columns(rows, tried(rows.c))
    with pytest.raises(Exception, match="odd"):
        _columns(rows, number)


@pytest.mark.parametrize(
    "made",
    [
        lambda rows: rows.c.substr(2**40, 1),
        lambda rows: ibis.literal(2**31 - 1) * (2**31 - 1) > rows.no,
        lambda rows: ibis.literal(datetime(2020, 1, 1, tzinfo=ODD)) < rows.at,
        lambda rows: ibis.literal(date(9999, 12, 31)).truncate("W") < rows.at,
        lambda rows: rows.no + ibis.literal(10**12, "interval('D')").isnull().ifelse(1, 2),
    ],
    ids=["place", "product", "zone", "week", "days"],
)
def test_what_stops_at_any_row_stops_at_none(made):
    """Or else whether it stops would tell whether a row was there."""
    at = pd.to_datetime(["2020-01-01"] * 4).astype("datetime64[ns]")
    rows = _numbered(WORDS.assign(at=at))
    assert 4 == len(_columns(rows, tried(made(rows)))[0])


def test_numbers_at_the_ends_of_double_precision_stop_postgresql_at_no_row(postgresql):
    """Beyond 2^500 they are missing, nearer to zero than 2^-500 they are zero; what is between
    comes out as in DuckDB, to the last digit, and so does what is infinite already or no number."""
    ends = [1e308, -1e308, 1e200, 5e-324, -1e-300, 0.0, None]
    usual = [0.1, -3.0, 2.0**500, -(2.0**-500), 1 / 3, 7e99]
    frame = pd.DataFrame({"x": ends + usual})
    mine = _numbered(frame)
    name = "tried_ends"
    theirs = postgresql.create_table(name, mine.to_pyarrow(), temp=True)

    def made(rows):
        x = rows.x
        return x * 1e308, x / 1e-308, x + x, x - 1e308, x * 1e-308, 1 / x.nullif(0), x * x

    found = _columns(theirs, *map(tried, made(theirs)))
    same = _columns(mine, *map(tried, made(mine)))
    assert all(own[:3] == [None] * 3 and own[6] is None for own in (found[0], found[2], found[6]))
    assert found[4][3:6] == [0.0] * 3 == found[6][3:6] and found[5][3:6] == [None] * 3
    for i in (2, 6):
        assert same[i][len(ends) :] == found[i][len(ends) :]
    with pytest.raises(Exception, match="overflow"):
        _columns(theirs, theirs.x * 1e308)


def test_numeric_of_any_size_becomes_double_precision(postgresql):
    """Missing above 1e300, and zero below 1e-300."""
    postgresql.raw_sql("create temporary table tried_numeric (no int, x numeric)").close()
    given = "1e400", "-1e400", "1e-400", "-1e-400", "0.1", "12345678901234567890", "NaN"
    for i, each in enumerate(given):
        postgresql.raw_sql(f"insert into tried_numeric values ({i}, '{each}')").close()
    rows = postgresql.table("tried_numeric")
    (found,) = _columns(rows, tried(rows.x.cast("float64")))

    assert [None, None, 0.0, 0.0, 0.1, 12345678901234567890.0] == found[:6]
    assert found[6] is None or math.isnan(found[6])


def test_one_value_is_like_another_in_brackets(postgresql):
    """Ibis has none around it in PostgreSQL, which stops; both missing is alike."""
    postgresql.raw_sql("create temporary table tried_alike (no int, x text)").close()
    postgresql.raw_sql("insert into tried_alike values (0, 'a'), (1, null), (2, 'odd')").close()
    rows = postgresql.table("tried_alike")
    alike = rows.x.identical_to("a") == False  # noqa: E712
    none = rows.x.identical_to(ibis.null("string"))
    assert [[False, True, True], [False, True, False]] == _columns(rows, tried(alike), tried(none))
