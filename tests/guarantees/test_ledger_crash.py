"""Killed at any moment, a ledger has lost nothing it answered, and doubled nothing.

A nursery forks workers that charge in a loop, and kills them with SIGKILL, one at a time, after a
few random milliseconds; on a slow machine the last live until there is something to compare. Each
worker notes a grant after its charge has returned; the notes are
compared with what is in the ledger afterwards.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tacit.accounting import decimals
from tacit.accounting.events import gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger.filters import Renyi
from tacit.ledger.ledger import Charge, Ledger, OverBudget
from tacit.ledger.limits import NoDeltaWarning

pytestmark = pytest.mark.timing

KILLS, FITTING = (50, 500), 40
TOWN = [
    Charge(
        Guarantee(
            "public", "person", Relation.ADD_REMOVE, gaussian(40.0), 0.001, 1e-09, "plain sum"
        )
    ),
    Charge(
        Guarantee("server", "person", Relation.ADD_REMOVE, local(0.002), 0.002, 0.0, "plain sum")
    ),
]
VILLAGE = [
    Charge(Guarantee("public", "person", Relation.ADD_REMOVE, local(0.01), 0.01, 0.0, "plain sum"))
]
RENYI = Renyi.fitting(30.0, 1e-5)

NURSERY = """
import os, random, signal, sys, time
from collections import Counter
from pathlib import Path

from tacit.ledger.ledger import Ledger, OverBudget
from test_ledger_crash import TOWN, VILLAGE

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
ledger, chance = Ledger(folder / "ledger.db"), random.Random(1)
notes = os.open(folder / "notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
ledger.spent("town")


def work(name):
    for turn in range(10**6):
        population, asked = (("town", TOWN), ("village", VILLAGE))[turn % 2]
        grant_id = f"{population}/{name}/{turn}"
        try:
            opened = ledger.charge(grant_id, population, asked, bytes(32), {"data": "same"}, {})
        except OverBudget:
            os.write(notes, f"refused {grant_id}\\n".encode())
            continue
        assert opened.new
        os.write(notes, f"charged {grant_id}\\n".encode())


def born(name):
    child = os.fork()
    if child == 0:
        try:
            work(name)
        finally:
            os._exit(1)
    return child


workers = [born(name) for name in range(3)]
for killed in range(kills):
    time.sleep(chance.uniform(0, 0.03))
    at = chance.randrange(len(workers))
    os.kill(workers[at], signal.SIGKILL)
    _, status = os.waitpid(workers[at], 0)
    assert os.WIFSIGNALED(status), "a worker ended by itself"
    workers[at] = born(3 + killed)


def enough():
    words = Counter(line.split()[0] for line in (folder / "notes").read_text().splitlines())
    return words["charged"] > 100 and words["refused"] > 0


while not enough():
    time.sleep(0.01)
for worker in workers:
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
"""


@pytest.fixture(scope="module", params=KILLS)
def kills(request) -> int:
    """Fifty are many: a charge is most of what a worker does, so most kills are in one."""
    return request.param


@pytest.fixture(scope="module")
def survived(kills: int, tmp_path_factory) -> Path:
    """A folder with a ledger whose writers were killed so often, and their notes."""
    folder = tmp_path_factory.mktemp("crash")
    ledger = Ledger(folder / "ledger.db")
    ledger.limit("town", "public", Relation.ADD_REMOVE, 30.0, 1e-5, filter=RENYI)
    with pytest.warns(NoDeltaWarning):
        ledger.limit("town", "server", Relation.ADD_REMOVE, 1000.0, 0.0)
        ledger.limit("village", "public", Relation.ADD_REMOVE, FITTING * 0.01, 0.0)
    command = [sys.executable, "-W", "ignore", "-c", NURSERY, str(folder), str(kills)]
    done = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return folder


def noted(folder: Path, word: str) -> list[str]:
    lines = (folder / "notes").read_text().splitlines()
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def entered(folder: Path) -> Counter:
    ledger = Ledger(folder / "ledger.db")
    return Counter(e.grant_id for name in ("town", "village") for e in ledger.history(name))


def test_the_totals_are_the_sums_of_the_entries(survived: Path) -> None:
    """Every account reads exactly what its entries add up to, charged all together or not."""
    ledger = Ledger(survived / "ledger.db")
    entries = ledger.history("town")
    public, server = ledger.spent("town")
    sums = RENYI.nothing
    for entry in entries:
        assert entry.charges == tuple(TOWN)
        sums = decimals.add(sums, RENYI.cost(entry.charges[0].guarantee))
    limit = decimals.exact(30.0), decimals.exact(1e-5)
    epsilon, delta = RENYI.reading(sums, *limit)
    assert (public.epsilon, public.delta) == (decimals.printed(epsilon), decimals.printed(delta))
    assert server.epsilon == decimals.printed(len(entries) * decimals.exact(0.002))


def test_every_answered_charge_is_there_once(survived: Path, kills: int) -> None:
    """What was answered is kept, nothing is there twice, and at most one grant a kill is more."""
    answered, written = noted(survived, "charged"), entered(survived)
    assert len(answered) == len(set(answered)) > 100
    assert set(written.values()) == {1}
    assert set(answered) <= set(written)
    assert len(written) - len(answered) <= kills + 3


def test_nothing_refused_was_charged(survived: Path) -> None:
    """A refusal is final: no refused grant is in the ledger."""
    refused = set(noted(survived, "refused"))
    assert refused and not refused & set(entered(survived))


def test_the_limit_was_filled_and_never_exceeded(survived: Path) -> None:
    """Exactly as many grants as fit, whatever died in between."""
    ledger = Ledger(survived / "ledger.db")
    (account,) = ledger.spent("village")
    assert len(ledger.history("village")) == FITTING
    assert account.epsilon == account.limit_epsilon
    with pytest.raises(OverBudget):
        ledger.charge("late", "village", VILLAGE, bytes(32), {"data": "same"}, {})


def test_asking_again_after_a_kill_charges_once(survived: Path) -> None:
    """A grant that was committed and never answered is opened, not charged, by its retry."""
    ledger = Ledger(survived / "ledger.db")
    unanswered = set(entered(survived)) - set(noted(survived, "charged"))
    again = sorted(unanswered) or noted(survived, "charged")[-1:]
    before = ledger.spent("town")
    for grant_id in again:
        population = grant_id.split("/")[0]
        asked = TOWN if population == "town" else VILLAGE
        assert not ledger.charge(grant_id, population, asked, bytes(32), {"data": "same"}, {}).new
    assert ledger.spent("town") == before
