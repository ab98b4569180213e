"""A path that can be no ledger is refused in words that say what to do about it."""

import os
from pathlib import Path

import pytest

import tacit
from tacit.ledger.accounts import LedgerError
from tacit.ledger.places import refuse_no_place


def test_a_folder_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also of a path that is relative, or below a file; nothing is made."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    for where in ("none/people.db", "file/people.db", Path("none/people.db")):
        with pytest.raises(LedgerError, match=r"in a folder that is there, and .* is none: make"):
            tacit.Ledger(where)

    assert [tmp_path / "file"] == list(tmp_path.iterdir())


def test_a_folder_is_no_ledger(tmp_path: Path):
    """A file in it may be one."""
    with pytest.raises(LedgerError, match=r"must be a file, and .* is a folder: name a file in it"):
        tacit.Ledger(tmp_path)
    assert not tacit.Ledger(tmp_path / "people.db").populations()


def test_a_new_ledger_needs_a_folder_that_can_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """One that is there already may be looked at."""
    path = tmp_path / "people.db"
    tacit.Ledger(path)
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(LedgerError, match=r"in a folder that can be written to, and .* cannot be"):
        tacit.Ledger(tmp_path / "other.db")

    refuse_no_place(path)
