"""The ledger: atomic, idempotent, durable, and safe with many processes at once."""

import hashlib
import hmac
import math
import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from tacit.accounting.events import gaussian, local
from tacit.accounting.ledger import Charge, Ledger, LedgerError, OverBudget
from tacit.accounting.relation import Relation

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
# A server that trusts local users; another by the environment variable of the last test.
POSTGRESQL = "postgresql+psycopg://postgres@127.0.0.1:5432/test"


def _charge(epsilon: float, delta: float = 1e-6, observer: str = "public") -> Charge:
    return Charge(observer, "person", Relation.ADD_REMOVE, gaussian(3), epsilon, delta)


def _keyed(key: bytes, fingerprint: str = "print") -> bytes:
    return hmac.new(key, fingerprint.encode(), "sha256").hexdigest().encode()


def _open(folder: Path, epsilon: float = 1.0, delta: float = 1e-5) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    ledger.limit("town", "public", Relation.ADD_REMOVE, epsilon, delta)
    return ledger


def test_a_charge_is_kept_across_sessions(tmp_path: Path) -> None:
    """What one session charged, another reads: totals, history, event and plan."""
    _open(tmp_path).charge("g", "town", [_charge(0.1)], KEY, "print", {"rounds": 3})
    ledger = Ledger(tmp_path / "ledger.db")
    (account,) = ledger.spent("town")
    assert (account.observer, account.unit, account.relation) == (
        "public",
        "person",
        Relation.ADD_REMOVE,
    )
    assert (account.epsilon, account.delta) == (0.1, 1e-6)
    assert (account.limit_epsilon, account.limit_delta) == (1.0, 1e-5)
    (entry,) = ledger.history("town")
    assert (entry.grant_id, entry.plan, entry.closed) == ("g", {"rounds": 3}, None)
    assert entry.guarantees == (_charge(0.1),)


def test_the_limit_is_exact(tmp_path: Path) -> None:
    """0.1 + 0.2 fills a limit of 0.3, and then nothing fits."""
    ledger = _open(tmp_path, epsilon=0.3)
    ledger.charge("a", "town", [_charge(0.1)], KEY, "print", {})
    ledger.charge("b", "town", [_charge(0.2)], KEY, "print", {})
    with pytest.raises(OverBudget, match=r"epsilon = 0, delta = 8e-06 left of .* = 0\.3, "):
        ledger.charge("c", "town", [_charge(1e-9)], KEY, "print", {})


def test_a_refusal_is_read_without_noise(tmp_path: Path) -> None:
    """Six digits of every number, whatever the floats carry."""
    asked = _charge(0.3000000000001789, 1e-6 + 1e-19)
    with pytest.raises(OverBudget) as refused:
        _open(tmp_path, epsilon=0.2000000000000312).charge("g", "town", [asked], KEY, "print", {})
    assert str(refused.value) == (
        "the account of public per person under add/remove has epsilon = 0.2, delta = 1e-05 left "
        "of epsilon = 0.2, delta = 1e-05, and the grant asks for epsilon = 0.3, delta = 1e-06"
    )


def test_delta_is_limited_too(tmp_path: Path) -> None:
    """Room in epsilon does not help a delta that does not fit."""
    with pytest.raises(OverBudget):
        _open(tmp_path).charge("a", "town", [_charge(0.1, 1.1e-5)], KEY, "print", {})


def test_one_grant_may_charge_an_account_twice(tmp_path: Path) -> None:
    """Two guarantees on one account are added before they are compared with the limit."""
    with pytest.raises(OverBudget):
        _open(tmp_path).charge("a", "town", [_charge(0.6), _charge(0.6)], KEY, "print", {})


def test_all_or_none(tmp_path: Path) -> None:
    """If one account has no room, no account is charged and no grant is left."""
    ledger = _open(tmp_path)
    ledger.limit("town", "server", Relation.ADD_REMOVE, 0.1, 1e-5)
    with pytest.raises(OverBudget, match="server"):
        both = [_charge(0.5), _charge(0.5, observer="server")]
        ledger.charge("g", "town", both, KEY, "print", {})
    assert [account.epsilon for account in ledger.spent("town")] == [0.0, 0.0]
    assert ledger.history("town") == []


def test_accounts_are_never_added(tmp_path: Path) -> None:
    """Other observers, units, relations and populations have their own room."""
    ledger = _open(tmp_path)
    for observer, relation, unit in (
        ("server", Relation.ADD_REMOVE, "person"),
        ("public", Relation.REPLACE_ONE, "person"),
        ("public", Relation.ADD_REMOVE, "household"),
    ):
        ledger.limit("town", observer, relation, 1.0, 1e-5, unit=unit)
        ledger.charge(
            f"{observer}{relation}{unit}",
            "town",
            [Charge(observer, unit, relation, local(1), 0.9, 0.0)],
            KEY,
            "print",
            {},
        )
    ledger.limit("village", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.charge("v", "village", [_charge(0.9)], KEY, "print", {})
    assert ledger.charge("t", "town", [_charge(0.9)], KEY, "print", {}).new


def test_without_a_limit_nothing_is_charged(tmp_path: Path) -> None:
    """An account nobody limited is refused, so a misspelt observer cannot spend."""
    with pytest.raises(LedgerError, match=r"the account of pubic .* has no limit"):
        _open(tmp_path).charge("g", "town", [_charge(0.1, observer="pubic")], KEY, "print", {})


def test_an_endless_limit_only_records(tmp_path: Path) -> None:
    """A limit of infinity, asked for by name, keeps the record."""
    ledger = _open(tmp_path, math.inf, 1.0)
    ledger.charge("g", "town", [_charge(1e9)], KEY, "print", {})
    assert ledger.spent("town")[0].epsilon == 1e9


def test_a_limit_is_not_changed_silently(tmp_path: Path) -> None:
    """The same limit again is nothing; another one is refused."""
    ledger = _open(tmp_path)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    with pytest.raises(LedgerError, match=r"epsilon = 1\.0, delta = 1e-05 and cannot"):
        ledger.limit("town", "public", Relation.ADD_REMOVE, 2.0, 1e-5)


def test_opening_again_is_free_and_gives_the_first_key(tmp_path: Path) -> None:
    """A resumed grant gets its stored key back and is not charged twice."""
    ledger = _open(tmp_path)
    first = ledger.charge("g", "town", [_charge(0.6)], KEY, "print", {"a": 1})
    again = ledger.charge("g", "town", [_charge(0.6)], OTHER_KEY, "print", {"a": 1})
    assert (first.root_key, first.new, again.root_key, again.new) == (KEY, True, KEY, False)
    assert ledger.spent("town")[0].epsilon == 0.6


@pytest.mark.parametrize(
    ("epsilon", "fingerprint", "plan", "named"),
    [
        (0.5, "print", {}, "guarantees"),
        (0.6, "changed", {}, "fingerprint"),
        (0.6, "print", {"rounds": 2}, "plan"),
    ],
)
def test_a_known_grant_cannot_change(tmp_path, epsilon, fingerprint, plan, named) -> None:
    """The same grant with other guarantees, data or plan is refused."""
    ledger = _open(tmp_path)
    ledger.charge("g", "town", [_charge(0.6)], KEY, "print", {})
    with pytest.raises(LedgerError, match=f"another {named}|other {named}"):
        ledger.charge("g", "town", [_charge(epsilon)], KEY, fingerprint, plan)


def test_a_grant_id_belongs_to_one_population(tmp_path: Path) -> None:
    """A grant cannot be opened again for other people."""
    ledger = _open(tmp_path)
    ledger.limit("village", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.charge("g", "town", [_charge(0.6)], KEY, "print", {})
    with pytest.raises(LedgerError, match="another population"):
        ledger.charge("g", "village", [_charge(0.6)], KEY, "print", {})


def test_closing_erases_the_key(tmp_path: Path) -> None:
    """A closed grant has no key, in answers or in the file; closing again changes nothing."""
    ledger = _open(tmp_path)
    ledger.charge("g", "town", [_charge(0.6)], KEY, "print", {})
    assert KEY in (tmp_path / "ledger.db").read_bytes()
    ledger.close("g")
    closed = ledger.history("town")[0].closed
    ledger.close("g")
    opened = ledger.charge("g", "town", [_charge(0.6)], OTHER_KEY, "print", {})
    assert (opened.root_key, opened.new) == (None, False)
    assert ledger.history("town")[0].closed == closed is not None
    assert KEY not in (tmp_path / "ledger.db").read_bytes()
    assert _keyed(KEY) not in (tmp_path / "ledger.db").read_bytes()
    assert ledger.spent("town")[0].epsilon == 0.6


def test_the_fingerprint_is_only_kept_under_the_key(tmp_path: Path) -> None:
    """The file holds the fingerprint's HMAC, so guesses of the data cannot be tested."""
    ledger, fingerprint = _open(tmp_path), hashlib.sha256(b"everyone").hexdigest()
    ledger.charge("g", "town", [_charge(0.6)], KEY, fingerprint, {})
    content = (tmp_path / "ledger.db").read_bytes()
    assert fingerprint.encode() not in content
    assert _keyed(KEY, fingerprint) in content
    assert not ledger.charge("g", "town", [_charge(0.6)], OTHER_KEY, fingerprint, {}).new


@pytest.mark.parametrize(
    ("epsilon", "plan", "named"), [(0.5, {}, "guarantees"), (0.6, {"rounds": 2}, "plan")]
)
def test_a_closed_grant_keeps_its_plan(tmp_path: Path, epsilon: float, plan, named: str) -> None:
    """Once closed, other data cannot be told apart; another plan or other guarantees can."""
    ledger = _open(tmp_path)
    ledger.charge("g", "town", [_charge(0.6)], KEY, "print", {})
    ledger.close("g")
    assert ledger.charge("g", "town", [_charge(0.6)], KEY, "changed", {}).root_key is None
    with pytest.raises(LedgerError, match=f"another {named}|other {named}"):
        ledger.charge("g", "town", [_charge(epsilon)], KEY, "print", plan)


def test_closing_an_unknown_grant_is_refused(tmp_path: Path) -> None:
    """There is nothing to close."""
    with pytest.raises(LedgerError, match="no grant 'x'"):
        _open(tmp_path).close("x")


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_charges_are_numbers(bad: float) -> None:
    """NaN, negative and infinite charges cannot be made."""
    with pytest.raises(ValueError, match="epsilon must be at least 0 and finite"):
        _charge(bad)
    with pytest.raises(ValueError, match=r"delta must be in \[0, 1\)"):
        _charge(1.0, bad)


@pytest.mark.parametrize("bad", [0.0, -0.1, math.nan])
def test_limits_are_numbers(tmp_path: Path, bad: float) -> None:
    """A limit of NaN would admit everything or nothing, and is refused."""
    with pytest.raises(ValueError, match="epsilon must be positive"):
        _open(tmp_path, epsilon=bad)


def test_nothing_promised_is_refused_beside_a_limit(tmp_path: Path) -> None:
    """Where any account's epsilon is limited, a grant without guarantees is over budget."""
    ledger = _open(tmp_path, math.inf, 1.0)
    ledger.limit("town", "server", Relation.ADD_REMOVE, 8.0, 1e-5)
    ledger.limit("village", "public", Relation.ADD_REMOVE, math.inf, 1.0)
    with pytest.raises(OverBudget, match="promises nothing, and town has accounts with limits"):
        ledger.charge("g", "town", [], KEY, "print", {})
    assert ledger.history("town") == []
    assert ledger.charge("g", "village", [], KEY, "print", {}).new


def test_a_grant_may_cost_nothing(tmp_path: Path) -> None:
    """Where no epsilon is limited, a grant without guarantees is on record and charges nothing."""
    ledger = _open(tmp_path, math.inf, 1.0)
    assert ledger.charge("g", "town", [], KEY, "print", {}).new
    assert ledger.spent("town")[0].epsilon == 0.0
    assert ledger.history("town")[0].guarantees == ()


@pytest.mark.parametrize("where", ["sqlite://", ":memory:", "nosuch://host/x", "sqlite:////no/d/x"])
def test_unusable_places_are_one_sentence(where: str) -> None:
    """Memory, an unknown database and a missing folder are refused as a LedgerError."""
    with pytest.raises(LedgerError):
        Ledger(where)


def test_a_corrupt_file_is_one_sentence(tmp_path: Path) -> None:
    """A file that is no database is refused, and left alone."""
    path = tmp_path / "ledger.db"
    path.write_bytes(b"not a database" * 500)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(path)
    assert path.read_bytes() == b"not a database" * 500


def test_another_database_is_one_sentence(tmp_path: Path) -> None:
    """A database with other columns under our names is refused as a LedgerError."""
    path = tmp_path / "ledger.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE limits (x)")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError):
        Ledger(path).spent("town")


def _spend(path: str, worker: int, results) -> None:
    ledger, granted = Ledger(path), 0
    for turn in range(12):
        try:
            grant_id = f"{worker}-{turn}"
            granted += ledger.charge(grant_id, "town", [_charge(0.01)], KEY, "p", {}).new
        except OverBudget:
            continue
    results.put(granted)


def test_many_processes_share_one_limit(tmp_path: Path) -> None:
    """Three processes asking for 36 grants where 25 fit get exactly 25, all recorded."""
    ledger = _open(tmp_path, epsilon=0.25, delta=1.0)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    path = str(tmp_path / "ledger.db")
    workers = [context.Process(target=_spend, args=(path, w, results)) for w in range(3)]
    for worker in workers:
        worker.start()
    granted = sum(results.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join()
    assert granted == len(ledger.history("town")) == 25
    assert ledger.spent("town")[0].epsilon == 0.25


def test_a_postgresql_ledger_works_alike() -> None:
    """With a driver and a server at hand, the same promises hold on PostgreSQL."""
    url = os.environ.get("TACIT_TEST_POSTGRESQL", POSTGRESQL)
    try:
        ledger = Ledger(url)
    except LedgerError as error:
        pytest.skip(f"no PostgreSQL at {url}: {error}")
    town = f"town-{os.getpid()}-{os.urandom(4).hex()}"
    ledger.limit(town, "public", Relation.ADD_REMOVE, 0.3, 1e-5)
    ledger.charge(f"{town}/a", town, [_charge(0.3)], KEY, "print", {})
    assert not ledger.charge(f"{town}/a", town, [_charge(0.3)], KEY, "print", {}).new
    with pytest.raises(OverBudget):
        ledger.charge(f"{town}/b", town, [_charge(0.1)], KEY, "print", {})
    ledger.close(f"{town}/a")
    assert ledger.charge(f"{town}/a", town, [_charge(0.3)], KEY, "print", {}).root_key is None
