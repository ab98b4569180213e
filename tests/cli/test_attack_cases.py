"""People of a file, as attacks take them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tacit.cli.attack_cases import CASES, Given
from tacit.trust.nonprivate import NonPrivate


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


def test_as_many_are_attacked_as_there_is_a_matrix_for(given):
    """32 of 39, all of whose bits are found where nothing is promised."""
    found = CASES["secret-bits"].of(given, 0)(NonPrivate(), 0)

    assert found.found.people == 32 == found.found.breaches


def test_a_label_is_learnt_from_all_other_columns(given):
    """None of which is the label's own."""
    assert given.besides().shape == (39, 2)
    assert np.array_equal(given.besides(), given.attributes()[:, 2:])


def test_half_of_a_file_is_counted(given):
    """And all of it named, of two columns."""
    found = CASES["table-rows"].of(given, 0)(NonPrivate(), 0)

    assert found.found.people == 19 == found.found.breaches


def test_a_secret_that_is_not_declared_is_refused(tmp_path):
    """By what is."""
    Path(tmp_path / "people.csv").write_text("sick\n1\n")
    (tmp_path / "domain.json").write_text('{"sick": [0, 1]}')
    with pytest.raises(ValueError, match="--secret must be one of sick, got age"):
        Given.read(tmp_path / "people.csv", tmp_path / "domain.json", "age")


@pytest.mark.parametrize(
    ("declared", "secret", "said"),
    [
        ({"sick": [0, 1], "age": [1, 2]}, None, "--secret must be a declared column of two values"),
        ({"sick": [0, 1]}, "sick", "--domain must declare a column besides the secret one"),
        ({"sick": [2, 3]}, "sick", "all of whose values --domain declares, got none of 40"),
    ],
)
@pytest.mark.parametrize("name", ["shadow-models", "named-rows"])
def test_who_is_learnt_about_has_a_secret_and_more(name, declared, secret, said, tmp_path):
    """In a sentence that names the option."""
    pd.DataFrame({"sick": [0, 1] * 20, "age": [1, 2] * 20}).to_csv(tmp_path / "people.csv")
    (tmp_path / "domain.json").write_text(json.dumps(declared))
    with pytest.raises(ValueError, match=said):
        read = Given.read(tmp_path / "people.csv", tmp_path / "domain.json", secret)
        CASES[name].of(read, 0)


@pytest.mark.parametrize(
    ("name", "least"), [("secret-bits", 4), ("subset-sums", 4), ("tracing", 6), ("table-rows", 2)]
)
def test_too_few_people_are_refused(given, name, least):
    """By how many there must be."""
    few = Given(given.domain, given.cells[: least - 1], "sick")
    with pytest.raises(ValueError, match=f"at least {least} people, got {least - 1}"):
        CASES[name].of(few, 0)
