"""What counts is added exactly; a bound of it is never below, and is enough where there is room."""

import re
import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest
import sqlalchemy as sql
from sqlalchemy import event

from tacit.live import spending as module
from tacit.live.cap import Cap
from tacit.live.charge import Cost, OverCap
from tacit.live.own_ledger import OwnLedger
from tacit.live.spending import Spending, exact_sum, least_since, most_since, spent_since

CAP = Cap(1.0, 7.0, 1e-9)
SUBNORMAL = 5e-324


def charged(book, number, epsilon, distance=0.0):
    return book.charge(bytes([number]) * 32, "a", Cost(epsilon, distance), "phones", "round")


def in_run(book, number, epsilon):
    cost = Cost(epsilon, 0.0, 1e-10, b"r" * 32, 2)
    return book.charge(bytes([number]) * 32, "a", cost, "phones", "round")


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_is_exact(seed):
    """Of floats of all sizes, the smallest too, and of many that are equal."""
    rng = np.random.default_rng(seed)
    some = (rng.random(50) * 2.0 ** rng.integers(-1070, 60, 50)).tolist()
    values = [*some, *some[:9] * 7, SUBNORMAL, 0.1, 0.1]

    assert sum(map(Fraction, values), Fraction()) == exact_sum(values)
    assert Fraction() == exact_sum(())


@pytest.mark.parametrize("seed", range(20))
def test_bounds_are_on_both_sides_and_near(tmp_path, seed):
    """However a database rounds as it adds."""
    rng = np.random.default_rng(seed)
    book = OwnLedger(tmp_path / "own.db", Cap(1e9, 7.0, 0.9))
    for number in range(20):
        charged(book, number, rng.random() * 2.0 ** rng.integers(-40, 20))
    with sql.create_engine(f"sqlite:///{tmp_path}/own.db").connect() as connection:
        every = least_since, spent_since, most_since
        least, exact, most = (each(connection, 0.0).epsilon for each in every)
        nothing = [each(connection, 1e12) for each in every]

    assert (
        least
        <= exact
        <= most
        <= exact * (1 + Fraction(1, 10**9))
        <= least * (1 + Fraction(2, 10**9))
    )
    assert [Spending()] * 3 == nothing


def test_reports_of_one_run_are_none_at_least(tmp_path):
    """They count once, and a bound that does not know runs leaves them out."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    for number in range(2):
        in_run(book, number, 0.75)
    charged(book, 2, 0.25)

    assert (1.0, 1e-10) == book.spent()


def test_only_near_the_cap_is_every_report_looked_at(tmp_path, monkeypatch):
    """However many there are: what has room, or has none, is seen from bounds."""
    book = OwnLedger(tmp_path / "own.db", CAP)

    def dear(connection, since, but=None):
        raise AssertionError("every report was looked at")

    monkeypatch.setattr(module, "spent_since", dear)
    for number in range(3):
        charged(book, number, 0.25)
    book.refuse_no_room(Cost(0.2, 0.0), 1)
    for much in (Cost(0.26, 0.0), Cost(0.1, 1e-9)):
        with pytest.raises(OverCap, match="would exceed"):
            book.refuse_no_room(much, 1)
    with pytest.raises(AssertionError):
        charged(book, 3, 0.25)


def test_another_round_of_a_run_is_not_spent_again(tmp_path):
    """Nor where there is room for its run alone."""
    book = OwnLedger(tmp_path / "own.db", CAP)
    in_run(book, 0, 0.9)
    in_run(book, 1, 0.9)

    assert (0.9, 1e-10) == book.spent()


def test_what_is_beyond_floats_together_is_no_error(tmp_path):
    """Rounds of one run under the largest cap, each of which is more than half of all numbers."""
    book = OwnLedger(tmp_path / "own.db", Cap(1.5e308, 7.0, 1e-9))
    in_run(book, 0, 1e308)
    in_run(book, 1, 1e308)
    with pytest.raises(OverCap, match="would exceed"):
        charged(book, 2, 1e308)
    charged(book, 3, 1e307)


def asked(book, number):
    """The statements of a dry run and a report, each with what it is asked of."""
    statements = []

    def heard(connection, cursor, statement, own, context, many):
        statements.append((statement, own))

    event.listen(sql.Engine, "before_cursor_execute", heard)
    try:
        book.refuse_no_room(Cost(0.1, 0.0), 2)
        charged(book, number, 0.1)
        book.keep(bytes([number]) * 32, b"report")
    finally:
        event.remove(sql.Engine, "before_cursor_execute", heard)
    return [each for each in statements if each[0].startswith(("SELECT", "UPDATE"))]


@pytest.mark.parametrize("old", [False, True])
def test_no_order_reads_the_whole_ledger(tmp_path, old):
    """Lines are kept for good: those that count, and the reports that are kept, are found by
    indexes, which a ledger from before there were any is given as it is opened."""
    path = tmp_path / "own.db"
    OwnLedger(path, CAP)
    with closing(sqlite3.connect(path)) as before:
        named = before.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'reports_%'"
        ).fetchall()
        for (index,) in named if old else ():
            before.execute(f"DROP INDEX {index}")
    statements = asked(OwnLedger(path, CAP), 0)
    with closing(sqlite3.connect(path)) as connection:
        plans = [
            step[3]
            for statement, own in statements
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", own)
        ]

    found = [each for each in plans if re.search("INDEX reports_kept|SEARCH .* (INDEX|KEY)", each)]
    assert len(statements) == len(plans) >= 14
    assert plans == found
