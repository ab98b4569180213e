"""People of a file, as attacks take them: rows of attributes, and a secret bit."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tacit.cli.given_people import Given


@pytest.fixture
def given(tmp_path) -> Given:
    """Forty people, the first of whom has an age that is not declared."""
    people = {"sick": [0, 1] * 20, "age": [200, *range(1, 40)]}
    pd.DataFrame(people).to_csv(tmp_path / "people.csv", index=False)
    declared = {"sick": [0, 1], "age": {"ends": [0, 18, 120]}}
    (tmp_path / "domain.json").write_text(json.dumps(declared))
    return Given.read(tmp_path / "people.csv", tmp_path / "domain.json", "sick")


def test_every_value_of_a_column_is_an_attribute(given):
    """One of each column's is yes; who has a value that was not declared is left out."""
    rows = given.attributes()

    assert rows.shape == (39, 4) and np.all(rows.sum(axis=1) == 2) and given.left_out == 1
    assert list(rows[0]) == [0, 1, 1, 0] and list(rows[-1]) == [0, 1, 0, 1]


def test_a_secret_of_two_values_is_a_bit(given):
    """The second value is yes."""
    assert given.bits().sum() == 20


def test_a_label_is_learnt_from_all_other_columns(given):
    """None of which is the label's own."""
    assert given.besides().shape == (39, 2)
    assert np.array_equal(given.besides(), given.attributes()[:, 2:])


def test_a_secret_that_is_not_declared_is_refused(tmp_path):
    """By what is."""
    Path(tmp_path / "people.csv").write_text("sick\n1\n")
    (tmp_path / "domain.json").write_text('{"sick": [0, 1]}')
    with pytest.raises(ValueError, match="--secret must be one of sick, got age"):
        Given.read(tmp_path / "people.csv", tmp_path / "domain.json", "age")
