"""What a type of floats has between bounds is told by both, and never by anybody's number."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from tacit.statistics import cdf, covariance, mean, quantiles
from tacit.statistics.float_types import as_doubles, refuse_no_number, refuse_no_numbers

FAR = (1e9, 1e9 + 1)


@pytest.mark.parametrize(
    "values, bounds",
    [
        (np.zeros(3, np.float32), FAR),
        (np.zeros(3, np.float32), (1e9, 1e9 + 64)),
        (np.zeros(0, np.float32), (-1e9 - 1, -1e9)),
        (np.zeros(3, np.float16), (0.0, 1e-9)),
        (pd.Series([0.0, None], dtype="Float32"), FAR),
        (pd.Series([0.0, None], dtype="float[pyarrow]"), FAR),
        (pd.Series(pd.arrays.SparseArray(np.zeros(3, np.float32))), FAR),
        (pl.Series([0.0, None], dtype=pl.Float32), FAR),
        (pa.array([0.0, None], pa.float32()), FAR),
        (pa.chunked_array([pa.array([], pa.float16())]), (0.0, 1e-9)),
    ],
)
def test_bounds_that_a_type_has_nothing_between_are_refused(values, bounds):
    """By names of types and bounds."""
    with pytest.raises(ValueError, match=r"numbers of the column's type .*loat\d\d has none"):
        refuse_no_number(values, *bounds)


def test_what_has_numbers_between_them_passes():
    """Doubles, whole numbers, lists; and bounds that are wide, or near to zero."""
    plain = np.zeros(3), np.zeros(3, int), [0.0], pd.Series([1, None], dtype="Int64")
    for values in (*plain, pl.Series([0.0, None]), pl.Series([None]), pa.array([1, None])):
        refuse_no_number(values, *FAR)
    for bounds in ((1e9, 1e9 + 200), (0.0, 1e-30), (1e39, 1e40), (-1e40, 1e40)):
        assert bounds[0] == 1e39 or refuse_no_number(np.zeros(3, np.float32), *bounds) is None
    refuse_no_number(np.zeros(3), 1e16, 1e16 + 2)


def test_every_column_of_a_table_has_its_own_type_and_bounds():
    """The second is too short, wherever it stands."""
    ends = np.array([0.0, 1e9]), np.array([1.0, 1e9 + 1])
    mixed = pd.DataFrame({"a": np.zeros(2, np.float32), "b": np.zeros(2)})
    refuse_no_numbers(mixed, *ends)
    short = mixed.astype(np.float32)
    told = short, np.zeros((2, 2), np.float32), pl.from_pandas(short), pa.table(dict(short))
    for rows in told:
        with pytest.raises(ValueError, match="float32 has none"):
            refuse_no_numbers(rows, *ends)


@pytest.mark.parametrize("ask", [mean, quantiles, cdf, covariance])
def test_statistics_refuse_before_they_charge(ask, tmp_path):
    """Of numbers that were read from elsewhere they would tell the bounds."""
    values, book = np.full((5, 1), 1e9, np.float32), tmp_path / "l.db"
    given = values if ask is covariance else values[:, 0]
    more = {"at": (1e9 + 0.5,)} if ask is cdf else {}
    with pytest.raises(ValueError, match="give it as float64"):
        ask(given, bounds=FAR, trust=tacit.NonPrivate(), ledger=book, name="p", **more)

    assert not book.exists()
    found = ask(
        given.astype(float), bounds=FAR, trust=tacit.NonPrivate(), ledger=book, name="p", **more
    )
    assert found.plan


def test_nobody_is_warned_of_a_number_beyond_doubles(tmp_path):
    """It is infinite, and counts as the bound."""
    long = np.array([0, 1, np.longdouble("1e400")])
    terms = {"bounds": (0, 4), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}

    assert as_doubles(long).tolist() == [0, 1, np.inf]
    assert mean(long, **terms).estimate == pytest.approx(5 / 3, abs=1e-5)
    assert covariance(long[:, None], **terms).mean == pytest.approx(5 / 3, abs=1e-3)
