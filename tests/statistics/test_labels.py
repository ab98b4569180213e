"""Labels are what a column of a type has for them, or refused; of no value anything is said."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit
from tacit.statistics import Histogram
from tacit.statistics.labels import labels_in, refuse_missing

DAYS = dt.date(2026, 1, 1), dt.date(2026, 1, 2)
FLOATS = [0.1, 0.2, 0.2, 0.3]
MOMENTS = [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2), dt.datetime(2026, 1, 2), None]


def counts(values, categories) -> list[int]:
    """Of each category, and of none."""
    numbers = Histogram(categories, tacit.NonPrivate(), 4).numbers(values)
    return np.bincount(numbers, minlength=len(categories) + 1).tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.array(FLOATS, np.float32),
        np.array(FLOATS, np.float16),
        np.array(FLOATS, np.longdouble),
        np.array(FLOATS),
        pd.Series(FLOATS, dtype="float32"),
        pd.Series(FLOATS, dtype="Float32"),
        pd.Series(FLOATS, dtype="float32").astype("category"),
        pl.Series(FLOATS, dtype=pl.Float32),
        pl.Series([str(each) for each in FLOATS]).cast(pl.Decimal(10, 2)),
        FLOATS,
    ],
    ids=lambda values: f"{type(values).__module__} {getattr(values, 'dtype', list)}",
)
def test_numbers_meet_in_the_columns_own_type(values):
    """A tenth is the float that is nearest to it, of whatever length."""
    assert counts(values, (0.1, 0.2)) == [1, 2, 1]
    assert counts(values, (Decimal("0.3"), 7)) == [1, 0, 3] or values is FLOATS


@pytest.mark.parametrize(
    "values",
    [
        np.array(MOMENTS, "M8[ns]"),
        np.array(MOMENTS, "M8[D]"),
        pd.Series(MOMENTS),
        pd.Series(MOMENTS).astype("category"),
        pl.Series(MOMENTS),
        pl.Series(MOMENTS).cast(pl.Date),
    ],
    ids=lambda values: f"{type(values).__module__} {values.dtype}",
)
@pytest.mark.parametrize(
    "categories",
    [
        DAYS,
        tuple(map(np.datetime64, DAYS)),
        np.array(DAYS, "M8[ns]"),
        tuple(map(pd.Timestamp, DAYS)),
        pd.DatetimeIndex(DAYS),
    ],
    ids=lambda categories: type(categories[0]).__name__,
)
def test_moments_meet_in_whatever_unit(values, categories):
    """A date is its first moment."""
    assert counts(values, categories) == [1, 2, 1]


def test_spans_of_time_meet():
    """And not with numbers of anything."""
    spans = np.array([1, 60, 60, 90], "m8[m]")

    assert counts(spans, (dt.timedelta(hours=1), np.timedelta64(1, "m"))) == [2, 1, 1]
    with pytest.raises(ValueError, match="has no 60"):
        counts(spans, (60, 90))


NOON = dt.datetime(2026, 1, 1, 12)


@pytest.mark.parametrize(
    "values, categories, said",
    [
        (np.array(MOMENTS, "M8[D]"), (DAYS[0], NOON), "one of moments, which has no datetime"),
        (np.array(MOMENTS, "M8[D]"), ("2026-01-01", "2026-01-02"), "has no '2026-01-01'"),
        (np.array(MOMENTS, "M8[ns]"), (1, 2), "has no 1"),
        (np.array(MOMENTS, "M8[ns]"), (dt.date(1, 1, 1), DAYS[0]), "has no datetime.date"),
        (pd.Series(MOMENTS).dt.tz_localize("UTC"), DAYS, "has no datetime.date"),
        (pl.Series(MOMENTS).dt.replace_time_zone("UTC"), DAYS, "has no datetime.date"),
        (np.array(MOMENTS, "M8[ns]"), (NOON.replace(tzinfo=dt.UTC), DAYS[0]), "has no datetime"),
        (np.zeros(3, np.uint8), (0, 256), "one of numbers, which has no 256"),
        (np.zeros(3, int), (0, 0.5), "has no 0.5"),
        (np.zeros(3, bool), (0, 2), "one of numbers, which has no 2"),
        (np.zeros(3), ("a", 1), "one of numbers, which has no 'a'"),
        (np.zeros(3, np.float32), (1, 1 + 1e-9), "type has the same for two of them"),
        (np.array([b"a"]), ("a", "b"), "has no 'a'"),
        (pl.Series(["a"]).cast(pl.Categorical), (1, "a"), "has no 1"),
    ],
)
def test_what_a_type_has_nothing_for_is_refused(values, categories, said):
    """By names of types and labels, which are declared."""
    with pytest.raises(ValueError, match=f"categories must be .*{said}"):
        labels_in(values, categories)
    with pytest.raises(ValueError, match=f"categories must be .*{said}"):
        labels_in(values[:0], categories)


@pytest.mark.parametrize(
    "one, other, labels",
    [
        (np.array(["a", "b"]), np.array(["a", "Bartholomew"]), (1, 2)),
        (pd.Series([1, 2]), pd.Series([1, None]), ("a", "b")),
        (pl.Series([Decimal("1.5")]), pl.Series([Decimal("2.123")]), ("a", "b")),
    ],
    ids=["the longest name", "whether one is missing", "the most digits"],
)
def test_a_refusal_says_nothing_that_a_value_decides(one, other, labels):
    """A type is inferred from everybody's; the sentence is the same."""
    said = []
    for values in (one, other):
        with pytest.raises(ValueError, match="categories must be what the") as refused:
            labels_in(values, labels)
        said.append(str(refused.value))

    assert said[0] == said[1]


@pytest.mark.parametrize(
    "missing", [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.float32("nan")]
)
def test_what_is_missing_is_no_label(missing, tmp_path):
    """It is refused when it is declared, and nothing is charged."""
    book = tmp_path / "l.db"
    terms = {"trust": tacit.NonPrivate(), "ledger": book, "name": "p"}
    with pytest.raises(ValueError, match="what is missing has none: ask for it by"):
        tacit.statistics.histogram([1.0, None], categories=(1.0, missing), **terms)
    with pytest.raises(ValueError, match="what is missing has none"):
        refuse_missing([missing])

    assert not book.exists()
