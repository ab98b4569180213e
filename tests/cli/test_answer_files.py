"""Files of an answer: known to be writable before it is asked for."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.cli.answer_files import AnswerFiles

CAPS = {"groups_per_person": 1, "rows_per_group": 2}


@pytest.mark.parametrize(
    "own, groups, says",
    [
        ({"csv": "nowhere/a.csv"}, 1, "--csv must be a file in a folder"),
        ({"receipt": "."}, 1, "--receipt must be a file in a folder"),
        ({"csv": f"{'a' * 247}.csv"}, 1, "--csv must be a file in a folder"),
        ({"csv": f"{'a' * 300}.csv"}, 1, "--csv must be a file in a folder"),
        ({"picture": "a.pdf"}, 1, "--picture must end in .png or .svg"),
        ({"picture": "a.svg"}, 101, "--picture is of at most 100 groups, got 101"),
    ],
)
def test_what_could_not_be_written_is_refused(tmp_path, own, groups, says):
    """Before anything is charged; nothing is made by asking."""
    none = dict.fromkeys(("csv", "picture", "receipt"))
    files = AnswerFiles(**{**none, **{name: tmp_path / path for name, path in own.items()}})
    with pytest.raises(ValueError, match=says):
        files.refuse_unwritable(groups)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("side", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("scheme", ["", "sqlite:///"])
def test_no_file_of_the_ledger_is_written_over(tmp_path, monkeypatch, side, scheme):
    """Neither its own nor one that SQLite keeps beside it; nor the rows' file, nor one twice."""
    monkeypatch.chdir(tmp_path)
    ledger = f"{scheme}people.db"
    for name in (f"people.db{side}", "rows.csv"):
        with pytest.raises(ValueError, match=f"--csv must be a file of its own, and {name} is"):
            AnswerFiles(Path(name), None, None).refuse_unwritable(1, (Path("rows.csv"), ledger))
    with pytest.raises(ValueError, match="--receipt must be a file of its own"):
        AnswerFiles(Path("a.csv"), None, Path("a.csv")).refuse_unwritable(1, (ledger,))
    AnswerFiles(Path("a.csv"), None, None).refuse_unwritable(1, ("postgresql://u@h/a", None))


@pytest.mark.parametrize("made", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.part"])
def test_what_is_no_file_is_neither_replaced_nor_begun(tmp_path, made, name):
    """Nor what a file is begun as: both are there afterwards, as they were."""
    made(other := tmp_path / name)
    with pytest.raises(ValueError, match="--csv must be a file in a folder"):
        AnswerFiles(tmp_path / "a.csv", None, None).refuse_unwritable(1)

    assert [other] == list(tmp_path.iterdir()) and not other.is_file()


def test_nowhere_is_allowed():
    """Numbers are on the terminal."""
    nowhere = AnswerFiles(None, None, None)
    assert nowhere.refuse_unwritable(10_000) is None
    AnswerFiles(Path("a.csv"), Path("a.png"), Path("a.json")).refuse_unwritable(100)


def test_a_picture_is_of_no_more_groups_than_can_be_read(tmp_path):
    """How many are found is known once they are paid for: of more the first are drawn, and said."""
    asked = table(visits(20, 5, seed=3), tmp_path).by("ward").ask(n=tables.count(), **CAPS)
    found = asked.run(tacit.NonPrivate())
    frame = pd.DataFrame({"ward": [f"W{i:03}" for i in range(101)]})
    many = replace(found, frame=frame.assign(n=1.0, n_low=1.0, n_high=1.0))
    for answer in (found, many):
        AnswerFiles(None, tmp_path / "a.svg", None).write(answer)
        text = (tmp_path / "a.svg").read_text()
        assert (answer is many) == ("the first 100 of 101 groups" in text) == ("W099" in text)
    assert "W100" not in text
