"""The places of one row of each person: those of rows in memory, whatever else is stored."""

import ibis
import numpy as np
import polars as pl
import pytest

from tables.records import single, table, visits
from tacit.queries import Binned, Domain

DOMAIN = {"sex": ["f", "m"], "ward": ["A", "B", None], "days": Binned((0, 2, 10, 30))}


def _sorted(cells: np.ndarray) -> list:
    return sorted(map(tuple, cells.tolist()))


def test_a_row_a_person_has_the_cells_it_has_in_memory(tmp_path):
    """Undeclared, missing and infinite values, ends of bins, and `None` where it is declared."""
    frame, known = single(300), Domain.of(DOMAIN)
    found = table(frame, tmp_path).cells_in(known)

    assert _sorted(known.cells(frame)) == _sorted(found)
    assert {-1, 0, 1, 2} == set(found.ravel().tolist())
    assert np.int32 == found.dtype


@pytest.mark.parametrize(
    "frame", [single(300), pl.from_pandas(single(300))], ids=["pandas", "Polars"]
)
def test_rows_without_a_number_are_in_the_cell_that_is_declared_for_them(frame, tmp_path):
    """The last, whatever the engine calls missing; infinite ones and those out of range in none."""
    known = Domain.of({"days": Binned((0, 2, 10, 30), missing=True)})
    found = table(frame, tmp_path).cells_in(known)[:, 0].tolist()

    assert sorted(known.cells(frame)[:, 0].tolist()) == sorted(found)
    assert set(found) == {-1, 0, 1, 2, 3} and found.count(3) == single(300).days.isna().sum()


def test_one_row_of_each_person_counts(tmp_path):
    """Whoever has many, in whatever order they lie; rows of nobody, and those that a condition
    leaves out, do not."""
    frame = visits(400, 30, seed=3)
    known, here = Domain.of(DOMAIN), frame[frame.patient.notna()]
    lying = table(frame, tmp_path), table(frame.sample(frac=1, random_state=1), tmp_path)
    first, second = (each.cells_in(known) for each in lying)
    kept = lying[0].where(ibis._.sex == "f").cells_in(known)

    assert here.patient.nunique() == len(first)
    assert first.tolist() == second.tolist()
    assert frame[frame.sex == "f"].patient.nunique() == len(kept)
    assert (kept[:, 0] == 0).all()


def test_whoever_leaves_takes_one_record_along(tmp_path):
    """So neighbouring tables are neighbouring records."""
    frame, known = visits(60, 8, seed=5), Domain.of(DOMAIN)
    all_cells = _sorted(table(frame, tmp_path).cells_in(known))
    for who in frame.patient.dropna().unique():
        rest = _sorted(table(frame[frame.patient != who], tmp_path).cells_in(known))
        missing = [each for each in set(all_cells) if all_cells.count(each) > rest.count(each)]
        assert (1, len(all_cells) - 1) == (len(missing), len(rest))


def test_rows_of_households_are_no_persons_records(tmp_path):
    """Promises of these answers are to persons."""
    homes = table(single(5), tmp_path, unit="household")
    with pytest.raises(ValueError, match="a row of this table is a household's"):
        homes.cells_in(Domain.of(DOMAIN))


def test_columns_are_as_they_are_declared(tmp_path):
    """By the type of the column, whatever is in it."""
    stored = table(single(5), tmp_path)
    with pytest.raises(ValueError, match="column 'sex' is of type string"):
        stored.cells_in(Domain.of({"sex": [0, 1], "ward": ["A", "B"]}))
    with pytest.raises(ValueError, match="at least three rising edges"):
        stored.cells_in(Domain.of({"days": Binned((0, 30)), "ward": ["A", "B"]}))
    with pytest.raises(ValueError, match="age"):
        stored.cells_in(Domain.of({"age": ["a", "b"]}))
