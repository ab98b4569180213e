"""Numbers lie in their bins, and where no value has a cell of its own, in that."""

import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.queries import Binned, Domain
from tacit.queries.domain_file import read_domain

ENDS = (0, 18, 65, 120)
MISSING = Binned(ENDS, whole=True, missing=True)


@pytest.mark.parametrize(
    "column",
    [
        [17, None, 120, np.nan, 121, pd.NaT, pd.NA],
        pd.Series([17, None, 120, np.nan, 121, None, None]),
        pd.Series([17, None, 120, None, 121, None, None], dtype="Int64"),
        pl.Series([17.0, None, 120.0, float("nan"), 121.0, None, None]),
        np.array([17, np.nan, 120, np.nan, 121, np.nan, np.nan]),
    ],
    ids=["listed", "floats", "nullable", "Polars", "NumPy"],
)
def test_no_value_has_a_cell_of_its_own(column):
    """The last, labelled None, where it is declared; numbers out of range have none in any case."""
    assert ("0 to 18", "18 to 65", "65 to 120", None) == MISSING.labels
    assert [0, 3, 2, 3, -1, 3, 3] == MISSING.cells(column).tolist()
    assert [0, -1, 2, -1, -1, -1, -1] == Binned(ENDS).cells(column).tolist()


def test_text_and_infinities_are_not_missing():
    """They are in no cell, as is whatever is no number; a file's text is read alike."""
    odd = ["x", "nan", np.inf, -np.inf, [1], 2 + 3j, "17"]

    assert [-1] * 6 + [0] == MISSING.cells(odd).tolist()
    assert [-1, 3, 3, 0, -1] == MISSING.cells(MISSING.read(["x", None, "nan", "1", "1e9"])).tolist()


def test_what_is_made_up_for_it_is_none():
    """Beside numbers of the other cells."""
    values = MISSING.values(np.array([3, 0, 3, 2]), np.random.default_rng(0))

    assert [None, None] == values[::2] and 0 <= values[1] < 18 and 65 <= values[3] < 120
    assert [0, 2] == MISSING.cells(values)[1::2].tolist() and isinstance(values[1], int)


def test_a_file_declares_it(tmp_path):
    """By "missing", which is true or not."""
    path = tmp_path / "domain.json"
    path.write_text(json.dumps({"age": {"ends": [0, 18, 65, 120], "whole": True, "missing": True}}))
    assert Domain.of({"age": MISSING}) == read_domain(path)
    path.write_text('{"age": {"ends": [0, 18], "missing": 1}}')
    with pytest.raises(ValueError, match='"missing": true}, got'):
        read_domain(path)


def test_no_complex_number_or_array_is_cut_to_a_number():
    """Nor does anybody's value warn."""
    odd = [np.complex128(5 + 1j), np.array([5.0]), np.array(5.0), pd.Series([5.0]), Decimal("sNaN")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [-1] * 5 == MISSING.cells(odd).tolist()
        assert [-1, -1] == MISSING.cells(np.array([5 + 1j, 5])).tolist()


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (((1.0,),), "the ends of bins must be 2 to 1,025 numbers, .*, got 1 of them"),
        ((5,), "the ends of bins must be 2 to 1,025 numbers, .*, got 0 of them"),
        ((range(1026), False, True), "must be 2 to 1,024 numbers, .*, got 1,026 of them"),
        (((2.0, 1.0),), "the ends of bins must rise, got 1.0 after 2.0"),
        (((18, 0),), "the ends of bins must rise, got 0 after 18"),
        (((0, 1, 1),), "the ends of bins must rise, got 1 after 1"),
        (((0.0, np.inf),), "the ends of bins must be finite numbers, got inf"),
        (((0, None),), "the ends of bins must be finite numbers, got None"),
        (((0.0, "1"),), "the ends of bins must be finite numbers, got '1'"),
        (((0.5, 0.9, 2), True), "a bin of whole numbers has none in it, from 0.5 to 0.9"),
        (((0, 1e300), True), r"of whole numbers must be from -2\^53 to 2\^53, got 0 to 1e\+300"),
        ((ENDS, 1), "whole must be True or False, got 1"),
        ((ENDS, True, "yes"), "missing must be True or False, got 'yes'"),
    ],
    ids=str,
)
def test_what_is_no_bins_is_refused(terms, message):
    """When they are made."""
    with pytest.raises(ValueError, match=message):
        Binned(*terms)
