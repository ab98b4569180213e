"""Numbers of a row, in double precision."""

import ibis
import numpy as np
import pandas as pd
import pytest

from tacit.tables import rowwise
from tacit.tables.engine import rows_of


@pytest.mark.parametrize("written", [0.1, 0.12345678901234567, 1e-300, 2.5e77])
def test_numbers_that_are_written_out_are_read_to_the_last_digit(written):
    """As Python has them, and not as decimals that are brought to one scale and rounded."""
    rows = rows_of(pd.DataFrame({"zero": np.zeros(1, np.float32)}))
    chosen = ibis.ifelse(ibis._.zero > 1, 1.0 / 3, written)
    for said in (ibis._.zero + written, chosen):
        found = rows.select(x=rowwise.number(rows, said)).to_pyarrow()["x"].to_pylist()
        assert [written] == found


K = [0, 1, 2, 10, -3, -0.0]


def _alike(read):
    """What is read of whole numbers, which is the same of these in double precision."""
    frames = [pd.DataFrame({"k": pd.Series(K, dtype=kind)}) for kind in ("int64", "float64")]
    whole, double = (rows.select(x=read(rows)).to_pyarrow()["x"] for rows in map(rows_of, frames))
    assert whole.to_pylist() == double.to_pylist()
    return whole.to_pylist()


@pytest.mark.parametrize("to", ["cast", "try_cast"])
def test_the_text_of_a_whole_number_is_the_same_in_double_precision(to):
    """In conditions, in keys and what they are chosen by, and beneath other functions."""
    text = getattr(ibis._.k, to)("string")
    kind = ibis.cases((text == "1", "one"), (text.endswith("0"), text), else_=text.substr(0, 1))
    dates = ("2024010" + text).try_cast("date")
    none = ibis._.k.nullif(1).cast("string").coalesce("none")

    assert ["0", "1", "2", "10", "-3", "0"] == _alike(lambda rows: rowwise.value(rows, text))
    assert ["0", "one", "2", "10", "-", "0"] == _alike(lambda rows: rowwise.value(rows, kind))
    assert "none" == _alike(lambda rows: rowwise.value(rows, none))[1]
    assert [1, 1, 1, 2, 2, 1] == _alike(lambda rows: rowwise.number(rows, text.length()))
    assert 1 == sum(_alike(lambda rows: rowwise.condition(rows, text == "1")))
    assert 1 == sum(
        _alike(lambda rows: rowwise.condition(rows, text.cases(("1", True), else_=False)))
    )
    _alike(lambda rows: rowwise.value(rows, dates))


def test_the_text_of_a_computed_number_is_the_same_in_double_precision():
    """In conditions, in which each is computed so."""
    computed = (ibis._.k * 2 + 1).cast("string")
    chosen = ibis.cases((computed == "3", "x"), else_="y")
    assert 1 == sum(_alike(lambda rows: rowwise.condition(rows, computed == "3")))
    assert 1 == _alike(lambda rows: rowwise.value(rows, chosen)).count("x")


def test_the_text_of_what_is_no_whole_number_is_its_own():
    """A fraction's, and of what is beyond whole numbers that double precision tells apart."""
    rows = rows_of(pd.DataFrame({"k": [2.5, 2.0**53, -(2.0**60), np.inf, None]}))
    text = rowwise.value(rows, ibis._.k.cast("string"))
    found = rows.select(x=text).to_pyarrow()["x"].to_pylist()

    assert ["2.5", str(2**53), None] == [*found[:2], found[4]]
    assert "inf" == found[3] and "e+18" in found[2]


def test_the_text_of_a_whole_number_is_the_same_in_a_server(postgresql):
    """As here, of either type."""
    name = "text_of_whole_numbers"
    made = ibis.memtable({"i": K[:5], "f": [float(x) for x in K[:5]]})
    rows = postgresql.create_table(name, made.cast({"i": "int64"}), overwrite=True)
    try:
        texts = {x: rowwise.value(rows, ibis._[x].cast("string")) for x in ("i", "f")}
        found = rows.select(**texts).to_pyarrow()
    finally:
        postgresql.drop_table(name)
    assert ["-3", "0", "1", "10", "2"] == sorted(found["i"].to_pylist())
    assert found["i"].to_pylist() == found["f"].to_pylist()
