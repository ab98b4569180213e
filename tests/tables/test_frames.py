"""DataFrames with columns that an engine cannot read."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.engine import rows_of
from told import alone

CENTS = pa.decimal128(5, 2)
ODD = {
    "a date among times": [date(2024, 1, 1), datetime(2024, 1, 1), None],
    "a time of a zone": [datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC), None],
    "bytes among text": ["a", b"b", "c"],
    "a list": [[Decimal(1)], [Decimal("1e50")], None],
    "a table without a field": [{}, {}, {}],
    "text among numbers": [1, "b", 2.0],
    "text among decimals": [Decimal(1), "1e50", Decimal(1)],
    "a decimal of no number among others": [Decimal("sNaN"), "b", 1],
    "a truth value among decimals": [Decimal(1), True, Decimal(1)],
    "an object": [object(), 1, 2],
}


def frame(values) -> pd.DataFrame:
    """Three people's stays, and what is odd beside them."""
    odd = pd.Series(values, dtype=object)
    return pd.DataFrame({"patient": [1, 2, 3], "days": [1.0, 2.0, 3.0], "odd": odd})


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_odd_values_stop_no_question_of_other_columns(tmp_path, values):
    """Answers are as if the column was not there; who asks for it is told its type."""
    own = table(frame(values), tmp_path)
    asked = {"n": tables.count(), "stay": tables.total("days", 0, 3)}
    answer = own.ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert 3 == answer.n[0] and abs(6 - answer.stay[0]) < 1e-3
    with pytest.raises(ValueError, match="'odd' is of type unknown"):
        own.ask(n=tables.mean("odd", 0, 1), rows_per_person=1)


@pytest.mark.parametrize(
    "asked",
    [
        lambda own: own.ask(n=tables.count_if(ibis._.odd.cast("string") == "2"), rows_per_person=1),
        lambda own: own.ask(n=tables.count_if(ibis._.odd.isnull()), rows_per_person=1),
        lambda own: own.where(ibis._.odd.notnull()),
        lambda own: own.by("odd"),
        lambda own: own.by(odd=["b"]),
        lambda own: own.by(odd=(ibis._.odd.cast("string"), ["2", "2.0"])),
    ],
)
def test_values_without_a_type_are_asked_for_by_nothing(tmp_path, asked):
    """Neither as text nor as missing: whatever else is there would be read otherwise."""
    own = table(frame([2.0, "b", None]), tmp_path)
    with pytest.raises(ValueError, match="'odd' is of type unknown"):
        asked(own).ask(n=tables.count(), rows_per_person=1)


def test_values_without_a_type_tell_no_units_apart(tmp_path):
    """Nor does their text."""
    for person in ("odd", ibis._.odd.cast("string")):
        with pytest.raises(ValueError, match="'odd' is of type unknown"):
            tacit.Table(frame([2.0, "b", 2]), person, "p", tmp_path / "l.db", unit="one")


FAR = pd.Series([10**6, None, None], dtype=pd.ArrowDtype(pa.int32()))
TOO_FAR = {
    "a day": FAR.astype(pd.ArrowDtype(pa.date32())),
    "a category of times": pd.Series(pd.array([2**45, None, 0], "datetime64[s]")).astype(
        "category"
    ),
    "a category of bytes": pd.Series([b"c", "a", None], dtype="category"),
    "a duration among numbers": pd.Series([1.0, np.timedelta64(1, "s"), None], dtype=object),
    "a duration": pd.Series([pd.Timedelta(np.timedelta64(2**62, "s")), timedelta(1), None]),
    "wide numbers": pd.Series(np.ones(3, np.longdouble)),
    "categories of numbers and text": pd.Series([1.0, "zzz", True], dtype="category"),
}


@pytest.mark.parametrize("odd", TOO_FAR.values(), ids=TOO_FAR)
def test_what_no_engine_holds_stops_no_question_of_other_columns(tmp_path, odd):
    """Of whatever type pandas has it."""
    own = table(frame([1, 2, 3]).assign(odd=odd), tmp_path)
    answer = own.ask(n=tables.count(), rows_per_person=1).run(tacit.NonPrivate()).frame

    assert 3 == answer.n[0]


CATEGORIES = {
    "whole numbers": ([1, None, 2], [1, 2]),
    "numbers": ([1.5, None, 2], [1.5, 2.0]),
    "truth values": ([True, None, False], [True, False]),
    "days": ([date(2024, 1, 1), None, date(2024, 1, 2)], [date(2024, 1, 1), date(2024, 1, 2)]),
    "text": (["a", None, "b"], ["a", "b"]),
}


@pytest.mark.parametrize("values, held", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_their_values_and_what_is_missing_stays_so(values, held):
    """Of every kind, in a table of people and in one that is public."""
    rows = rows_of(pd.DataFrame({"odd": pd.Categorical(values)}))
    own = rows.to_pyarrow()["odd"].to_pylist()

    assert held == [own[0], own[2]] and (own[1] is None or np.isnan(own[1]))


DECIMALS = {
    "with none": [None, Decimal("1.5"), Decimal(4)],
    "with others that are missing": [pd.NA, Decimal("1.5"), pd.NaT],
    "with NaN": [Decimal("NaN"), Decimal("sNaN"), Decimal("1.5")],
    "with infinity": [Decimal("Infinity"), Decimal("1.5"), Decimal("-Infinity")],
    "of many digits": [Decimal("1e50"), Decimal("1e-50"), Decimal("-1e400")],
    "with numbers": [2.5, Decimal("1.5"), np.int64(1)],
    "with a large number": [10**400, Decimal("1.5"), -(10**400)],
    "of one type": pd.Series([Decimal("1.5"), None, Decimal(2)], dtype=pd.ArrowDtype(CENTS)),
}
NUMBERS = [[np.nan, 1.5, 4], [np.nan, 1.5, np.nan], [np.nan, np.nan, 1.5], [np.inf, 1.5, -np.inf]]
NUMBERS += [[1e50, 1e-50, -np.inf], [2.5, 1.5, 1], [np.inf, 1.5, -np.inf], [1.5, np.nan, 2]]


@pytest.mark.parametrize(
    "given, numbers", zip(DECIMALS.values(), NUMBERS, strict=True), ids=DECIMALS
)
def test_decimals_are_read_as_double_precision(tmp_path, given, numbers):
    """Whatever somebody's is, and where it is missing: all is answered as of those numbers."""
    asked = {
        "sum": tables.total("odd", 0, 3),
        "n": tables.count_if(ibis._.odd.notnull()),
        "more": tables.count_if(ibis._.odd * 2 > 2.5),
        "stay": tables.total("days", 0, 3),
    }
    rows = frame([None] * 3).assign(odd=given)
    found = [
        table(each, tmp_path).by(odd=[1, 4, None]).ask(**asked, rows_per_person=1)
        for each in (rows, rows.assign(odd=np.array(numbers)))
    ]
    one, other = (each.run(tacit.NonPrivate()).frame for each in found)
    pd.testing.assert_frame_equal(one, other)


LAST = {"s": "294247-01-10T04:00:54", "ms": "294247-01-10T04:00:54.775"}


@pytest.mark.parametrize("far", ["1", "10000000000", "year"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", LAST)
def test_a_time_beyond_microseconds_is_missing_and_stops_no_question(tmp_path, unit, zone, far):
    """By one of its unit, by many, before and after; the last there is stays."""
    last = np.datetime64(LAST[unit], unit).astype(np.int64)
    beyond = 2**63 - 1 if far == "year" else last + int(far)
    counted = np.array([0, beyond, -beyond, last, np.iinfo(np.int64).min])
    times = pd.Series(counted.view(f"datetime64[{unit}]"), index=[3] * 5)
    if zone:
        times = times.dt.tz_localize("UTC").dt.tz_convert(zone)
    rows = pd.DataFrame({"patient": range(5), "days": 1.0}, index=[3] * 5).assign(at=times)
    asked = {
        "stay": tables.total("days", 0, 3),
        "none": tables.count_if(ibis._["at"].isnull()),
        "late": tables.count_if(ibis._["at"].year() == 294247),
    }
    found = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame
    assert [5, 3, 1] == found[["stay", "none", "late"]].iloc[0].round(2).tolist()


def test_uuids_tell_people_apart_and_are_text_elsewhere(tmp_path):
    """Those of a frame too, beside one that is missing; a frame that has some is not refused for
    them, and other text among them is as odd as among numbers."""
    one, other = UUID(int=1), UUID(int=2**127)
    rows = {"who": [one, other, one, None], "days": 1.0, "of": [one, np.nan, None, one]}
    rows = pd.DataFrame(rows, dtype=object)
    own = tacit.Table(rows, "who", "patients", tmp_path / "people.db")
    by = own.by(of=[str(one), None]).ask(who=tables.people(), rows_per_person=2)
    assert [1, 2] == by.run(tacit.NonPrivate()).frame.who.tolist()

    mixed = table(frame([one, "b", 3]), tmp_path).ask(n=tables.count(), rows_per_person=1)
    assert 3 == mixed.run(tacit.NonPrivate()).frame.n[0]


def test_decimals_stay_rows_of_their_own_and_the_frame_as_it_was(tmp_path):
    """Whatever the index, and what columns are called; nothing is written into what was given."""
    given = frame([Decimal(3), None, Decimal(1)]).set_axis([7, 7, 7])
    own = table(given, tmp_path)
    found = own.by(patient=[1, 2, 3]).ask(x=tables.total("odd", 0, 3), rows_per_person=1)

    assert [3, 0, 1] == found.run(tacit.NonPrivate()).frame.x.round(2).tolist()
    assert 3 == len(rows_of(given.set_axis(range(3), axis=1)).columns)
    assert object == given.odd.dtype and isinstance(given.odd.iloc[0], Decimal)


def test_a_frame_that_no_engine_reads_is_refused_in_a_sentence_of_types(tmp_path):
    """By its columns' types and names, whatever is in them."""
    for rows in (
        frame([1, 2, 3]).set_axis(["patient", "days", "days"], axis=1),
        frame([1, 2, 3]).set_axis(pd.MultiIndex.from_tuples([(1, 2), (3, 4), (5, 6)]), axis=1),
        pa.table({"patient": [1], "odd": pa.array([b"ab"], pa.binary(2))}),
    ):
        with pytest.raises(ValueError, match="types that an engine has, each named once") as no:
            table(rows, tmp_path)
        assert alone(no.value)


def test_a_frame_with_a_column_of_half_precision_is_refused_at_once(tmp_path):
    """By its name, though another column is asked for; in single precision it is read."""
    rows = visits(9, 3, seed=1).assign(half=np.ones(9, np.float16))
    with pytest.raises(ValueError, match=r"'half' is of type float16.*make it float32"):
        table(rows, tmp_path)
    own = table(rows.astype({"half": np.float32}), tmp_path)
    ask = own.ask(n=tables.mean("half", 0, 2), rows_per_person=1)
    assert abs(ask.run(tacit.NonPrivate()).frame.n[0] - 1) < 1e-6


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_a_nanosecond_stops_no_question(tmp_path, zone):
    """Asked for or not: what is less than a microsecond is cut off."""
    times = pd.Series([pd.Timestamp(1), pd.Timestamp.max, None]).dt.tz_localize(zone)
    rows = frame([1, 2, 3]).assign(odd=times)
    asked = {"n": tables.count(), "late": tables.count_if(ibis._.odd.year() == 2262)}
    answer = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert [3, 1] == [answer.n[0], answer.late[0]]


def test_types_of_pandas_that_no_engine_has_stop_no_question(tmp_path):
    """Whatever is in them; dates of Arrow's are dates, and text is text."""
    days = pd.Series([date(2024, 1, 1)] * 3, dtype=pd.ArrowDtype(pa.date32()))
    rows = frame([1, 2, 3]).assign(
        odd=pd.period_range("2024", periods=3),
        cut=pd.cut([1, 2, 3], [0, 2, 4]),
        mixed=pd.Categorical([1, "a", 1]),
        parts=[1j, 2j, 3j],
        day=days,
        text=pd.Series(["a", "\ud800", None], dtype="string[python]"),
    )
    asked = {
        "n": tables.count_if(ibis._.day.year() == 2024),
        "a": tables.count_if(ibis._.text == "a"),
    }
    answer = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert [3, 1] == [answer.n[0], answer.a[0]]
