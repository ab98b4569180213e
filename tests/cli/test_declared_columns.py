"""Columns of a file are what is declared, whatever their values look like to a reader of files."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tacit.cli.declared_columns import declared_columns, told_apart
from tacit.queries import Binned, Domain

DOMAIN = Domain.of(
    {"sex": ["F", "M"], "zip": ["01", "1"], "year": [2020, 2021, None], "ill": [True, False]}
    | {"age": Binned((0, 50, 100))}
)
ALIKE = "sex,zip,year,ill,age\nF,01,2020,T,5\nF,1,2021,F,70\n"
MIXED = ALIKE + "T,x,none,maybe,old\nM,,,true,50\n"


def cells(text: str, ending: str = ".csv") -> list[list[int]]:
    path = Path(f"people{ending}")
    path.write_text(text.replace(",", "\t") if ending == ".tsv" else text)
    return DOMAIN.cells(declared_columns(path, DOMAIN)).tolist()


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_a_column_that_looks_like_another_kind_is_read_as_declared(ending):
    """Of "F" alone no truth values are made, and of postcodes no numbers."""
    assert [[0, 0, 0, 0, 0], [0, 1, 1, 1, 1]] == cells(ALIKE, ending)


def test_one_persons_quotes_change_nothing_of_anothers(tmp_path, monkeypatch):
    """What stands in single quotes stays so, whoever writes double ones."""
    monkeypatch.chdir(tmp_path)
    text = ALIKE.splitlines()[0] + "\n" + "'F',01,2020,T,5\n" * 9

    assert cells(text) == cells(text + '"M",1,2020,T,5\n')[:9]


def test_others_values_do_not_change_what_somebodys_are():
    """Nor stop anything: what is in no cell tells nobody that it was there."""
    assert [*cells(ALIKE), [-1, -1, -1, -1, -1], [1, -1, 2, 0, 1]] == cells(MIXED)


@pytest.mark.parametrize("ending", [".json", ".ndjson"])
def test_what_json_looks_like_is_not_guessed(ending):
    """Days written out are text as they were declared, whatever others' are; so are numbers and
    truth values what they are in a CSV file, and odd names are names."""
    days, odd = ["2024-01-01", "2024-01-02", "never"], 'o\'x "y"'
    rows = [
        {"day": "2024-01-01", "year": 2020, "ill": True, "age": 34.5, odd: "01"},
        {"day": "2024-01-02", "year": None, "ill": False, "age": "70", odd: "1"},
    ]
    known = Domain.of(
        {"day": days, "year": [2020, None], "ill": [True, False], odd: ["01", "1"]}
        | {"age": Binned((0, 50, 100))}
    )
    path = Path(f"people{ending}")
    lines = "\n".join(map(json.dumps, rows))
    path.write_text(json.dumps(rows) if ending == ".json" else lines)
    expected = [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]

    assert expected == known.cells(declared_columns(path, known)).tolist()


def test_a_file_with_types_keeps_them():
    """A Parquet file's truth values are no text, and it is refused for its type."""
    pd.DataFrame({"sex": [False], "zip": ["1"]}).to_parquet("people.parquet")
    few = Domain.of({"sex": ["F", "M"], "zip": ["01", "1"]})
    with pytest.raises(ValueError, match="column 'sex' is of type bool"):
        few.cells(declared_columns(Path("people.parquet"), few))


def test_a_column_that_is_not_there_is_named():
    """With the file."""
    Path("people.csv").write_text("sex\nF\n")
    with pytest.raises(ValueError, match=r"people.csv has no column 'zip', which is declared"):
        declared_columns(Path("people.csv"), DOMAIN)


@pytest.mark.parametrize(
    "declared, told",
    [
        ([0, 20, 40, 60, 80, 100], True),
        ([0, 20, 40, None], True),
        ([1, 2, 3], False),
        ([0, 2, 3], False),
        ([0, 20], False),
        ([40, 20, 0], False),
        (["0", "20", "40"], False),
        ([True, False, None], False),
        (Binned((0, 20, 40)), False),
    ],
)
def test_numbers_that_others_lie_between_are_told_of(declared, told):
    """By the declaration alone, with how bins are written; of all others nothing."""
    said = told_apart(Domain({"sex": ["F", "M"], "age": declared}))

    assert int(told) == len(said)
    assert all(
        "column 'age'" in each and 'for bins between them write {"ends"' in each for each in said
    )
