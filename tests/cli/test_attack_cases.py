"""Attacks on people of a file: who of them is attacked, and who is too few."""

import json

import numpy as np
import pandas as pd
import pytest

from tacit.cli.attack_cases import CASES
from tacit.cli.given_people import Given
from tacit.queries.domain import Domain
from tacit.trust.nonprivate import NonPrivate

SICK_AND_AGE = Domain.of({"sick": [0, 1], "age": [0, 1]})


@pytest.fixture
def given() -> Given:
    """39 people, of whom twenty are sick."""
    sick = np.arange(1, 40) % 2
    return Given(SICK_AND_AGE, np.stack([sick, np.arange(39) // 20], axis=1), "sick")


def test_as_many_are_attacked_as_there_is_a_matrix_for(given):
    """32 of 39, all of whose bits are found where nothing is promised."""
    found = CASES["secret-bits"].of(given, 0)(NonPrivate(), 0)

    assert found.found.people == 32 == found.found.breaches


def test_half_of_a_file_is_counted(given):
    """And all of it named, of two columns."""
    found = CASES["table-rows"].of(given, 0)(NonPrivate(), 0)

    assert found.found.people == 19 == found.found.breaches


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
