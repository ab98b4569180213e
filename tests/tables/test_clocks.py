"""Dates and times that stand together: of one type, or none stops an engine at the last of them."""

from datetime import UTC, date, datetime

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.rowwise import NotOfOneRow, condition

ROW, DAY, TIME = ibis._, ibis.date("2024-01-01"), ibis.timestamp("2024-01-01 10:00:00")
FAR = ibis.timestamp("9999-12-31 00:00:00")
# The first and the last that the engine has, and what is before and after all.
OF = {
    "d": ("date", "5877642-06-25 (BC)", "5881580-07-10"),
    "s": ("timestamp_s", "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54"),
    "us": ("timestamp", "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806"),
    "ns": ("timestamp_ns", "1677-09-22 00:00:00", "2262-04-11 00:00:00"),
    "tz": ("timestamptz", "290309-12-22 (BC) 00:00:00+00", "294247-01-10 04:00:54+00"),
}


@pytest.fixture(scope="module")
def rows():
    """A row for each two of a type's dates."""
    made = ibis.duckdb.connect()
    ends = {
        name: " union all ".join(
            f"select '{each}'::{kind} as {name}, '{each}'::{kind} as {name}2"
            for each in (*own, "infinity", "-infinity")
        )
        for name, (kind, *own) in OF.items()
    }
    crossed = " cross join ".join(f"({text})" for text in ends.values())
    made.raw_sql(f"create table stays as select 1 as patient, * from {crossed}")
    return made.table("stays")


def _together(one, other):
    either = ROW.patient > 0
    return [
        one > other,
        one == other,
        one.between(other, other),
        one.between(other, one),
        one.isin([other]),
        one.coalesce(other).isnull(),
        one.nullif(other).isnull(),
        ibis.greatest(one, other).isnull(),
        ibis.least(other, one).isnull(),
        ibis.ifelse(either, one, other).isnull(),
        ibis.cases((either, one), else_=other).isnull(),
        one.identical_to(other),
    ]


@pytest.mark.parametrize("one", OF)
@pytest.mark.parametrize("other", OF)
def test_two_types_are_put_together_nowhere(rows, one, other):
    """Whatever is made of them; of one type all of it is answered, at its last date too."""
    for holds in _together(ROW[one], ROW[other + "2"]):
        if one == other:
            assert rows.filter(condition(rows, holds)).count().execute() >= 0
            continue
        with pytest.raises(ValueError, match=r"types|of its own kind"):
            condition(rows, holds)


@pytest.mark.parametrize(
    "holds",
    [
        ROW.d > DAY,
        ROW.d.isin([DAY, None]),
        ROW.d.coalesce(DAY) == DAY,
        ROW.d.between(DAY, date(9999, 12, 31)),
        ROW.s > TIME,
        ROW.us > DAY,
        ROW.us > datetime(2024, 1, 1),
        ROW.us.between(DAY, FAR),
        ibis.greatest(ROW.us, FAR) > TIME,
        ROW.ns > TIME,
        ROW.ns.isin([TIME, None]),
        ROW.ns.nullif(TIME).isnull(),
        ROW.tz > datetime(2024, 1, 1, tzinfo=UTC),
        ROW.tz > DAY,
        ROW.ns.date() > ROW.d,
        ROW.us.date() == ROW.tz.date(),
        ROW.ns.try_cast("timestamp") < ROW.us,
        ROW.d.try_cast("timestamp") < ROW.s.try_cast("timestamp"),
    ],
    ids=str,
)
def test_what_is_allowed_stops_no_engine(rows, holds):
    """Beside what is written out, as days, and where what cannot be read is missing."""
    assert rows.filter(condition(rows, holds)).count().execute() >= 0


@pytest.mark.parametrize(
    "holds",
    [
        ROW.d > TIME,
        ROW.d.isin([TIME]),
        ROW.us > datetime(2024, 1, 1, tzinfo=UTC),
        ROW.ns < FAR,
        ROW.ns.isin([FAR]),
    ],
    ids=str,
)
def test_what_is_written_out_is_of_the_columns_type(rows, holds):
    """Or an engine turns the column into another, or cannot turn what is written."""
    with pytest.raises(NotOfOneRow, match=r"beside a date write a date out|of its own kind"):
        condition(rows, holds)


@pytest.mark.parametrize("last", [datetime(2024, 3, 1), datetime(9999, 12, 31)])
def test_whether_a_question_is_refused_depends_on_nobodys_date(tmp_path, last):
    """A file's nanoseconds beside microseconds, whoever stays for ever."""
    first = pa.array([datetime(2024, 1, 1)] * 2, pa.timestamp("ns"))
    until = pa.array([datetime(2024, 2, 1), last], pa.timestamp("us"))
    rows = pa.table({"patient": [1, 2], "admitted": first, "until": until})
    pq.write_table(rows, tmp_path / "stays.parquet", version="2.6")
    own = table(tmp_path / "stays.parquet", tmp_path)
    for asked in (
        lambda: own.where(ROW.until > ROW.admitted),
        lambda: own.sql("SELECT COUNT(*) FROM v WHERE until > admitted", rows_per_person=1),
    ):
        with pytest.raises(ValueError, match=r"\.date\(\)"):
            asked()

    days = own.where(ROW.until.date() > ROW.admitted.date())
    found = days.ask(n=tables.count(), rows_per_person=1).run(tacit.NonPrivate()).frame
    assert [2] == found.n.tolist()
