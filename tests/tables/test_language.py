"""What engines are asked in: numbers to the last digit, truth in three values, hashes."""

import math
import struct
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.operations as ops
import pytest

from tacit.tables.language import (
    as_number,
    duckdb,
    exactly,
    hashed,
    is_said,
    refusals,
    values_of,
)

NUMBERS = (
    0.1,
    1 / 3,
    -0.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    2.0**53 + 2,
    -123456.789e-20,
)


def answered(*asked: Any) -> list[Any]:
    """What DuckDB says."""
    named = {f"a{place}": each for place, each in enumerate(asked)}
    (row,) = duckdb().to_pyarrow(ibis.memtable({"one": [1]}).select(**named)).to_pylist()
    return list(row.values())


def test_numbers_reach_an_engine_to_the_last_bit() -> None:
    """Of every size, zero's sign too: as doubles, and not as an engine's decimals."""
    found = answered(*map(exactly, NUMBERS))
    assert [struct.pack("d", each) for each in found] == [struct.pack("d", n) for n in NUMBERS]
    assert all(exactly(number).type().is_float64() for number in NUMBERS)


def test_numbers_are_divided_as_doubles() -> None:
    """A decimal's third would end early."""
    assert answered(exactly(0.1) / exactly(3.0), exactly(0.1) + exactly(0.2)) == [
        0.1 / 3,
        0.1 + 0.2,
    ]


def test_truth_is_one_none_or_not_known() -> None:
    """What is not known is missing, and not taken for false."""
    rows = ibis.memtable({"own": [True, False, None]}, schema={"own": "boolean"})
    found = duckdb().to_pyarrow(rows.select(number=as_number(rows.own)))
    assert found["number"].to_pylist() == [1, 0, None]


def test_values_are_hashed_to_whole_numbers_of_their_own() -> None:
    """Equal ones alike, others not, whatever they are; a UUID as its text."""
    connection = duckdb()
    texts = [f"{n:08x}-0000-0000-0000-{n * n:012x}" for n in range(50)]
    rows = connection.create_table("own", ibis.memtable({"text": texts, "number": range(50)}))
    made = rows.select(
        text=hashed(rows.text), uuid=hashed(rows.text.cast("uuid")), number=hashed(rows.number)
    )
    found = connection.to_pyarrow(made)
    assert found["uuid"].to_pylist() == found["text"].to_pylist()
    for name in ("text", "number"):
        assert len(set(found[name].to_pylist())) == 50
        assert all(-(2**63) <= each < 2**64 for each in found[name].to_pylist())
    assert connection.to_pyarrow(made).equals(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("days", True),
        (ibis._.days / 7, True),
        (ibis._["days"], True),
        ("", False),
        (3, False),
        (None, False),
        (["days"], False),
        (True, False),
    ],
    ids=str,
)
def test_a_column_is_its_name_or_an_expression(given: Any, said: bool) -> None:
    """No number, no list, and no empty name."""
    assert is_said(given) is said


def test_values_of_an_operation_come_one_after_the_other() -> None:
    """Those in tuples too, in their order, and nothing that is no value: no table, no name."""
    rows = ibis.table({"a": "int64", "b": "int64", "c": "int64"}, name="rows")
    several = ibis.coalesce(rows.a, rows.b, rows.c).op()
    assert [each.name for each in values_of(several)] == ["a", "b", "c"]
    cased = ibis.cases((rows.a > 1, rows.b), else_=rows.c).op()
    assert [type(each).__name__ for each in values_of(cased)] == ["Greater", "Field", "Field"]
    assert values_of(rows.a.op()) == []


def test_what_an_engine_has_no_words_for_is_a_refusal() -> None:
    """Told from all that depends on rows, which is not."""

    class Odd(ops.Unary):
        dtype = dt.int64
        shape = ops.Unary.shape

    connection, rows = duckdb(), ibis.memtable({"a": [1]})
    with pytest.raises(refusals()):
        connection.compile(rows.select(odd=Odd(rows.a).to_expr()))
    with pytest.raises(Exception, match="Conversion") as stopped:
        connection.to_pyarrow(ibis.memtable({"a": ["x"]}).select(b=ibis._.a.cast("int64")))
    assert not isinstance(stopped.value, refusals())


def test_a_number_that_is_none_stays_none() -> None:
    """An infinity reaches the engine as itself, and does not stop it."""
    assert answered(exactly(math.inf), exactly(-math.inf)) == [math.inf, -math.inf]
