"""Grants on tables of a DuckDB file and of PostgreSQL: engines that stop half-way, processes that
die, rows and questions that are others: charged once, with one noise, and the user is told.
"""

import multiprocessing
import secrets
from functools import partial
from pathlib import Path

import ibis
import numpy as np
import pytest

import tacit
from tables.dying import DIED, REFUSED, TRUST, ends_of
from tables.records import table
from tables.stored import Stored, made
from tacit import tables
from tacit.ledger import Finished, LedgerError

# What an engine may use: too little to sort a person's rows in, and what it had.
STARVED = {
    "duckdb": ["set memory_limit = '1MB'", "set temp_directory = ''"],
    "postgresql": ["set work_mem = '64kB'", "set temp_file_limit = 0"],
}
FED = {
    "duckdb": ["set memory_limit = '1GB'"],
    "postgresql": ["reset work_mem", "reset temp_file_limit"],
}


@pytest.fixture(params=["duckdb", "postgresql"])
def stored(request, tmp_path):
    """The same rows in either engine."""
    if request.param == "duckdb":
        yield made("duckdb", str(tmp_path / "visits.duckdb"))
        return
    server = request.getfixturevalue("postgresql")
    own = made("postgresql", f"visits_{secrets.token_hex(8)}")
    yield own
    server.drop_table(own.place)


def ask(stored: Stored, connection, folder: Path) -> tables.Ask:
    """A count by wards, of people whose budget is enough for two."""
    own = table(stored.rows(connection), folder)
    own.budget(epsilon=2, delta=1e-9)
    return own.by(ward=[1, 2]).ask(n=tables.count(), rows_per_person=2)


def entries(folder: Path) -> int:
    """How often these people were charged."""
    return len(tacit.Ledger(folder / "people.db").history("patients"))


def set_up(connection, statements: list[str]) -> None:
    """Settings of this connection."""
    for each in statements:
        connection.con.execute(each)
    connection.con.commit()


def test_an_engine_that_stops_in_the_middle_of_a_query_is_asked_again(stored, tmp_path):
    """Before the charge it charges nothing; afterwards a grant goes on by the same connection. Both
    times the user is told that asking charged nothing, and to ask again under the same name."""
    connection = stored.connected
    asked = ask(stored, connection, tmp_path)
    for charged in (0, 1):
        set_up(connection, STARVED[stored.kind])
        with pytest.raises(tables.EngineError, match=r"nothing was charged by this: ask again, un"):
            asked.grant(TRUST, grant_id="once")
        assert charged == entries(tmp_path)
        set_up(connection, FED[stored.kind])
        grant = asked.grant(TRUST, grant_id="once")

    assert 2 == len(asked.read(grant.run()).frame) and 1 == entries(tmp_path)
    connection.disconnect()


def test_other_rows_or_another_question_under_a_name_are_refused_by_what_differs(stored, tmp_path):
    """A row more, one of another person, and none of either: uncharged; with the rows as they were,
    in another order, and the question as it was, the grant goes on."""
    connection = stored.connected
    asked = ask(stored, connection, tmp_path)
    asked.grant(TRUST, grant_id="once")
    other = tables.Ask(asked.table.where(ibis._.days < 9), *_rest(asked))
    with pytest.raises(LedgerError, match=r"other question; nothing more was charged: ask with"):
        other.grant(TRUST, grant_id="once")
    connection.disconnect()
    for change in (
        "insert into {visits} values ('e', 1, 7)",
        "update {visits} set patient = 'd' where patient = 'e'",
        "delete from {visits} where days > 5",
    ):
        stored.write(change)
        with pytest.raises(LedgerError, match=r"other data; nothing more was charged: ask with wh"):
            ask(stored, again := stored.connected, tmp_path).grant(TRUST, grant_id="once")
        again.disconnect()
    stored.write("insert into {visits} values ('d', 2, 6)")
    ask(stored, again := stored.connected, tmp_path).grant(TRUST, grant_id="once").run()
    again.disconnect()

    assert 1 == entries(tmp_path)


def _rest(asked: tables.Ask) -> tuple:
    return asked.keys, asked.aggregates, asked.caps, asked.confidence


def there(stored: Stored, folder: Path) -> tables.Ask:
    """The same in another process, by a connection of its own."""
    return ask(stored, stored.connected, folder)


@pytest.mark.timing
def test_a_process_killed_between_charge_and_answer_goes_on_in_another(stored, tmp_path):
    """With the same noise, charged once; then it is finished, and no third one has it."""
    assert [DIED] == ends_of((partial(there, stored, tmp_path), tmp_path / "died.npy", True))
    assert [0] == ends_of((partial(there, stored, tmp_path), tmp_path / "whole.npy", False))
    with pytest.raises(Finished, match="needs another name"):
        ask(stored, own := stored.connected, tmp_path).grant(TRUST, grant_id="once")
    own.disconnect()

    died, whole = (np.load(tmp_path / f"{name}.npy").tolist() for name in ("died", "whole"))
    assert died == whole and 1 == entries(tmp_path)


@pytest.mark.timing
def test_two_processes_with_one_ledger_and_one_name_are_charged_once(stored, tmp_path):
    """Both have opened it before either runs: whoever answers says the same."""
    ready = multiprocessing.get_context("forkserver").Barrier(2)
    ask(stored, own := stored.connected, tmp_path)
    own.disconnect()
    ends = ends_of(
        *((partial(there, stored, tmp_path), tmp_path / f"{i}.npy", False, ready) for i in range(2))
    )
    said = [np.load(path).tolist() for path in tmp_path.glob("*.npy")]

    assert {0} <= set(ends) <= {0, REFUSED} and 1 == entries(tmp_path)
    assert all(each == said[0] for each in said)
