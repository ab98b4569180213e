"""A durable charge costs at most two bare commits: four processes against the same SQLite settings.

The yardstick is sqlite3 alone: four processes, each BEGIN IMMEDIATE, INSERT, COMMIT, with the
ledger's own settings of durability, in turn with the ledger in the same run. Every charge finds its
account's room, is refused where nothing is left, and is afterwards looked for: none lost, none
twice, the limit never exceeded.

Run: python bench/ledger.py
"""

import multiprocessing
import platform
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from claims import Claim, at_least, settle
from tacit import Ledger, Relation
from tacit.accounting.events import gaussian
from tacit.accounting.guarantee import Guarantee
from tacit.ledger import OverBudget
from tacit.ledger.ledger import Charge

PROCESSES, EACH, ROUNDS, FITTING = 4, 100, 7, 360
SETTINGS = (
    "busy_timeout = 60000",
    "foreign_keys = ON",
    "secure_delete = ON",
    "synchronous = EXTRA",
)
PROMISE = Charge(
    Guarantee("public", "person", Relation.ADD_REMOVE, gaussian(3.0), 0.001, 1e-09, "plain sum")
)
PLAN = {"rounds": 20, "trust": {"Central": {"epsilon": 2.0, "delta": 1e-5}}}


def bare(path: Path) -> Callable[[str], bool]:
    """Commits of one row each, the size of a grant's."""
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in SETTINGS:
        connection.execute(f"PRAGMA {setting}")

    def commit(grant_id: str) -> bool:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO grants VALUES (?, ?)", (grant_id, "x" * 300))
        connection.execute("COMMIT")
        return True

    return commit


def charging(path: Path) -> Callable[[str], bool]:
    """Charges of one account, until nothing is left and beyond."""
    ledger = Ledger(path)
    ledger.spent("town")

    def charge(grant_id: str) -> bool:
        try:
            return ledger.charge(grant_id, "town", [PROMISE], bytes(32), {"data": "same"}, PLAN).new
        except OverBudget:
            return False

    return charge


def worker(name: int, folder: Path, gate, done) -> None:
    """Plays every round of both sides, in step with the others."""
    for turn in range(ROUNDS):
        for side in (bare, charging):
            work = side(folder / f"{side.__name__}{turn}.db")
            gate.wait()
            done.put([i for i in (f"{name}-{n}" for n in range(EACH)) if work(i)])


def timed(gate, done) -> tuple[float, list[str]]:
    """What all processes do in a second, from a common start, and which grants they were given."""
    gate.wait()
    began = time.perf_counter()
    known = [grant for _ in range(PROCESSES) for grant in done.get()]
    return PROCESSES * EACH / (time.perf_counter() - began), known


def check(path: Path, known: list[str]) -> None:
    """The ledger holds what its users were told, and is exactly full."""
    ledger = Ledger(path)
    written = Counter(entry.grant_id for entry in ledger.history("town"))
    (account,) = ledger.spent("town")
    assert written == Counter(known), "a grant was lost, or written that nobody was given"
    assert len(known) == FITTING, "more or fewer grants than fit"
    assert account.epsilon == account.limit_epsilon, "the account is not full"


def play(folder: Path) -> list[tuple[float, float]]:
    """The rates of both sides in every round."""
    for turn in range(ROUNDS):
        connection = sqlite3.connect(folder / f"bare{turn}.db")
        connection.execute("CREATE TABLE grants (grant_id TEXT PRIMARY KEY, plan TEXT)")
        connection.close()
        limit = FITTING * PROMISE.guarantee.epsilon
        book = Ledger(folder / f"charging{turn}.db")
        book.limit("town", "public", Relation.ADD_REMOVE, limit, 1e-5)
    context = multiprocessing.get_context("spawn")
    gate, done = context.Barrier(PROCESSES + 1), context.Queue()
    workers = [
        context.Process(target=worker, args=(name, folder, gate, done), daemon=True)
        for name in range(PROCESSES)
    ]
    for process in workers:
        process.start()
    rates = []
    for turn in range(ROUNDS):
        commits, _ = timed(gate, done)
        charges, known = timed(gate, done)
        check(folder / f"charging{turn}.db", known)
        rates.append((commits, charges))
    for process in workers:
        process.join()
    return rates


def main() -> Iterator[Claim]:
    """Prints the machine and both rates."""
    with tempfile.TemporaryDirectory() as folder:
        rates = play(Path(folder))
    commits, charges = (median(side) for side in zip(*rates, strict=True))

    print(f"{platform.processor() or platform.machine()}, SQLite {sqlite3.sqlite_version}")
    print(f"bare commits, {PROCESSES} processes  {commits:,.0f} a second")
    print(f"charges, {PROCESSES} processes       {charges:,.0f} a second")
    print(
        f"each round                 {FITTING} granted of {PROCESSES * EACH} asked, as many as fit"
    )
    print("lost, doubled, beyond      none")
    ratios = [charged / committed for committed, charged in rates]
    yield at_least("charges over bare commits", ratios, 0.5)


if __name__ == "__main__":
    settle(main())
