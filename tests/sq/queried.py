"""People made for learners of statistical queries, and what a learner knows after asking them."""

from pathlib import Path
from typing import Any

import jax
import numpy as np

import tacit
from tacit.sq.oracle import QueryLearning

REPLACE = tacit.Relation.REPLACE_ONE
# One of every kind, so loud that 30,000 people are understood.
TRUSTS = [
    tacit.NonPrivate(),
    tacit.Central(1.0, 0.0),
    tacit.Central(1.0, 1e-6),
    tacit.Local(6.0),
    tacit.Shuffled(1.0, 1e-6),
    tacit.Federated(12.0, tacit.Central(4.0, 1e-6, REPLACE)),
    tacit.Federated(40.0, tacit.Central(4.0, 1e-6)),
]


def named(trust: Any) -> str:
    return f"{type(trust).__name__}-{getattr(trust, 'delta', '')}"


def state_of(learner: Any, trust: Any, data: Any, folder: Path, seed: int = 1) -> Any:
    """What it knows, asked under this trust."""
    asked = QueryLearning(learner, trust, len(jax.tree.leaves(data)[0]))
    book = tacit.Ledger(folder / f"{seed}.db")
    if asked.plan.private:
        book.limit_for("people", asked.plan)
    return asked.of(data, book, "people", seed=seed).state


def bits_of(people: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (people, dim)).astype(np.float32)
