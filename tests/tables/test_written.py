"""What is asked, written out whole."""

import functools
import os
import subprocess
import sys
from datetime import date
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.ledger import LedgerError
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.written import digest_of, written

ROW = ibis._
LONG = np.arange(2_000)
OTHER = np.where(LONG == 1_000, 0, LONG)
PAIRS = {
    "a literal": (ROW.days == ibis.literal(1), ROW.days == ibis.literal(2)),
    "a literal's type": (ROW.days > ibis.literal(1, "int8"), ROW.days > ibis.literal(1, "int16")),
    "a long array": (ROW.days.isin(LONG), ROW.days.isin(OTHER)),
    "a long column": (ROW.days.isin(pd.Series(LONG)), ROW.days.isin(pd.Series(OTHER))),
    "a column": (ROW.days, ROW.stay),
    "an operation": (ROW.days + 1, ROW.days - 1),
    "an order": (ROW.days - ROW.stay, ROW.stay - ROW.days),
    "a method": (ROW.day.month(), ROW.day.year()),
    "an argument": (ROW.days.clip(lower=1), ROW.days.clip(upper=1)),
    "a case": (ibis.cases((ROW.days > 1, "a")), ibis.cases((ROW.days > 1, "b"))),
    "a kind of number": (1, 1.0),
    "a truth value": (1, True),
    "where a list is parted": (["a,b", "c"], ["a", "b,c"]),
    "a list and a tuple": ([1], (1,)),
    "a name": ({"a": 1}, {"b": 1}),
    "a decimal": (Decimal("1.0"), Decimal("1.00")),
    "a day": (date(2024, 1, 1), date(2024, 1, 2)),
    "missing values": (None, "None"),
    "what a literal does": (
        ROW.days.pipe(ibis.literal(3.0).__le__),
        ROW.days.pipe(ibis.literal(4.0).__le__),
    ),
    "what a text does": (ROW.ward.pipe("A".startswith), ROW.ward.pipe("B".startswith)),
    "a column of Arrow's": (pa.array([1, 2]), pa.array([1, 3])),
    "a relation of neighbours": (tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE),
}


@pytest.mark.parametrize("one, other", PAIRS.values(), ids=PAIRS)
def test_what_differs_is_written_otherwise(one, other):
    """And the same is written alike."""
    assert written(one) == written(one) and digest_of([one]) != digest_of([other])


def test_sql_is_written_as_it_was_parsed():
    """Every value of it."""
    import sqlglot

    one, other = (SqlExpression(sqlglot.parse_one(f"days > {n}"), "v") for n in (1, 2))
    assert written(one) != written(other)


def test_sets_are_written_in_an_order_of_their_own():
    """Whatever order Python has them in."""
    assert written({"a", "b", "c"}) == written({"c", "b", "a"}) != written({"a", "b"})


ROWS = ibis.memtable({"a": [1, 2]})


class OwnText(str):
    """It says what it likes."""

    def __repr__(self) -> str:
        return "'A'"


class OwnClass:
    """It is called otherwise than it is."""


def own_function(row):
    """It may have another body tomorrow."""
    return row


wrapped = functools.wraps(ibis.ifelse)(lambda row: row)
UNKNOWN = [
    *(object(), lambda row: row, ROWS.filter(ROWS.a > 1).a, OwnText("B"), OwnClass, OwnClass()),
    *(own_function, wrapped, functools.partial(own_function, 1), iter([1])),
]


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_what_could_be_taken_for_another_is_refused(unknown):
    """No address and no name that others have stands for it."""
    with pytest.raises(ValueError, match="columns, values and expressions of these"):
        written([unknown])


def test_a_text_is_the_same_in_another_process():
    """Whatever its hashes are seeded with."""
    program = (
        "import ibis; from tacit.tables.written import digest_of; "
        "print(digest_of([ibis._.days.isin({'a', 'b', 'c'}), {'x', 'y'}]))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in "12"
    }
    assert 1 == len(said)


def test_a_column_of_a_table_is_written_by_its_name_and_kind():
    """Which table it is has a name that changes; which rows are asked is compared besides."""
    again = ibis.memtable({"a": [1, 2]})
    assert written(ROWS.a > 1) == written(again.a > 1) != written(again.a > 2)


def _people(folder) -> tacit.Table:
    """Four, numbered from 0, with room for many charges."""
    own = table(pd.DataFrame({"patient": [0, 1, 2, 3, 3]}), folder)
    own.budget(epsilon=10.0, delta=1e-3)
    return own


def _by_value(own, value):
    return own.ask(n=tables.count_if(ROW.patient == ibis.literal(value)), rows_per_person=1)


def _by_values(own, value):
    many = np.append(np.full(2_000, -1), np.append(value, np.full(2_000, -1)))
    return own.ask(n=tables.count_if(ROW.patient.isin(many)), rows_per_person=1)


def _by_key(own, value):
    key = (ROW.patient == ibis.literal(value), [True, False])
    return own.by(who=key).ask(n=tables.count(), rows_per_person=1)


def _by_condition(own, value):
    return own.where(ROW.patient > ibis.literal(value)).ask(n=tables.count(), rows_per_person=1)


def _by_public(own, value):
    public = pd.DataFrame({"patient": [value], "told": [True]})
    joined = own.join(public, on="patient")
    return joined.ask(n=tables.count_if(ROW.told), rows_per_person=1)


ASKING = [_by_value, _by_values, _by_key, _by_condition, _by_public]


@pytest.mark.parametrize("asking", ASKING, ids=lambda each: each.__name__)
def test_a_name_does_not_tell_whose_rows_give_other_sums(tmp_path, asking):
    """Another question under it is refused as that, of whomever it is, there or not."""
    own = _people(tmp_path)
    trust = tacit.Central(0.01, 1e-9)
    asking(own, 1_000).grant(trust, grant_id="once")
    for value in (-1, 0, 1, 2, 3, 1_001):
        with pytest.raises(LedgerError, match=r"other question; nothing more was charged"):
            asking(own, value).grant(trust, grant_id="once")
    asking(own, 1_000).grant(trust, grant_id="once")


def test_rows_of_a_public_table_may_come_in_another_order(tmp_path):
    """It is the same table."""
    public = pd.DataFrame({"patient": [1, 2], "told": [True, False]})
    own = _people(tmp_path)
    asks = [
        own.join(each, on="patient").ask(n=tables.count_if(ROW.told), rows_per_person=1)
        for each in (public, public[::-1])
    ]
    for ask in asks:
        ask.grant(tacit.Central(0.01, 1e-9), grant_id="once")
