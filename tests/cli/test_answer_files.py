"""Files of an answer: known to be writable before it is asked for."""

from pathlib import Path

import pytest

from tacit.cli.answer_files import AnswerFiles


@pytest.mark.parametrize(
    "own, groups, says",
    [
        ({"csv": "nowhere/a.csv"}, 1, "--csv must be a file in a folder"),
        ({"receipt": "."}, 1, "--receipt must be a file in a folder"),
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


def test_nowhere_is_allowed():
    """Numbers are on the terminal."""
    nowhere = AnswerFiles(None, None, None)
    assert nowhere.refuse_unwritable(10_000) is None
    AnswerFiles(Path("a.csv"), Path("a.png"), Path("a.json")).refuse_unwritable(100)
