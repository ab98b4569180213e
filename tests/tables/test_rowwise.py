"""Expressions of one row, and those that are none."""

import traceback
from datetime import date
from decimal import Decimal

import ibis
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables import rowwise
from tacit.tables.engine import rows_of


@pytest.mark.parametrize(
    "holds, says",
    [
        (ibis._.days > ibis._.days.mean(), "Mean|WindowFunction|Reduction"),
        (ibis._.days.rank() < 3, "not allowed"),
        (ibis.random() < 0.5, "not allowed|expression"),
        (ibis._.sex.cast("int64") > 1, "try_cast"),
        (ibis._.days.cast("float32") > 1, "try_cast"),
        (ibis._.days.cast("float16") > 1, "try_cast"),
        (ibis._.sex.isin([1, 2]), "of its own kind"),
        (ibis._.days.isin([1, None, 2.5]) & ibis._.sex.isin(["f", 3]), "of its own kind|types"),
        (3 / ibis._.days > 1, "nullif"),
        (3 / ibis._.days.nullif(99) > 1, "nullif"),
        (3 / ibis._.days.nullif(ibis._.days) > 1, "nullif"),
        (ibis._.columns, "columns that are there"),
        (ibis._.limit(1), "columns that are there"),
        (ibis._.days.floor() > 3, "Floor is not allowed"),
        (ibis._.sex.substr(0, ibis._.days.try_cast("int64")) == "f", "numbers and text alone"),
        (ibis._.sex.like(ibis._.ward), "numbers and text alone"),
        (ibis._.nothing > 1, "columns that are there"),
        (ibis._.days, "true or false"),
        ("days; DROP TABLE visits", "no column"),
        (3, "a column is its name"),
    ],
)
def test_expressions_of_other_rows_are_refused(tmp_path, holds, says):
    """And those at which an engine might stop, before anything is read."""
    with pytest.raises(ValueError, match=says):
        table(visits(9, 3, seed=7), tmp_path).where(holds)


@pytest.mark.parametrize("what", ["log", "sqrt", "floor", "exp"])
def test_a_function_that_is_none_of_these_is_told_which_there_are(tmp_path, what):
    """All of which are allowed."""
    days, ward = ibis._.days, ibis._.ward
    own = table(visits(9, 3, seed=7).assign(at=pd.Timestamp("2026-01-31")), tmp_path)
    with pytest.raises(ValueError, match=r"is not allowed: of one row there may be") as refused:
        own.where(getattr(days, what)() > 3)
    each = {
        ".abs()": days.abs() + days - days * days > 1,
        ".clip()": days.clip(0, 3) > 1,
        "& | ~": (days > 1) & ~(days > 3) | (days < 1),
        ".isin()": ward.isin(["A"]),
        ".isnull()": ward.isnull(),
        ".coalesce()": days.coalesce(0) > 1,
        ".nullif()": 3 / days.nullif(0) > 1,
        "ibis.cases()": ibis.cases((days > 1, True), else_=False),
        ".cast()": days.cast("string") == "3",
        ".month()": ibis._.at.month() > 1,
        ".lower()": ward.lower() == "a",
        ".strip()": ward.strip() == "A",
        ".length()": ward.length() > 1,
        ".startswith()": ward.startswith("A"),
        ".substr()": ward.substr(0, 1) == "A",
    }
    assert own.where(ibis.and_(*each.values())).conditions
    assert all(name in str(refused.value) for name in each)


@pytest.mark.parametrize("made", [ibis._.days.sum(), ibis._.days.lag(), ibis._.days.rank()])
def test_what_looks_at_other_rows_is_told_to_be_an_aggregate(tmp_path, made):
    """By a reason of its own."""
    with pytest.raises(ValueError, match=r"looks at other rows.*as an aggregate, tables\.mean"):
        table(visits(9, 3, seed=7), tmp_path).where(made > 1)


def test_what_can_stop_no_engine_is_allowed(tmp_path):
    """Values of a column's own kind, among them none; double precision; a divisor that is no
    zero."""
    days, own = ibis._.days, table(visits(9, 3, seed=7).assign(many=range(9)), tmp_path)
    for holds in (
        days.isin([1, 2.5, None]) | ibis._.sex.isin(["f", None]),
        ibis._.many.cast("float64") > 3,
        3 / days.nullif(0) > 1,
        days.nullif(0.0) / 7 + 1 / days.nullif(Decimal(0)) > 1,
    ):
        read = own.rows.filter(rowwise.condition(own.rows, holds))
        assert read.count().execute() <= 9


def test_a_date_is_among_dates_alone(tmp_path):
    """A column's text beside it would have to be one, in everybody's row."""
    frame = visits(9, 3, seed=1).assign(day=pd.Timestamp("2026-01-31"))
    own, day = table(frame, tmp_path), ibis._.day.date()
    own.where(day.isin([date(2026, 1, 31), None]))
    with pytest.raises(ValueError, match="of its own kind"):
        own.where(day.isin([ibis._.sex]))


@pytest.mark.parametrize(
    "asked",
    [
        lambda frame, own: own.where(ibis._.ward + ibis._.days > 0),
        lambda frame, own: own.ask(
            m=tables.mean(ibis._.ward + ibis._.days, 0, 1), rows_per_person=1
        ),
        lambda frame, own: tacit.Table(
            frame, ibis._.ward + ibis._.days, "patients", own.ledger, unit="visit"
        ),
    ],
)
def test_what_does_not_go_together_is_refused_and_quotes_nobody(tmp_path, asked):
    """Ibis's own words print the rows of a frame; neither they nor their trace are passed on."""
    frame = visits(9, 3, seed=7).assign(patient="secretive")
    with pytest.raises(ValueError, match="columns that are there") as refused:
        asked(frame, table(frame, tmp_path))

    assert "secretive" not in "".join(traceback.format_exception(refused.value))
    assert refused.value.__context__ is None and "\n" not in str(refused.value)


def test_whole_numbers_are_read_in_double_precision(tmp_path):
    """A product beyond 64 bits is a large number, and no engine stops at it."""
    frame = visits(9, 3, seed=1).assign(huge=2**62)
    own = table(pa.Table.from_pandas(frame), tmp_path).where(ibis._.huge * ibis._.huge > 1e30)

    assert own.conditions and "CAST" in ibis.to_sql(rowwise.condition(own.rows, own.conditions[0]))


def test_no_number_of_a_row_overflows(tmp_path):
    """Decimals, parts of dates and lengths are read in double precision, like whole numbers."""
    frame = visits(9, 3, seed=1).assign(
        huge=[Decimal("99999999999999999.9")] * 9, at=pd.Timestamp("2026-01-31")
    )
    own, year = table(pa.Table.from_pandas(frame), tmp_path), ibis._.at.year()
    for holds in (ibis._.huge * ibis._.huge * ibis._.huge > 1, year * year * year > 1):
        kept = own.rows.filter(rowwise.condition(own.rows, holds))
        assert 9 == kept.count().execute()


def test_conditions_on_whole_numbers_leave_the_rows_that_expressions_are_of(tmp_path):
    """One after another, and a number of them asked for besides."""
    own = table(visits(9, 3, seed=1).assign(room=range(9)), tmp_path)
    few = own.where(ibis._.room > 2.5).where(ibis._.room * 2 < 13.5)
    asked = few.ask(much=tables.total(ibis._.room / 2, 0, 4), rows_per_person=9)

    whose = own.rows.filter(ibis._.room.isin([3, 4, 5, 6]) & ibis._.patient.notnull())
    true = whose.room.sum().execute() / 2
    assert true == pytest.approx(asked.run(tacit.NonPrivate()).frame["much"].item(), abs=1e-3)


def test_no_refusal_lists_the_names_of_columns(tmp_path):
    """Of a file without a header they are somebody's."""
    path, own = tmp_path / "none.csv", table(visits(9, 3, seed=7), tmp_path)
    path.write_text("Anna Schmidt,HIV positive,34\nBert,healthy,40\n")
    for asked in (
        lambda: tacit.Table(path, ibis._.patient, "patients", own.ledger, unit="person"),
        lambda: table(path, tmp_path),
        lambda: tacit.Table(path, "Bert", "patients", own.ledger),
        lambda: tacit.Table(path, "34", "patients", own.ledger).where(ibis._.days > 3),
        lambda: own.join(path, on="ward"),
    ):
        with pytest.raises(ValueError) as refused:
            asked()
        assert "Anna" not in str(refused.value) and "HIV" not in str(refused.value)


def test_the_text_of_a_whole_number_is_as_it_is_written(tmp_path):
    """Three is 3 in a condition, also where numbers beside it are in double precision."""
    own = table(pa.Table.from_pandas(visits(9, 3, seed=1).assign(room=range(9))), tmp_path)
    for holds in (ibis._.room.cast("string") == "3", ibis._.room.cast("string").isin(["3", "x"])):
        kept = own.rows.filter(rowwise.condition(own.rows, holds & (ibis._.room * 2 > 1)))
        assert [3] == kept.room.to_pyarrow().to_pylist()


WHOLE, DOUBLE = [0, 3, -2, 2**53], [0.0, 3.0, -2.0, 2.0**53]


@pytest.mark.parametrize("k", [WHOLE, [*DOUBLE, None], [*DOUBLE, 2.5], [*DOUBLE, 2.0**60]], ids=str)
def test_whole_numbers_and_double_precision_are_asked_the_same(k):
    """One person's missing number makes the one of the other, and refuses nothing, and moves no
    other's."""
    rows, own = rows_of(pd.DataFrame({"k": k})), ibis._.k
    read = {
        "nan": rowwise.condition(rows, own.isnan() | (own > 2)),
        "inf": rowwise.condition(rows, own.isinf()),
        "whole": rowwise.value(rows, own.cast("int64")),
        "text": rowwise.value(rows, own.cast("int64").cast("string")),
        "half": rowwise.number(rows, own.cast("int64") / 2),
    }
    found = rows.select(**read).to_pyarrow().to_pydict()
    assert [False, True, False, True] == found["nan"][:4] and [False] * 4 == found["inf"][:4]
    assert WHOLE == found["whole"][:4] and [*map(str, WHOLE)] == found["text"][:4]
    assert [x / 2 for x in WHOLE] == found["half"][:4]
    assert {None} >= {x for name in ("whole", "text", "half") for x in found[name][4:]}


def test_nan_and_infinity_are_asked_of_the_rows_that_were_met(tmp_path):
    """After other conditions, and beside a public table."""
    frame = visits(9, 3, seed=1).assign(room=range(9))
    own = table(pa.Table.from_pandas(frame), tmp_path).where(ibis._.room > 2)
    own = own.join(pd.DataFrame({"ward": ["A"], "floor": [1]}), on="ward")
    kept = own.joined
    for holds in (*own.conditions, ~ibis._.room.isnan() & ~ibis._.floor.isinf().coalesce(False)):
        kept = kept.filter(rowwise.condition(kept, holds))
    assert [3, 4, 5, 6, 7, 8] == sorted(kept.room.to_pyarrow().to_pylist())
    with pytest.raises(ValueError, match="looks at other rows"):
        own.where(ibis._.room.isnan().sum() > 3)


@pytest.mark.parametrize("k", [WHOLE, DOUBLE], ids=str)
def test_text_of_a_computed_number_is_no_key_in_any_type(k):
    """Of whole numbers an engine may stop at it; of others it is refused because whole ones are."""
    rows = rows_of(pd.DataFrame({"k": k}))
    for text in ((ibis._.k + 1).cast("string"), ibis._.k.abs().cast("string").lower()):
        with pytest.raises(ValueError, match="a key of its own"):
            rowwise.value(rows, text)
    cases = ibis._.k.abs().cases((3, "a"), else_="b")
    assert ["b", "a", "b", "b"] == rows.select(
        x=rowwise.value(rows, cases)
    ).x.to_pyarrow().to_pylist()


def test_a_key_that_overflows_is_missing():
    """By itself, whatever else of a statement would keep an engine from stopping there."""
    rows = rows_of(pa.table({"huge": [2**62, 3, -2]}))
    made = rows.select(key=rowwise.value(rows, ibis._.huge * ibis._.huge + 1))

    assert [None, 10, 5] == made.to_pyarrow()["key"].to_pylist()
