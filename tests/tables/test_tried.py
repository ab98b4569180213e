"""Rows at which an engine would stop have a missing value, and the others what they had."""

import math
from datetime import date, datetime, timedelta, timezone

import ibis
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tacit import tables
from tacit.tables.dates import within_years
from tacit.tables.engine import units_in
from tacit.tables.tried import tried
from tacit.tables.whose import Whose

_YEARS = "interval('Y')"
_FAR = {"timestamp_s": pa.timestamp("s"), "timestamp_ms": pa.timestamp("ms")}
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
    found = _columns(rows, *(tried(rows, each) for each in made))

    assert [[3, None, 7, None], [10, None, 50, None]] == found[:2]
    assert ["three", "none", "other", "none"] == found[2] and 4 * [None] == found[3]
    assert [False, True, False, True] == found[4]
    assert [["3", "odd", "7", None]] == _columns(rows, tried(rows, rows.c))
    with pytest.raises(Exception, match="odd"):
        _columns(rows, number)


@pytest.mark.parametrize(
    "made",
    [
        lambda rows: rows.c.substr(2**40, 1),
        lambda rows: ibis.literal(2**31 - 1) * (2**31 - 1) > rows.no,
        lambda rows: ibis.literal(2**62) * 4 > 0,
        lambda rows: ibis.literal(datetime(2020, 1, 1, tzinfo=ODD)) < rows.at,
        lambda rows: ibis.literal(date(9999, 12, 31)).truncate("W") < rows.at.cast("timestamp(9)"),
        lambda rows: (ibis.literal(2**31, _YEARS) == ibis.literal(1, _YEARS)) & (rows.no >= 0),
    ],
    ids=["place", "product", "nothing", "zone", "week", "years"],
)
def test_what_stops_at_any_row_stops_at_none(made):
    """Or else whether it stops would tell whether a row was there."""
    rows = _numbered(WORDS.assign(at=pd.to_datetime(["2020-01-01"] * 4)))
    assert 4 == len(_columns(rows, tried(rows, made(rows)))[0])


@pytest.mark.parametrize("kind", ["timestamp_s", "timestamp_ms", "timestamp", "timestamp_ns"])
def test_no_time_is_too_far_for_what_is_found_of_it(kind):
    """Nor infinite: DuckDB also looks at a column's first and last time, before any row is read."""
    own = ibis.duckdb.connect()
    times = ["'infinity'", "'-infinity'", "'2020-02-03'"]
    if kind in ("timestamp_s", "timestamp_ms"):
        own.con.register("far", pa.table({"t": pa.array([10**18], _FAR[kind])}))
        times.append("(select t from far)")
    values = ", ".join(f"({i}, {each}::{kind})" for i, each in enumerate(times))
    own.raw_sql(f"create table t as select * from (values {values}) as v(no, t)")
    rows = own.table("t")
    t = rows.t
    day, text, first = t.date(), t.cast("string"), t.truncate("M").date()
    made = day.year(), t.year(), text.length() > 9, day.day(), first.day(), t > "2020-01-01"

    found = _columns(rows, *(tried(rows, within_years(each)) for each in made))
    assert [2020, 2020, True, 3, 1, True] == [each[2] for each in found]
    assert [True, False, True] == found[-1][:3] and [None, None] == found[-2][:2]


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

    found = _columns(theirs, *(tried(theirs, each) for each in made(theirs)))
    same = _columns(mine, *(tried(mine, each) for each in made(mine)))
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
    (found,) = _columns(rows, tried(rows, rows.x.cast("float64")))

    assert [None, None, 0.0, 0.0, 0.1, 12345678901234567890.0] == found[:6]
    assert found[6] is None or math.isnan(found[6])


def test_texts_of_two_collations_stop_postgresql_at_no_row(postgresql):
    """Nor does one that takes letters for others, where a text is looked for in it."""
    postgresql.raw_sql(
        "create collation if not exists tried_loose (provider = icu, deterministic = false, "
        "locale = 'und-u-ks-level1')"
    ).close()
    kinds = 'no int, a text collate "C", b text collate "POSIX", n text collate tried_loose'
    postgresql.raw_sql(f"create temporary table tried_texts ({kinds})").close()
    postgresql.raw_sql(
        "insert into tried_texts values (0, 'a', 'b', 'Ab'), (1, 'z', 'b', 'c')"
    ).close()
    rows = postgresql.table("tried_texts")
    made = rows.a < rows.b, (rows.a + rows.b).lower(), rows.n.contains("A"), rows.n == rows.a
    found = _columns(rows, *(tried(rows, each) for each in made))

    assert [[True, False], ["ab", "zb"], [True, False], [False, False]] == found


def test_one_value_is_like_another_in_brackets(postgresql):
    """Ibis has none around it in PostgreSQL, which stops; both missing is alike."""
    postgresql.raw_sql("create temporary table tried_alike (no int, x text)").close()
    postgresql.raw_sql("insert into tried_alike values (0, 'a'), (1, null), (2, 'odd')").close()
    rows = postgresql.table("tried_alike")
    alike = rows.x.identical_to("a") == False  # noqa: E712
    none = rows.x.identical_to(ibis.null("string"))
    assert [[False, True, True], [False, True, False]] == _columns(
        rows, tried(rows, alike), tried(rows, none)
    )


def test_a_question_is_answered_whosever_rows_there_are(tmp_path):
    """Where it would stop at any row that gets as far: in conditions, in keys and in numbers."""
    frame = pd.DataFrame({"person": ["a", "b", "c"], "no": [1, 2, 3]})
    trap = ibis.literal(2**31 - 1) * (2**31 - 1) > ibis._.no
    table = tacit.Table(frame, "person", "people", tmp_path / "people.db")
    table.budget(epsilon=9, delta=1e-6)
    asks = [
        table.where(trap).ask(n=tables.count(), rows_per_person=1),
        table.by(k=(trap, [True, False])).ask(n=tables.count(), rows_per_person=1),
        table.ask(n=tables.count_if(trap), rows_per_person=1),
    ]
    for ask in asks:
        answer = ask.run(tacit.Central(1.0, 1e-7))
        assert (answer.frame["n"].abs() < 60).all()


def test_a_day_that_is_none_is_nobodys(tmp_path):
    """What a person is told by is tried too: DuckDB has no day for the end of time."""
    own = ibis.duckdb.connect()
    times = "('a', timestamp_ms '2020-01-01'), ('a', timestamp_ms 'infinity'), ('b', null)"
    own.raw_sql(f"create table t as select * from (values {times}) as v(p, t)")
    whose = Whose.told(("p", ibis._.t.date()), "day")
    assert 1 == units_in(own.table("t"), whose)
