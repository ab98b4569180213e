"""`make audit`: `tacit train` stopped fifty times, at moments all over its run, each from a seed.

Every time the process must end with the signal's status and one sentence; the command in it, run by
this one, must end in the models, the receipts and the charges of a run that nobody stopped.

Run: python -m cli.fifty_interruptions [tries]   (from tests/)
"""

import random
import shlex
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner, Result

from cli.at_a_moment import stopped
from tacit.cli.main import app
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger

TRIES = 50
QUICK = ("train", "--no-sweep", "--setting", "central", "--seed", "3", "--limit", "10")
# How often each moment comes in a run of two releases, at the least.
CALLS = {
    "planning": 2,
    "charge": 2,
    "compilation": 2,
    "look": 40,
    "close": 2,
    "between": 3,
    "receipt": 1,
    "report": 1,
}


def drawn(number: int) -> tuple[str, int, int, int]:
    """The moment, its call, the signal and how often, of one try."""
    draw = random.Random(number)
    moment = draw.choice(["look", "compilation", *CALLS])
    signals = draw.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM])
    return moment, draw.randint(1, CALLS[moment]), signals, draw.choice([1, 1, 2])


def end(out: Path) -> object:
    """What a run leaves: models, receipts, charges."""
    models = {path.name: path.read_bytes() for path in (out / "models").iterdir()}
    return models, receipt.read(out / "receipt.json"), Ledger(out / "ledger.db").spent("digits")


def wrong(folder: Path, whole: object, number: int) -> str:
    """What is wrong with one try; nothing, if it ends where a whole run ends."""
    moment, call, sent, times = drawn(number)
    out = folder / f"try {number}"
    done = stopped(moment, call, sent, *QUICK, "--out", out, times=times)
    if done.returncode != 128 + sent:
        return f"status {done.returncode}: {done.stderr[-200:]}"
    told = [line for line in done.stderr.split("\n") if line.startswith("tacit: ")]
    said = told[0] if len(told) == 1 else done.stderr
    if not out.exists():
        return "" if said == "tacit: stopped before anything was charged" else said
    if "\n" in said or "go on with: " not in said:
        return said
    command = shlex.split(said.split("go on with: ")[1])
    again = _run(*command[1:])
    if again.exit_code != 0:
        return f"gone on: status {again.exit_code}: {again.output[-200:]}"
    return "" if end(out) == whole else "another end"


def _run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in args])


def main(tries: int) -> int:
    failed = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        _run(*QUICK, "--out", folder / "whole")
        whole = end(folder / "whole")
        for number in range(tries):
            found = wrong(folder, whole, number)
            failed += bool(found)
            print(number, *drawn(number), found or "as it must be", flush=True)
    print(f"{tries} tries, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TRIES))
