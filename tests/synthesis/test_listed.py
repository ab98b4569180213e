"""Combinations of all columns have numbers."""

import numpy as np
import pandas as pd
import pytest

from tacit.queries import Binned, Domain
from tacit.synthesis.listed import cells_of_ways, drawn, numbers_of

DOMAIN = Domain.of({"a": ["x", "y"], "age": Binned((0, 10, 20, 30)), "c": [True, False]})


def test_a_record_has_the_number_of_its_values():
    """The last column's changes first; a value that is not declared has none."""
    table = pd.DataFrame(
        {
            "a": ["x", "y", "y", "z", "x"],
            "age": [5.0, 29.0, 30.0, 5.0, 99.0],
            "c": [True, False, True, True, True],
        }
    )
    assert numbers_of(DOMAIN, table).tolist() == [0, 11, 10, -1, -1]


def test_tables_are_all_of_so_many_columns():
    """Of one, two or three."""
    assert [cells_of_ways(DOMAIN, ways).queries for ways in (1, 2, 3)] == [7, 16, 12]
    for wrong in (0, 4, 1.5, "two"):
        with pytest.raises(ValueError, match="ways must be a whole number from 1 to the 3"):
            cells_of_ways(DOMAIN, wrong)


def test_tables_too_many_to_be_listed_are_refused_before_they_are():
    """40 columns have 137,846,528,820 tables of 20."""
    wide = Domain.of({f"q{i}": [0, 1] for i in range(40)})
    with pytest.raises(ValueError, match="40 columns have 137,846,528,820 tables of 20 of them"):
        cells_of_ways(wide, 20)


def test_rows_are_drawn_by_quota():
    """Each combination has its share, within one row."""
    shares = np.random.default_rng(0).dirichlet(np.ones(12)).reshape(2, 3, 2)
    rows = drawn(shares, 1_000, np.random.default_rng(1))
    counted = np.zeros(shares.shape)
    np.add.at(counted, tuple(rows.T), 1)

    assert np.abs(counted - 1_000 * shares).max() < 1 + 1e-9
