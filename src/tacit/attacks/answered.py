"""A plan's answer about made people, whose accounts are in a ledger of their own and go with it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from jaxtyping import Float, Float32

from tacit.ledger.ledger import Ledger
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.statistics.average import Average

NAME = "made people"


def mean_of(
    plan: Plan, terms: Float32[np.ndarray, "people numbers"], seed: int
) -> Float[np.ndarray, " numbers"]:
    """The mean of their terms, as the plan answers it; `seed` is of its noise."""
    with own_ledger(plan) as book:
        learner = Average((terms.shape[1],))
        release = Arrays(terms, NAME).grant(plan, learner, book, seed=seed).run()
    return np.asarray(release.answer, np.float64)


@contextmanager
def own_ledger(plan: Plan) -> Iterator[Ledger]:
    """With room for this plan, once, of the made people."""
    with tempfile.TemporaryDirectory() as folder:
        book = Ledger(Path(folder) / "made people.db")
        book.limit_for(NAME, plan)
        yield book
