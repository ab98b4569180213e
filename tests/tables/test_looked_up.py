"""A key of many values: its places are those that an engine finds one after the other."""

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.queries import Domain
from tacit.tables.keys import Key
from tacit.tables.looked_up import LookedUp
from tacit.tables.placed import FEW

MANY = 3 * FEW
VALUES = {"code": (*range(0, 2 * MANY, 2), None), "kind": tuple(f"é{i}" for i in range(MANY))}


def records(people: int = 500) -> pd.DataFrame:
    """Values that are declared, missing ones, and others."""
    rng = np.random.default_rng(0)
    code = pd.array(rng.integers(-3, 2 * MANY + 3, people), dtype="Int64")
    code[::7] = pd.NA
    kind = [f"é{i}" if i % 5 else None for i in rng.integers(0, MANY + 9, people)]
    return pd.DataFrame({"who": range(people), "code": code, "kind": kind, "place of kind": 1})


def stored(frame: pd.DataFrame, tmp_path, engine: str = "duckdb") -> tacit.Table:
    """The same, in an engine."""
    connection = getattr(ibis, engine).connect()
    rows = connection.create_table("people", ibis.memtable(frame).to_pyarrow())
    return tacit.Table(rows, person="who", name="people", ledger=tmp_path / "people.db")


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "polars"])
@pytest.mark.parametrize("column", VALUES)
def test_places_are_those_of_the_key(engine, column, tmp_path):
    """Of every row; a place column gets a name that the table has not."""
    key, table = Key.of(column, VALUES[column]), stored(records(), tmp_path, engine)
    beside, found = LookedUp.beside(table, key)
    rows = beside.joined.select("who", place=found.place(beside.joined)).order_by("who")
    alone = table.joined.select("who", place=key.place(table.joined)).order_by("who")

    assert alone.to_pyarrow()["place"].to_pylist() == rows.to_pyarrow()["place"].to_pylist()
    assert found.labels == key.labels and found.column not in table.joined.columns


def test_cells_of_many_values_are_those_of_records_in_memory(tmp_path):
    """Both columns at once, undeclared and missing values among them; nobody is there twice."""
    frame, known = records(), Domain.of(VALUES)
    found = stored(frame, tmp_path).cells_in(known)

    assert sorted(known.cells(frame).tolist()) == sorted(found.tolist())
    assert {-1, MANY} < set(found[:, 0].tolist())


def test_a_column_of_another_kind_is_refused_as_for_few_values(tmp_path):
    """By its type, and one that is not there by its name."""
    table = stored(records(5), tmp_path)
    with pytest.raises(ValueError, match="column 'kind' is of type string, and its declared"):
        table.cells_in(Domain.of({"kind": list(range(MANY)), "code": [0, 1]}))
    with pytest.raises(ValueError, match="there is no column 'size'"):
        table.cells_in(Domain.of({"size": list(range(MANY)), "code": [0, 1]}))
