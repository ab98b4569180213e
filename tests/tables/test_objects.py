"""Columns of Python's objects: what their values are read as."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables import objects


class Ward(str):
    """A text that calls itself otherwise."""

    def __str__(self) -> str:
        return "a ward"


BOTH = UUID(int=1), str(UUID(int=2))
NAMES = [None, np.nan, np.float32("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT]
READ = {
    "whole numbers": ([1, 2**60], [1.0, 2.0**60]),
    "numbers of several kinds": (
        [1, 2.5, Decimal("1.5"), np.int8(3), np.float16(4)],
        [1.0, 2.5, 1.5, 3.0, 4.0],
    ),
    "numbers beyond": ([10**400, -(10**400), Decimal("1e400")], [np.inf, -np.inf, np.inf]),
    "text": (["a", np.str_("b"), "\ud800", Ward("north")], ["a", "b", "?", "north"]),
    "UUIDs and text": (list(BOTH), list(map(str, BOTH))),
    "truth values": ([True, np.bool_(False)], [True, False]),
    "dates": ([date(2024, 1, 1)], [date(2024, 1, 1)]),
    "times": (
        [datetime(2024, 1, 1), pd.Timestamp(1)],
        [datetime(2024, 1, 1), datetime(1970, 1, 1)],
    ),
    "times of day": ([time(1)], [time(1)]),
    "durations": ([timedelta(1), pd.Timedelta(1_000)], [timedelta(1), timedelta(0, 0, 1)]),
    "bytes": ([b"a"], [b"a"]),
}
ODD = {
    "text among numbers": [1, "1"],
    "a truth value among numbers": [1, True],
    "a date among times": [datetime(2024, 1, 1), date(2024, 1, 1)],
    "a zone among times": [datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)],
    "a time of a zone": [datetime(2024, 1, 1, tzinfo=UTC)],
    "bytes among text": ["a", b"a"],
    "a list": [[1]],
    "a number of two parts": [1j],
}


def of(values) -> pd.Series:
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize("values, read", READ.values(), ids=READ)
def test_values_of_one_kind_are_read_as_they_would_be_alone(values, read):
    """Each as if it was the only one, whatever is missing among them."""
    own = list(objects.read(of([*values, *NAMES])))

    assert read == own[: len(values)] and pd.isna(own[len(values) :]).all()
    assert read == [next(iter(objects.read(of([each])))) for each in values]


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_values_of_two_kinds_have_no_type(values):
    """Nor have those that an engine does not hold."""
    assert objects.read(of([*values, None])) is None


@pytest.mark.parametrize("one", [timedelta.max, timedelta.min, pd.Timestamp(2**40, unit="s")])
def test_what_microseconds_do_not_count_is_missing(one):
    """Others of its kind are read."""
    other = type(one)(1_000)
    assert [None, other] == list(objects.read(of([one, other])))


def test_nothing_but_what_is_missing_is_read_as_that():
    """Of any kind of it."""
    assert all(each is None or pd.isna(each) for each in objects.read(of(NAMES)))


@pytest.mark.parametrize("one", [8, 8.0, np.float32(8), Decimal(8), Decimal("NaN"), np.nan, 2**80])
@pytest.mark.parametrize("asked", ["patient", "odd"])
def test_one_persons_number_leaves_the_others_as_they_are(tmp_path, asked, one):
    """Whatever kind it is of: as a person, as a key, and as text."""
    exact = []
    for last in (8, one):
        rows = pd.DataFrame({"patient": range(9), "odd": [7] * 9}, dtype=object)
        rows.loc[8, asked] = last
        own = table(rows, tmp_path).by(odd=[7, 8])
        ask = own.ask(
            n=tables.count(),
            t=tables.count_if(ibis._.odd.cast("string").length() > 1),
            rows_per_person=1,
        )
        exact.append(ask.run(tacit.NonPrivate()).frame.set_index("odd")[["n", "t"]].to_numpy())

    assert abs(exact[0] - exact[1]).max() <= 1.01
    assert exact[0][0][0] >= 7.99
