"""Dates that an engine finds other dates for, as early and as late as it has any."""

import ibis
import pytest

import tacit
from tables.records import table
from tacit import tables

DAYS = ["5877642-06-25 (BC)", "0001-01-01", "2024-01-10", "9999-12-31", "300000-01-01", "infinity"]
TIMES = ["290309-12-22 (BC) 00:00:00", *DAYS[1:3], "9999-12-31 23:59:59.999999", "294247-01-10"]
UNITS = "YQMWD"


@pytest.mark.parametrize("kind, days", [("date", DAYS), ("timestamp", TIMES)], ids=str)
def test_no_date_stops_a_question_of_weeks_or_truncated_dates(tmp_path, kind, days):
    """They are missing but of the years 1 to 9999; others are what the engine says."""
    own = ibis.duckdb.connect()
    named = ", ".join(f"({i}, '{each}'::{kind})" for i, each in enumerate(days))
    own.raw_sql(f"create table visits as select * from (values {named}) t(patient, day)")
    found = [ibis._.day.week_of_year()]
    found += [ibis._.day.truncate(unit).year() for unit in UNITS]
    asked = {f"known_{i}": tables.count_if(each.notnull()) for i, each in enumerate(found)}
    asked |= {f"kept_{i}": tables.count_if(each.isin([2, 2024])) for i, each in enumerate(found)}
    answer = table(own.table("visits"), tmp_path).ask(**asked, rows_per_person=1)
    frame = answer.run(tacit.NonPrivate()).frame

    assert [3] * len(found) == [frame[f"known_{i}"][0] for i in range(len(found))]
    assert [1] * len(found) == [frame[f"kept_{i}"][0] for i in range(len(found))]


def test_nanoseconds_have_no_year_to_leave_out(tmp_path):
    """They reach from 1677 to 2262."""
    own = ibis.duckdb.connect()
    own.raw_sql("create table visits as select 1 as patient, timestamp_ns '2262-04-11' as day")
    weeks = tables.count_if(ibis._.day.week_of_year() == 15)
    answer = table(own.table("visits"), tmp_path).ask(n=weeks, rows_per_person=1)
    assert 1 == answer.run(tacit.NonPrivate()).frame.n[0]
