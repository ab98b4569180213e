"""A small population, a learner and a plan that runs in milliseconds."""

import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.population import run as run_module

PEOPLE = 30


def people(name: str = "thirty", seed: int = 0) -> tacit.Arrays:
    values = np.random.default_rng(seed).uniform(-1, 1, PEOPLE).astype(np.float32)
    return tacit.Arrays(values, name)


def plan(rounds: int = 4, trust=None) -> tacit.Plan:
    trust = trust or tacit.Central(1.0, 1e-5)
    shape = tacit.Interval(-1.0, 1.0)
    return trust.plan(tacit.Mean(shape, tacit.Everyone(), rounds, PEOPLE))


def ledger(folder: Path, public: float = 100.0) -> tacit.Ledger:
    book = tacit.Ledger(folder / "ledger.db")
    book.limit("thirty", "public", tacit.Relation.ADD_REMOVE, public, 1.0)
    for observer in ("public", "server"):
        book.limit("thirty", observer, tacit.Relation.REPLACE_ONE, 100.0, 1.0)
    return book


def spent(book: tacit.Ledger) -> float:
    """What all of these people's accounts were charged together."""
    return sum(account.epsilon for account in book.spent("thirty"))


def play(folder: Path, rounds: int, told: Connection | None = None) -> tacit.Release:
    """A run to be killed: slow rounds, a checkpoint after each; `told` hears of every round."""

    def watch(done: int, state: Any) -> None:
        if told is not None:
            told.send(done)
        time.sleep(0.01)

    run_module.SECONDS_BETWEEN_CHECKPOINTS = 0.0
    asked, book = (plan(rounds), tacit.statistics.Average()), ledger(folder)
    saved = tacit.population.Checkpoint(folder / "state.npz")
    try:
        grant = people().grant(*asked, book, grant_id="g", checkpoint=saved, seed=11)
    except tacit.ledger.Finished:
        return tacit.Release.read("g", "thirty", *asked, book, saved, seeded=True)
    return grant.run(watch=watch)
