"""What a device keeps of what it sent: for as long as it may be asked for, and over versions."""

import sqlite3

import pytest

import tacit.live.kept_reports as module
import tacit.live.spending as spending
from tacit.live.cap import Cap
from tacit.live.own_ledger import Cost, OverCap, OwnLedger

DAY = 86_400.0
CAP = Cap(1.0, 7.0, 1e-9)


def charged(book, number, epsilon=0.25, sender="phones"):
    return book.charge(bytes([number]) * 32, "a", Cost(epsilon, 0.0), sender, "round")


def test_old_reports_are_dropped_and_not_drawn_again(tmp_path, monkeypatch):
    """Only the last ones are kept, the last always; the rounds before stay answered."""
    monkeypatch.setattr(module, "MOST_KEPT", 5)
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in range(3):
        charged(book, number)
        book.keep(bytes([number]) * 32, b"x" * (9 if number == 2 else 2))

    assert b"x" * 9 == charged(book, 2).report
    for number in (0, 1):
        with pytest.raises(OverCap, match="no longer kept"):
            charged(book, number)


def test_who_is_too_late_to_keep_a_report_sends_none(tmp_path, monkeypatch):
    """Another process drew it, and it was dropped since: what is kept is nothing."""
    monkeypatch.setattr(module, "MOST_KEPT", 5)
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in (0, 1):
        charged(book, number)
        book.keep(bytes([number]) * 32, b"x" * 5)
    with pytest.raises(OverCap, match="no longer kept"):
        book.keep(bytes(32), b"a second report")


def test_senders_have_one_disk_together(tmp_path, monkeypatch):
    """However many names a server takes, so many bytes are kept: the last of all, and the last one
    always; what was dropped is not drawn again."""
    monkeypatch.setattr(module, "MOST_KEPT_OF_ALL", 5)
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in range(4):
        charged(book, number, sender=f"bank {number}")
        book.keep(bytes([number]) * 32, b"x" * (9 if number == 3 else 2))
        if number == 2:
            assert [b"x" * 2] * 2 == [charged(book, k, sender=f"bank {k}").report for k in (1, 2)]

    assert b"x" * 9 == charged(book, 3, sender="bank 3").report
    for number in range(3):
        with pytest.raises(OverCap, match="no longer kept"):
            charged(book, number, sender=f"bank {number}")


def test_reports_whose_stretch_is_over_leave_the_disk(tmp_path):
    """Nobody can have them any more, whoever they were for."""
    clock = [20_000 * DAY]
    book = OwnLedger(tmp_path / "own.db", CAP, lambda: clock[0])
    for number, report in enumerate((b"an old report", b"a later one", b"the last")):
        charged(book, number, sender=f"bank {number}")
        book.keep(bytes([number]) * 32, report)
        clock[0] += 4 * DAY
    left = (tmp_path / "own.db").read_bytes()

    assert b"an old report" not in left and b"a later one" in left and b"the last" in left


def test_a_stretch_has_so_many_rounds(tmp_path, monkeypatch):
    """However little each spends and whoever asks: one more is refused, and not charged."""
    monkeypatch.setattr(spending, "MOST_ROUNDS", 3)
    clock = [20_000 * DAY]
    book = OwnLedger(tmp_path / "own.db", CAP, lambda: clock[0])
    for number in range(3):
        charged(book, number, 1e-9, sender=f"bank {number}")
    with pytest.raises(OverCap, match="at most 3 rounds in any 7 days"):
        charged(book, 3, 1e-9, sender="bank 3")
    assert 3 == len(book.lines())
    clock[0] += 7 * DAY
    charged(book, 3, 1e-9)


def test_a_ledger_of_before_there_were_runs_is_gone_on_with(tmp_path):
    """What was spent stays spent."""
    path = tmp_path / "own.db"
    with sqlite3.connect(path) as old:
        old.execute(
            "CREATE TABLE reports (position INTEGER PRIMARY KEY, number BLOB UNIQUE NOT NULL, "
            "sender TEXT NOT NULL, agreed TEXT NOT NULL, asked TEXT NOT NULL, "
            "epsilon DOUBLE NOT NULL, distance DOUBLE NOT NULL, seconds DOUBLE NOT NULL, "
            "key BLOB, report BLOB)"
        )
        for number in (1, 2):
            row = bytes([number]) * 32, 0.25, 20_000 * DAY
            old.execute(
                "INSERT INTO reports (number, sender, agreed, asked, epsilon, distance, seconds) "
                "VALUES (?, 'phones', 'round', 'a', ?, 0.0, ?)",
                row,
            )
    book = OwnLedger(path, CAP, lambda: 20_000 * DAY)

    assert (0.5, 0.0) == book.spent()
    with pytest.raises(OverCap):
        charged(book, 3, 0.75)
    charged(book, 3, 0.5)
