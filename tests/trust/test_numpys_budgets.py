"""A budget of NumPy's numbers is that of Python's, in every trust model."""

import json
from dataclasses import fields

import numpy as np
import pytest

import tacit
from tacit.record import plain
from tacit.statistics import mean

REPLACE = tacit.Relation.REPLACE_ONE
TRUSTS = [
    tacit.Central(0.5, 0.0, REPLACE),
    tacit.Central(0.5, 2.0**-20, REPLACE),
    tacit.Local(0.5, 30),
    tacit.Shuffled(0.5, 2.0**-20),
    tacit.Aggregated(0.5, 2.0**-20, REPLACE, 0.25),
    tacit.Federated(2.0, tacit.Central(0.5, 2.0**-20, REPLACE), 8.0),
    tacit.Federated(tacit.Split(0.5, 0.25), tacit.Central(0.5, 2.0**-20, REPLACE)),
]
KINDS = {float: np.float32, int: np.int16}


def in_numpys(made):
    """The same, of NumPy's numbers wherever it has some."""
    own = {each.name: getattr(made, each.name) for each in fields(made)}
    for name, value in own.items():
        kind = KINDS.get(type(value))
        own[name] = kind(value) if kind else value
        if isinstance(value, tacit.Central | tacit.Split):
            own[name] = in_numpys(value)
    return type(made)(**own)


@pytest.mark.parametrize("trust", TRUSTS, ids=lambda trust: type(trust).__name__)
def test_a_budget_of_numpys_numbers_is_that_of_pythons(trust):
    """So are its plan and its promises, and JSON knows all of it."""
    given = in_numpys(trust)

    assert given == trust and json.dumps(plain(given)) == json.dumps(plain(trust))
    question = tacit.Mean(tacit.Ball(8, 1.0), tacit.Once(), 5, 5_000)
    assert str(given.plan(question)) == str(trust.plan(question))
    assert given.plan(question).guarantees == trust.plan(question).guarantees


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_a_mean_is_asked_with_numpys_numbers(kind, tmp_path):
    """And answered as with Python's: the whole is charged, and no more."""
    book, trust = tacit.Ledger(tmp_path / "l.db"), tacit.Central(kind(0.5), kind(0))
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, kind(1.0), kind(0.001))
    call = {"bounds": (kind(0), kind(8)), "ledger": book, "name": "p", "people": np.int64(3)}
    found = mean([1.0, 2.0, 3.0], trust=trust, confidence=kind(0.5), **call)

    assert found.plan == tacit.statistics.BoundedMean((0, 8), tacit.Central(0.5, 0.0), 3).plan
    assert [each.epsilon for each in book.spent("p")] == [0.5]
