"""Every command's session, word for word: tables at 80 columns, refusals with their status."""

import pytest

from sessions import TRANSCRIPTS, TYPED, again, played
from tacit.cli import main


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_is_what_its_transcript_says(path):
    """Played again in an empty folder; `sessions` writes it anew."""
    assert path.read_text() == again(path)


def test_every_command_has_a_transcript_and_a_refusal():
    """Each is typed at least once, and refused at least once."""
    typed, refused = set(), set()
    for path in TRANSCRIPTS:
        for said in path.read_text().split("$ tacit ")[1:]:
            typed.add(said.split()[0])
            refused |= {said.split()[0]} if "[exit status 2]" in said else set()

    assert set(main.COMMANDS) <= typed
    assert set(main.COMMANDS) <= refused


def test_no_line_of_a_table_is_wider_than_80_columns():
    """Nor of a plan's page; sentences are one line, and a terminal folds them."""
    for path in TRANSCRIPTS:
        for line in path.read_text().splitlines():
            assert len(line) <= 80 or not line.startswith((" ", "promised"))


def test_a_transcript_that_is_wrong_would_be_noticed(tmp_path):
    """Another word said, or another status."""
    assert played("$ tacit --version\ntacit 0\n") != "$ tacit --version\ntacit 0\n"
    assert played("$ tacit verify no.json\n").endswith("[exit status 2]\n")
    assert TYPED.findall("said $ x\n$ tacit plan\n") == ["tacit plan"]
