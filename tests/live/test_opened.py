"""A device's ledger as it is opened: new, or as it was; never one that was emptied."""

import sqlite3
import threading
from contextlib import closing

import pytest

from tacit.ledger.accounts import LedgerError
from tacit.live import opened as module
from tacit.live.cap import Cap
from tacit.live.own_ledger import Cost, OwnLedger

CAP = Cap(1.0, 7.0, 1e-9)


def book(path):
    return OwnLedger(path / "own.db", CAP)


def test_a_ledger_that_was_emptied_is_refused(tmp_path):
    """It is not taken for a new one, whose cap would be whole; nor is one without tables."""
    book(tmp_path).charge(bytes(32), "a", Cost(1.0, 0.0), "phones", "round")
    for _ in range(2):
        (tmp_path / "own.db").write_bytes(b"")
        with pytest.raises(LedgerError, match=r"is empty, .* delete the file if it is really new"):
            book(tmp_path)
    with sqlite3.connect(tmp_path / "own.db") as emptied:
        emptied.execute("VACUUM")
    with pytest.raises(LedgerError, match="is empty"):
        book(tmp_path)
    (tmp_path / "own.db").unlink()

    assert (0.0, 0.0) == book(tmp_path).spent()


def test_nothing_is_left_beside_a_ledger(tmp_path):
    """Neither of a new one nor of one that was there."""
    for _ in range(2):
        book(tmp_path)

        assert ["own.db"] == [each.name for each in tmp_path.iterdir()]


@pytest.mark.parametrize("died", ["before", "after"])
def test_who_died_while_it_was_made_is_gone_on_from(tmp_path, monkeypatch, died):
    """Before its tables were on the disk, or after; then it is a ledger as any other."""

    def dies(connection):
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(module, "made", dies)
        with pytest.raises(KeyboardInterrupt):
            book(tmp_path)
    assert not list(tmp_path.iterdir())
    if died == "after":
        book(tmp_path).charge(bytes(32), "a", Cost(0.5, 0.0), "phones", "round")
    # As a process leaves it that is killed.
    (tmp_path / "own.db.part").write_bytes(b"half")

    assert (0.5 if died == "after" else 0.0) == book(tmp_path).spent()[0]
    (tmp_path / "own.db").write_bytes(b"")
    with pytest.raises(LedgerError, match="is empty"):
        book(tmp_path)


@pytest.mark.parametrize("beside", ["own.db.new", "own.db.part", "own.db-journal"])
def test_a_ledger_that_was_emptied_is_refused_whatever_lies_beside_it(tmp_path, beside):
    """What a process left that was killed, of this version or another, says nothing of it."""
    book(tmp_path).charge(bytes(32), "a", Cost(1.0, 0.0), "phones", "round")
    (tmp_path / "own.db").write_bytes(b"")
    (tmp_path / beside).touch()
    for _ in range(2):
        with pytest.raises(LedgerError, match="is empty"):
            book(tmp_path)


def test_a_database_of_something_else_is_no_ledger(tmp_path):
    """Nor is one whose table of reports was taken out: its cap would be whole."""
    book(tmp_path)
    with closing(sqlite3.connect(tmp_path / "own.db")) as other:
        other.execute("ALTER TABLE reports RENAME TO others")
        other.commit()
    with pytest.raises(LedgerError, match="is empty"):
        book(tmp_path)


def test_a_new_ledger_is_its_owners_alone(tmp_path):
    """As the database would make it: it holds keys."""
    book(tmp_path)

    assert 0o600 == (tmp_path / "own.db").stat().st_mode & 0o777


def test_two_who_make_one_at_once_have_one(tmp_path, monkeypatch):
    """Nobody's takes the place of another's, in which something was charged."""
    numbers = [bytes([each]) * 32 for each in range(8)]
    failed, start, own = [], threading.Barrier(8), module.replacing

    def together(path):
        start.wait(10)
        return own(path)

    monkeypatch.setattr(module, "replacing", together)

    def opens():
        try:
            book(tmp_path).charge(numbers.pop(), "a", Cost(0.125, 0.0), "phones", "round")
        except Exception as error:
            failed.append(error)

    each = [threading.Thread(target=opens) for _ in range(8)]
    [one.start() for one in each]
    [one.join() for one in each]

    assert not failed and ["own.db"] == [left.name for left in tmp_path.iterdir()]
    assert 1.0 == book(tmp_path).spent()[0]


def test_a_folder_that_is_not_there_has_no_ledger(tmp_path):
    """In a sentence."""
    with pytest.raises(LedgerError, match="cannot be made: No such file"):
        book(tmp_path / "nowhere")
