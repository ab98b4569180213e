"""Declared keys: every group there is, and which row is in which."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.engine import rows_of
from tacit.tables.keys import DeclaredKeys, Key

NOTHING = tacit.NonPrivate()


def test_every_row_is_in_the_group_of_its_keys_or_in_none():
    """Crossed, in the order of `rows`; a missing key is one where it is declared."""
    frame = pd.DataFrame({"a": ["x", "y", None, "z"] * 2, "b": [1, 1, 1, 1, 2, 2, 2, 2]})
    keys = DeclaredKeys.of({"a": ["y", None], "b": [2, 1]})
    rows = rows_of(frame)
    places = rows.select(place=keys.place(rows)).to_pyarrow()["place"].to_pylist()

    assert [("y", 2), ("y", 1), (None, 2), (None, 1)] == keys.rows and 4 == keys.groups
    assert [None, 1, 3, None, None, 0, 2, None] == places


@pytest.mark.parametrize("values", ["ab", [], [1.5], [1, "a"], [None], [True, 1], ["a", "a"], 3])
def test_values_that_are_no_key_are_refused(values):
    """In a sentence that shows how a key is declared."""
    with pytest.raises(ValueError, match=r"declared values|once each"):
        Key.of("ward", values)


@pytest.mark.parametrize(
    "values, given",
    [
        ("A", "'A'"),
        ([], "an empty list"),
        ([1, "a"], "a list of int and str"),
        ([[1, 2]], "a list of list"),
        ([None], "a list of NoneType"),
        ((ibis._.days, [1.5]), "a list of float"),
        ({"a"}, "set"),
    ],
)
def test_what_is_given_for_values_is_told_by_its_types(values, given):
    """Beside both ways in which a key is declared."""
    with pytest.raises(ValueError, match=f", got {given} for 'ward'$") as refused:
        Key.of("ward", values)
    for way in ('by(ward=["A", "B"])', "by(month=(ibis._.day.month(), [1, 2]))"):
        assert way in str(refused.value)


def test_too_many_groups_are_refused():
    """Before any are made."""
    with pytest.raises(ValueError, match="16,384 groups at most"):
        DeclaredKeys.of({name: list(range(1000)) for name in ("a", "b")})


def test_a_key_may_be_derived(tmp_path):
    """Parts of dates, cases, text and the bins of a number; what is no value of it is left out."""
    days = pd.to_datetime(["2024-01-31", "2024-02-01", "2024-03-05", None, "2023-01-01"])
    frame = pd.DataFrame({"patient": range(5), "day": days, "ward": ["a ", "A", "b", "a", None]})
    frame["age"] = [0.0, 17.9, 18.0, np.nan, 120.0]
    own = table(frame, tmp_path)
    known = ibis.ifelse(ibis._.ward.isnull(), "unknown", ibis._.ward.strip().upper())
    by = [
        own.by(month=(ibis._.day.month(), range(1, 3)), year=(ibis._.day.year(), [2023, 2024])),
        own.by(ward=(known, ["A", "unknown"])),
        own.by(long=(ibis._.ward.length() > 1, [True, False, None])),
        own.by(age=tables.binned("age", [0, 18, 65, 120])),
    ]
    found = [each.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame for each in by]

    assert [1, 1, 0, 1] == found[0].n.tolist() and ["month", "year", "n"] == [*found[0]][:3]
    assert [3, 1] == found[1].n.tolist() and [1, 3, 1] == found[2].n.tolist()
    assert [2, 1, 1] == found[3].n.tolist()
    assert ["0 to 18", "18 to 65", "65 to 120"] == found[3].age.tolist()


def test_no_step_of_a_key_overflows(tmp_path):
    """A product beyond 64 bits is missing, where an engine would stop at it; declared or not."""
    frame = pa.table({"patient": range(3), "huge": [2**62, 3, -2]})
    own, square = table(frame, tmp_path), ibis._.huge * ibis._.huge + 1
    declared = own.by(square=(square, [10, 5, None]))
    found = own.by(tables.undeclared(square=square))
    frames = [
        x.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame for x in (declared, found)
    ]

    assert [1, 1, 1] == frames[0].n.tolist()
    assert {10.0, 5.0} == set(frames[1].square.dropna()) and 3 == len(frames[1])
    with pytest.raises(ValueError, match="a key of its own"):
        own.by(tables.undeclared(text=square.cast("string"))).ask(
            n=tables.count(), rows_per_person=1
        )


LARGE = Decimal("9999999999999999.9")
SUMS = ibis._.price * ibis._.price * ibis._.price
CASES = {
    "a product": ibis.cases((SUMS > 100, "large"), else_="small"),
    "two scales": ibis.cases((ibis._.price > Decimal("10.1234567890123456789012345"), "large")),
    "cases of it": ibis._.price.cases((Decimal("10.12345678901234567890123"), "a"), else_="b"),
    "a text in it": ibis.cases((ibis._.no.cast("string") == "3", "three"), else_="other"),
}


@pytest.mark.parametrize("text", CASES)
def test_no_decimal_of_a_text_overflows(tmp_path, text):
    """A condition in a key is as one that rows have to meet; declared or not."""
    prices = pd.DataFrame({"patient": range(3), "no": range(2, 5)})
    prices["price"] = [Decimal("3.5"), Decimal("20.0"), LARGE]
    own = table(pa.Table.from_pandas(prices), tmp_path)
    key, names = CASES[text], ["large", "small", "a", "b", "three", "other"]
    for by in (own.by(kind=(key, [*names, None])), own.by(tables.undeclared(kind=key))):
        found = by.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame
        kinds = {"a product": 2, "two scales": 2, "cases of it": 3, "a text in it": 1}
        assert 3 == found.n.sum() and kinds[text] in found.n.tolist()


@pytest.mark.parametrize(
    "text",
    [
        SUMS.cast("string"),
        ibis._.price.coalesce(Decimal("0.1234567890123456789012345678901234")).cast("string"),
        (ibis._.price - 1).abs().cast("string"),
    ],
    ids=str,
)
def test_text_of_decimals_that_are_computed_is_refused(tmp_path, text):
    """There an engine stops at what is too large."""
    own = table(pa.table({"patient": [1], "price": [LARGE]}), tmp_path)
    with pytest.raises(ValueError, match="a key of its own"):
        own.by(kind=(text, ["1"])).ask(n=tables.count(), rows_per_person=1)


@pytest.mark.parametrize("months", [[1, 2, 3], [1, 2, None], [1, 2, 2.5], [1, 2, 1e300]], ids=str)
def test_whether_a_key_is_refused_depends_on_no_row(tmp_path, months):
    """A frame in which one row lacks it, or has a fraction, has no whole numbers: those that are
    whole are keys, and the rest is missing."""
    own = table(pd.DataFrame({"patient": range(3), "month": months}), tmp_path)
    asked, last = {"n": tables.count(), "rows_per_person": 1}, 1 if months[-1] == 3 else None
    for by in (own.by(month=[1, 2, 3, None]), own.by("month")):
        found = by.ask(**asked).run(NOTHING).frame
        named = {None if pd.isna(k) else int(k): n for k, n in found[["month", "n"]].values}
        assert 1 == named[1] == named[2] == named[3 if last else None]
    cells = own.ask(h=tables.histogram("month", categories=[1, 2, None]), rows_per_person=1)
    assert [1, 1, 0 if last else 1] == cells.run(NOTHING).frame.iloc[0].tolist()[::3][:3]
    floors = pd.DataFrame({"month": [1, 2], "floor": [7, 8]})
    assert own.join(floors, on="month").where(ibis._.floor > 6).conditions


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x.by(month=(ibis._.day.max(), [1])),
        lambda x: x.by(month=(ibis._.days.cast("int32"), [1])),
        lambda x: x.by(month=(ibis._.days > 1, [1])),
        lambda x: x.by(month=(ibis._.days, [1.5])),
        lambda x: x.by(month=tables.binned("sex", [0, 1, 2])),
        lambda x: x.by(month=tables.binned("days", [0, 1])),
    ],
)
def test_derived_keys_that_are_none_are_refused(tmp_path, made):
    """Those of other rows, those an engine may stop at, and those of another kind."""
    with pytest.raises(ValueError):
        made(table(visits(9, 3, seed=1), tmp_path)).ask(n=tables.count(), rows_per_person=1)


DAYS = [date(2024, 1, 1), date(2024, 1, 2), None]
TIMES = [datetime(2024, 1, 1, 5), datetime(2024, 1, 1), datetime(2024, 1, 2), None]
DATED = {
    "dates": pd.Series([date(2024, 1, 1)] * 2 + [date(2024, 1, 2), None], dtype=object),
    "times": pd.Series(pd.array(TIMES, "datetime64[s]")),
    "times in nanoseconds": pd.Series(pd.array(TIMES, "datetime64[ns]")),
}


@pytest.mark.parametrize("own", DATED.values(), ids=DATED)
def test_rows_are_told_apart_by_their_day(tmp_path, own):
    """Of a time it is the day; what has none is in the group of none; months are days too."""
    kept = table(pd.DataFrame({"patient": range(4), "day": own}), tmp_path)
    by = {
        "day": kept.by(day=DAYS),
        "month": kept.by(month=(ibis._.day.truncate("M"), [DAYS[0], date(2024, 2, 1)])),
    }
    found = {
        name: each.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame
        for name, each in by.items()
    }

    assert [2, 1, 1] == found["day"].n.tolist() and [3, 0] == found["month"].n.tolist()
    assert DAYS == found["day"].day.tolist()


@pytest.mark.parametrize(
    "own, kind",
    [
        (["2024-01-01"], "of type string"),
        ([20240101], "of numbers"),
        (pd.array([datetime(2024, 1, 1, tzinfo=UTC)], "datetime64[us, UTC]"), "of type timestamp"),
    ],
)
def test_days_are_of_dates_and_of_times_without_a_zone(tmp_path, own, kind):
    """A zone would have to be chosen; text and numbers are not read as dates."""
    kept = table(pd.DataFrame({"patient": [1], "day": own}), tmp_path)
    with pytest.raises(ValueError, match=f"column 'day' is {kind}.* its declared values are date"):
        kept.by(day=DAYS).ask(n=tables.count(), rows_per_person=1)


@pytest.mark.parametrize(
    "own, values, told",
    [
        ([date(2024, 1, 1)], ["2024-01-01"], "declare days, [datetime.date(2024, 1, 31)]"),
        ([datetime(2024, 1, 1)], ["2024-01-01"], "declare its days, [datetime.date(2024, 1, 31)]"),
        ([True], ["yes"], "declare truth values, [True, False]"),
        ([1], ["1"], "declare whole numbers, [1, 2]"),
        (["1"], [1], 'declare text, ["1", "2"]'),
    ],
)
def test_who_declares_values_of_another_kind_is_told_of_which_they_are(tmp_path, own, values, told):
    """By what the column holds, and as Python writes it."""
    kept = table(pd.DataFrame({"patient": ["a"], "own": own}), tmp_path)
    with pytest.raises(ValueError, match=rf"declared values are .*: {re.escape(told)}$"):
        kept.by(own=values).ask(n=tables.count(), rows_per_person=1)
