"""One process of a run that several play, for `test_hosts`: every scene, one after the other.

Run: python -m population.as_a_host FOLDER PORT PROCESS OF   (from tests/)

It joins the others at this port, if there are others, and prints what became of each scene as JSON.
Random words are of a generator that compiles fast; `cli.test_several` has the library's own in
several processes.
"""

import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import quick_keys
import tacit
from tacit.ledger import LedgerError
from tacit.noise import chacha
from tacit.population import Checkpoint, hosts
from tacit.population.grant import Grant
from tacit.statistics.answers import Answers

PEOPLE, DIM, ROUNDS = 60, 3, 6
REPLACE = tacit.Central(2.0, 1e-6, tacit.Relation.REPLACE_ONE)
FEDERATED = tacit.Federated(4.0, REPLACE)
DATA = np.random.default_rng(0).standard_normal((PEOPLE, DIM)).astype(np.float32) / 4


class Stopped(Exception):
    """What a watch raises."""


def plan(trust: Any = FEDERATED) -> tacit.Plan:
    return trust.plan(tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Fixed(8), ROUNDS, PEOPLE))


def granted(
    folder: Path, book: str, asked: tacit.Plan, data: np.ndarray = DATA, **named: Any
) -> Grant:
    """A grant whose ledger is a path: of a process that is not the first it is never opened."""
    learner = Answers(ROUNDS, shape=(DIM,))
    return tacit.Arrays(data, "sixty").grant(asked, learner, folder / book, **named)


def ledger(folder: Path, book: str, *plans: tacit.Plan) -> tacit.Ledger | None:
    """The ledger of the first process, with room for these."""
    if not hosts.first():
        return None
    made = tacit.Ledger(folder / book)
    for each in plans:
        made.limit_for("sixty", each, times=4)
    return made


def bits(state: Any) -> str:
    leaves = [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(state)]
    return hashlib.sha256(b"".join(leaves)).hexdigest()


def entries(book: tacit.Ledger | None) -> list[bool]:
    """Of each grant in the ledger, whether it is finished."""
    return [entry.closed is not None for entry in book.history("sixty")] if book else []


def said(scene: Callable[[], Any]) -> str:
    """The error that a scene ends with."""
    try:
        scene()
    except (ValueError, LedgerError, hosts.HostError, Stopped) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def same(folder: Path) -> Any:
    """Seeded runs, in blocks and watched."""
    found, seen = [], []
    ledger(folder, "same.db", plan())
    for watch in (None, lambda rounds, state: seen.append(rounds)):
        grant = granted(folder, "same.db", plan(), seed=3)
        found.append(bits(grant.run(watch=watch).state))
    return [found, seen]


def secret(folder: Path) -> Any:
    """A run of a fresh key, and a simulation of one."""
    book = ledger(folder, "secret.db", plan())
    state = granted(folder, "secret.db", plan()).run().state
    played = tacit.simulation.Simulated(tacit.Arrays(DATA, "sixty"), 4).run(
        plan(REPLACE), Answers(ROUNDS, shape=(DIM,))
    )
    return [bits(state), bits(played.state), entries(book)]


def unlike(folder: Path) -> Any:
    """Other data, another plan, another learner in the last process."""
    own = jax.process_index() + 1 < jax.process_count()
    book = ledger(folder, "unlike.db", plan())
    other = {
        "data": functools.partial(granted, folder, "unlike.db", plan(), DATA if own else -DATA),
        "plan": functools.partial(
            granted, folder, "unlike.db", plan(REPLACE if own else FEDERATED)
        ),
    }
    return [*(said(each) for each in other.values()), entries(book)]


def refused(folder: Path) -> Any:
    """No limit in the ledger; too few people in the last process; rows, which one gathers."""
    book = ledger(folder, "refused.db")
    few = DATA[:1] if jax.process_index() + 1 == jax.process_count() else DATA
    rows = tacit.OfRows(tacit.Interval(-1.0, 1.0), PEOPLE, tacit.question.Quantile(0.5))
    scenes = [
        functools.partial(granted, folder, "refused.db", plan()),
        functools.partial(granted, folder, "refused.db", plan(), few),
        functools.partial(granted, folder, "refused.db", tacit.Central(1.0, 0.1).plan(rows)),
    ]
    return [*map(said, scenes), entries(book)]


def stopped(folder: Path) -> Any:
    """A watch of the first process raises; the grant is gone on with, and charged once."""

    def stop(rounds: int, state: Any) -> None:
        if rounds == 2:
            raise Stopped("enough")

    book, named = ledger(folder, "stopped.db", plan()), {"grant_id": "g", "seed": 3}
    named["checkpoint"] = Checkpoint(folder / "stopped.npz")
    first = said(lambda: granted(folder, "stopped.db", plan(), **named).run(watch=stop))
    told: list[int] = []
    grant = granted(folder, "stopped.db", plan(), **named)
    state = grant.run(watch=lambda rounds, state: told.append(rounds)).state
    again = said(lambda: granted(folder, "stopped.db", plan(), **named))
    return [first, bits(state), told, again, entries(book)]


def died(folder: Path) -> Any:
    """The last process dies in the third round."""
    book, calls = ledger(folder, "died.db", plan()), []

    def counted(own: Callable[[], int]) -> int:
        calls.append(own)
        if len(calls) == 4 and not hosts.first():
            os._exit(7)
        return number(own)

    number, hosts.number = hosts.number, counted
    named = {"grant_id": "g", "checkpoint": Checkpoint(folder / "died.npz")}
    return [said(granted(folder, "died.db", plan(), **named).run), entries(book)]


def main(folder: Path, port: str, process: int, of: int) -> None:
    chacha.IMPL = quick_keys.IMPL
    if of > 1:
        jax.distributed.initialize(f"127.0.0.1:{port}", of, process)
    own = folder / str(process)
    own.mkdir(parents=True)
    for scene in (same, secret, unlike, refused, stopped, died) if of > 1 else (same,):
        found = scene(own)
        files = sorted(path.name for path in own.iterdir())
        print(json.dumps({"scene": scene.__name__, "found": found, "files": files}), flush=True)
    # A process that ends in order waits for those that are gone.
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
