"""Speeches by role: what is read, and every file that is no table of speeches."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from tacit.data import speeches
from tacit.data.dataset import DataError
from told import alone

TABLE = (
    "play\tspeaker\ttext\n"
    "macbeth\tFIRST WITCH\tWhen shall we three meet again?\n"
    "hamlet\tOPHELIA\tGood my lord\n"
    "macbeth\tFIRST WITCH\tWhere the place?\n"
    "tempest\tFIRST WITCH\t\n"
)
SHARED = Path(__file__).parents[3] / "shared/data/shakespeare-roles/speeches.tsv.gz"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "speeches.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_role_is_a_speaker_of_a_play(tmp_path):
    """Two plays' first witches are two; a role's speeches are its own, in order, empty ones too."""
    found = speeches.load(written(tmp_path, TABLE))

    assert found.roles == (
        ("hamlet", "OPHELIA"),
        ("macbeth", "FIRST WITCH"),
        ("tempest", "FIRST WITCH"),
    )
    np.testing.assert_array_equal(found.owners, [1, 0, 1, 2])
    assert found.texts[2] == "Where the place?" and found.texts[3] == ""


def test_whoever_is_not_named_is_a_role_of_the_play(tmp_path):
    """Nobody's speech is lost, or another's."""
    found = speeches.load(written(tmp_path, TABLE + "macbeth\t\tThunder\n"))

    assert found.roles[1] == ("macbeth", "") and found.owners[-1] == 1


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_packed_file_is_found_under_the_plain_name(tmp_path, ending, pack):
    """And the other way round."""
    (tmp_path / f"speeches.tsv{ending}").write_bytes(pack(TABLE.encode()))

    assert len(speeches.load(tmp_path / "speeches.tsv").texts) == 4


def test_lines_may_end_as_on_other_systems(tmp_path):
    """A carriage return is no word."""
    found = speeches.load(written(tmp_path, TABLE.replace("\n", "\r\n")))

    assert found.texts[1] == "Good my lord" and len(found.roles) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must begin with the line play speaker text"),
        ("speaker\tplay\ttext\na\tb\tc\n", "must begin with the line play speaker text"),
        ("play\tspeaker\ttext\n", "must hold a speech, got none"),
        (TABLE + "hamlet\tGHOST\n", "line 6 must have 3 fields, got 2"),
        (TABLE + "hamlet\tGHOST\tswear\tswear\n", "line 6 must have 3 fields, got 4"),
        (TABLE + "\n", "line 6 must have 3 fields, got 1"),
        (TABLE + "\tGHOST\tsecret words\n", "line 6 must name a play"),
        (TABLE[:-5], "must end with a whole line: it was cut short"),
        (TABLE.encode() + b"hamlet\tGHOST\t\xff\n", "must be UTF-8"),
    ],
)
def test_what_is_no_table_of_speeches_is_refused(tmp_path, text, said):
    """By file and line, without a word of anybody's."""
    with pytest.raises(DataError, match=said) as refused:
        speeches.load(written(tmp_path, text))

    assert alone(refused.value)
    assert "secret" not in str(refused.value) and "swear" not in str(refused.value)


def test_a_file_that_is_not_there_or_cut_short_is_refused(tmp_path):
    """Packed or not."""
    with pytest.raises(DataError, match=r"must hold a file speeches\.tsv or"):
        speeches.load(tmp_path / "speeches.tsv")
    (tmp_path / "speeches.tsv.gz").write_bytes(gzip.compress(TABLE.encode())[:-9])
    with pytest.raises(DataError, match="one whole gzip stream"):
        speeches.load(tmp_path / "speeches.tsv")


def test_more_than_a_file_of_speeches_holds_is_not_read(tmp_path, monkeypatch):
    """However well it is packed."""
    monkeypatch.setattr(speeches, "MOST_BYTES", len(TABLE.encode()) - 1)
    with pytest.raises(DataError, match="at most"):
        speeches.load(written(tmp_path, TABLE))


def test_nobodys_words_are_shown(tmp_path):
    """Of speeches one sees how many there are."""
    assert repr(speeches.load(written(tmp_path, TABLE))) == "Speeches(roles=3, speeches=4)"


@pytest.mark.skipif(not SHARED.exists(), reason="eight plays are not there")
def test_eight_plays_have_as_many_roles_as_their_table_says():
    """307 roles, 6,914 speeches."""
    found = speeches.load(SHARED)

    assert (len(found.roles), len(found.texts)) == (307, 6914)
    assert sum(map(len, found.texts)) == 925_375
