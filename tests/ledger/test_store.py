"""A ledger's tables: what is written comes back, of its own population, grant and account alone."""

import contextlib
import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sql

from ledger.towns import KEY, PRINT, SEVERAL, charge, opened
from tacit.ledger import store
from tacit.ledger.accounts import Balance
from tacit.ledger.database import Database
from tacit.ledger.filters import Basic, Renyi
from tacit.ledger.ledger import Ledger, LedgerError
from tacit.ledger.records import Charge, Partition, to_row

PUBLIC, SERVER = ("public", "person", "add/remove"), ("server", "person", "add/remove")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sql.Connection]:
    """One transaction on a ledger with nothing in it."""
    database = Database(tmp_path / "ledger.db")
    store.prepare(database)
    with database.writing() as writing:
        yield writing


def account(key=PUBLIC, **sums: int) -> Balance:
    """With sums of so many tenths, of the whole (`""`) as `whole`."""
    named = {"" if part == "whole" else part: number for part, number in sums.items()}
    costs = {part: (Decimal(tenths) / 10, Decimal(0)) for part, tenths in named.items()}
    return Balance(key, 1.0, 1e-5, Basic(), costs)


def granted(connection: sql.Connection, name: str, opened: str, *charges: Charge) -> None:
    """A grant of the town's, or of the village's if it is named so."""
    row = {
        "grant_id": name,
        "population": "village" if name.startswith("village") else "town",
        "fingerprint": "print",
        "plan": "{}",
        "root_key": KEY,
        "opened": opened,
        "asked": "",
        "note": "",
    }
    store.enter(connection, row, [to_row(each) for each in charges], [(Decimal(0),)] * len(charges))


def test_tables_are_made_once(tmp_path: Path) -> None:
    """And left as they are, with the one number of their format."""
    database = Database(tmp_path / "ledger.db")
    for _ in range(2):
        store.prepare(database)
        with database.reading() as connection:
            assert connection.execute(sql.select(store.formats.c.format)).all() == [(5,)]
    before = (tmp_path / "ledger.db").read_bytes()
    store.prepare(database)
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_every_format_before_has_a_step_to_the_next() -> None:
    """None is left out on the way from the first that is known."""
    assert sorted(store._STEPS) == list(range(min(store._STEPS), store.FORMAT))


def test_accounts_come_back_to_the_last_digit(connection) -> None:
    """Limits, filters and sixty digits of what was spent, of the whole and of each part."""
    third = Decimal("0." + "3" * 60)
    filled = Renyi((1.5, 2.0), 0.2)
    new = Balance(SERVER, 0.1 + 0.2, 5e-324, filled)
    for each in (account(), new):
        store.add_account(connection, "town", each)
    spent = Balance(SERVER, 0.1 + 0.2, 5e-324, filled, {"": (third,) * 4, "no'th": (third,) * 4})
    store.settle(connection, "town", new, spent)
    assert store.accounts(connection, "town") == {PUBLIC: account(), SERVER: spent}


def test_sums_are_of_one_population_and_one_account(connection) -> None:
    """A charge of the town's changes neither the village's sums nor those of another observer."""
    before = account(whole=1, north=2)
    for place in ("town", "village"):
        for key in (PUBLIC, SERVER):
            store.add_account(connection, place, account(key))
            store.settle(connection, place, account(key), account(key, whole=1, north=2))
    store.settle(connection, "town", before, account(whole=5, north=2, south=3))
    town, village = (store.accounts(connection, place) for place in ("town", "village"))
    assert town == {
        PUBLIC: account(whole=5, north=2, south=3),
        SERVER: account(SERVER, whole=1, north=2),
    }
    assert village == {key: account(key, whole=1, north=2) for key in (PUBLIC, SERVER)}
    assert store.populations(connection) == ["town", "village"]
    assert store.accounts(connection, "hamlet") == {}


def test_history_is_in_order_and_of_one_population(connection) -> None:
    """Grants from the oldest on, by name where they are as old; the tenth charge after the second,
    and a grant without any with none."""
    many = [charge(0.01 * each) for each in range(1, 13)]
    granted(connection, "b", "2024-01-01", *SEVERAL)
    granted(connection, "a", "2024-01-01")
    granted(connection, "c", "2023-12-31", *many)
    granted(connection, "village", "2020-01-01", charge(0.9))
    found = [(grant.grant_id, rows) for grant, rows in store.history(connection, "town")]
    assert [name for name, _ in found] == ["c", "a", "b"]
    expected = [[to_row(each) for each in charges] for charges in (many, [], SEVERAL)]
    assert [rows for _, rows in found] == expected
    assert store.rows_of(connection, "c") == expected[0]


def test_a_key_is_erased_once_and_never_of_a_marked_grant(connection) -> None:
    """Whether it was there is told; what others hold is left alone."""
    for name in ("plain", "marked", "other"):
        granted(connection, name, "2024-01-01")
    store.mark(connection, "marked", "state 3")
    found = [store.erase(connection, name) for name in ("plain", "plain", "marked", "nobody")]
    assert found == [True, False, False, False]
    held = {name: store.grant(connection, name) for name in ("plain", "marked", "other")}
    assert {name: row and row.root_key for name, row in held.items()} == {
        "plain": None,
        "marked": KEY,
        "other": KEY,
    }


def test_a_closed_grant_takes_no_mark(connection) -> None:
    """The digest of what it released stays; key and fingerprint are gone, of it alone."""
    for name in ("g", "h"):
        granted(connection, name, "2024-01-01")
    store.close(connection, "g", "2024-01-02", "digest")
    store.mark(connection, "g", "state 3")
    closed, still = store.grant(connection, "g"), store.grant(connection, "h")
    assert closed is not None and still is not None
    assert (closed.released, closed.closed, closed.root_key, closed.fingerprint) == (
        "digest",
        "2024-01-02",
        None,
        None,
    )
    assert (still.released, still.closed, still.root_key) == (None, None, KEY)
    assert store.grant(connection, "nobody") is None


def test_a_partition_comes_back(connection) -> None:
    """With names in any script, and with or without what fixes a part."""
    streets = Partition("streets", ("Größe", "no'th", '"'), None)
    ages = Partition("ages", ("old", "young"), "the register")
    store.add_partition(connection, "town", streets)
    store.add_partition(connection, "village", ages)
    assert store.partition(connection, "town") == streets
    assert store.partition(connection, "village") == ages
    assert store.partition(connection, "hamlet") is None


@pytest.mark.parametrize(
    "format, lacking", [(2, ["released", "asked", "note"]), (3, ["asked", "note"]), (4, [])]
)
def test_a_ledger_of_a_format_before_is_brought_to_this_one(
    tmp_path: Path, format: int, lacking: list[str]
) -> None:
    """Nothing that was charged is lost; what was open then is refused, not replayed."""
    ledger = opened(tmp_path)
    for name in ("closed", "open"):
        ledger.charge(name, "town", [charge(0.3)], KEY, PRINT, {})
    ledger.close("closed")
    spent, path = ledger.spent("town"), tmp_path / "ledger.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for column in lacking:
            connection.execute(f"ALTER TABLE grants DROP COLUMN {column}")
        connection.execute("ALTER TABLE charges DROP COLUMN accountant")
        connection.execute("ALTER TABLE charges RENAME COLUMN delta_reserved TO spill")
        connection.execute(f"UPDATE ledger SET format = {format}")
        connection.execute("UPDATE grants SET fingerprint = 'a0' WHERE closed IS NULL")
    for _ in range(2):
        again = Ledger(path)
        assert again.spent("town") == spent and again.released("closed", "town", {}) is None
    with pytest.raises(LedgerError, match="opened by another version of the software"):
        again.charge("open", "town", [charge(0.3)], KEY, PRINT, {})
    again.charge("new", "town", [charge(0.3)], KEY, PRINT, {}, asked="why", note="new")
    said = {entry.grant_id: (entry.asked, entry.note) for entry in again.history("town")}
    assert said == {"closed": ("", ""), "open": ("", ""), "new": ("why", "new")}


def test_a_ledger_of_another_format_is_refused(tmp_path: Path) -> None:
    """Files of an earlier or later format are named as such, and left alone."""
    for name, statement in (
        ("early.db", "CREATE TABLE grants (grant_id TEXT)"),
        ("late.db", "CREATE TABLE ledger (format INTEGER); INSERT INTO ledger VALUES (99)"),
    ):
        connection = sqlite3.connect(tmp_path / name)
        connection.executescript(statement)
        connection.close()
        before = (tmp_path / name).read_bytes()
        with pytest.raises(LedgerError, match="must be a ledger of format 2 to 5, and has"):
            Ledger(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


def test_another_database_is_one_sentence(tmp_path: Path) -> None:
    """A database with other columns under our names is refused as a LedgerError."""
    path = tmp_path / "ledger.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE limits (x)")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError):
        Ledger(path).spent("town")


def test_a_charge_costs_the_same_after_many(tmp_path: Path) -> None:
    """No statement of a charge reads the entries of other grants."""
    ledger = opened(tmp_path)
    said: list[str] = []
    engine = ledger._database._engine
    sql.event.listen(engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    for grant_id in ("first", "second"):
        said.clear()
        ledger.charge(grant_id, "town", [charge(0.1)], KEY, PRINT, {})
    assert len(said) == 7
    assert not [one for one in said if "SELECT" in one and "FROM charges" in one]
