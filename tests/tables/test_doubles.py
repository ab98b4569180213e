"""Whole numbers of a DataFrame: all are the same, whether or not one person's is missing."""

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tacit import tables
from tacit.tables.doubles import in_double
from tacit.tables.engine import rows_of, sums_of

FAR = 2**60
HELD = [0, 1, 1, 2, 2, 2, 10, FAR, FAR, -FAR]


def neighbours(made=lambda held: held) -> list[pd.DataFrame]:
    """Ten people with numbers, and these with an eleventh without one, or with a fraction."""
    each = [made(HELD), made([*HELD, None]), made([*HELD, 0.5])]
    return [pd.DataFrame({"person": range(len(k)), "house": 7, "k": pd.Series(k)}) for k in each]


def _cells(by, **caps) -> list[list[int]]:
    ask = by.ask(n=tables.count(), rows_per_person=1)
    return sums_of(ask.statement, by.table.joined, ask._cells)[0][0].tolist()


@pytest.mark.parametrize(
    "asked",
    [
        lambda own: own.by(k=[0, 1, 2, FAR, -FAR]),
        lambda own: own.by(k=(ibis._.k.cast("int64"), [0, 1, 2, FAR])),
        lambda own: own.by(s=(ibis._.k.cast("string"), ["0", "1", "2", "10", "1.0", str(FAR)])),
        lambda own: own.by(long=(ibis._.k.cast("string").length() > 1, [True, False])),
        lambda own: own.by(zero=(ibis._.k.cast("string").endswith("0"), [True, False])),
        lambda own: own.where(ibis._.k.try_cast("string") == "1").by(house=[7]),
        lambda own: own.where(~ibis._.k.isnan() & ~ibis._.k.isinf()).by(k=[1]),
        lambda own: own.join(pd.DataFrame({"k": [1, FAR, -FAR], "floor": [1, 2, 3]}), on="k").by(
            floor=[1, 2, 3]
        ),
    ],
)
@pytest.mark.parametrize("made", [list, lambda held: np.array(held, object)], ids=["", "objects"])
def test_one_more_person_moves_nobody_elses_row(tmp_path, asked, made):
    """One without a number, for which pandas has everybody's in double precision; the one more is
    in one group at most."""
    first, *others = (_cells(asked(table_of(x, tmp_path))) for x in neighbours(made))
    assert sum(map(sum, first))
    for other in others:
        moved = np.abs(np.subtract(first, other))
        assert moved.sum() <= 1


def table_of(frame: pd.DataFrame, folder) -> tacit.Table:
    return tacit.Table(frame, "person", "patients", folder / "people.db")


def test_who_is_told_by_a_large_number_is_nobody_with_and_without_another(tmp_path):
    """Alone or beside another column."""
    for person in ("k", ("k", "house")):
        own = [
            tacit.Table(x, person, "patients", tmp_path / "people.db", unit="one")
            for x in neighbours()
        ]
        found = [_cells(x.by(house=[7])) for x in own]
        assert [[[4]]] * 3 == found


@pytest.mark.parametrize(
    "kind", [np.int64, np.int8, np.uint8, "category"], ids=["i", "b", "u", "c"]
)
def test_a_column_is_of_one_type_with_and_without_what_is_missing(kind):
    """Whichever type whole numbers are of in pandas."""
    whole = pd.DataFrame({"k": pd.Series([1, 2, 3]).astype(kind)})
    lacking = pd.DataFrame(
        {"k": pd.Series([1, 2, 3, None]).astype(kind if kind == "category" else float)}
    )
    each = [rows_of(in_double(frame)).schema()["k"] for frame in (whole, lacking)]

    assert each[0] == each[1] and each[0].is_float64()


def test_other_columns_and_other_frames_stay_as_they_are():
    """Types that hold missing ones, truth values and text; and what was given is not written to."""
    frame = pd.DataFrame({"own": pd.array([FAR, None], "Int64"), "truth": [True, False]})
    frame["text"] = ["a", None]
    arrow = pa.table({"k": [FAR]})

    assert in_double(frame) is frame and in_double(arrow) is arrow
    whole = frame.assign(k=[1, 2])
    assert "f" == in_double(whole)["k"].dtype.kind and "i" == whole["k"].dtype.kind
    assert FAR == rows_of(in_double(frame)).to_pyarrow()["own"][0].as_py()


def test_large_numbers_are_persons_where_the_type_holds_missing_ones(tmp_path):
    """As everywhere else where a type is stated, and not found in values."""
    frame = neighbours()[0].astype({"k": "Int64"})
    own = tacit.Table(frame, "k", "patients", tmp_path / "people.db")
    assert [[6]] == _cells(own.by(house=[7]))
    assert [[2], [1]] == _cells(table_of(frame, tmp_path).by(k=[FAR, -FAR]))
