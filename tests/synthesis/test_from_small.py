"""Rows of a small database."""

import numpy as np

import tacit
from tacit.synthesis import FromSmall, Synthesizer
from tacit.synthesis.from_small import SmallLaw

DOMAIN = {"a": ["x", "y"], "b": [0, 1, 2]}
TABLE = {"a": ["x", "x", "y"] * 100, "b": [0, 0, 2] * 100}


def test_rows_are_of_the_database_that_was_chosen(tmp_path):
    """Two thirds of people are of one kind, and a database of three rows can be like them."""
    asked = Synthesizer(DOMAIN, tacit.Central(2.0, 0.0), 300, FromSmall(3))
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan)
    made = asked.fit(TABLE, ledger=book, name="people", seed=1)
    assert isinstance(made.law, SmallLaw)
    rows = made.sample(90, seed=0)

    np.testing.assert_allclose(made.law.shares, [[2 / 3, 0, 0], [0, 0, 1 / 3]])
    assert ((rows.a == "x") & (rows.b == 0)).sum() == 60 and len(rows) == 90
    assert made.report().empty
    assert "the nearest database of 3 rows" in str(made.plan)


def test_the_promise_is_pure_whatever_delta_is(tmp_path):
    """And what is proved of the error is on the page, where it says anything."""
    plan = Synthesizer(DOMAIN, tacit.Central(1.0, 1e-6), 300, FromSmall(8)).plan
    (promise,) = plan.guarantees

    assert (promise.epsilon, promise.delta) == (1.0, 0.0)
    assert "95% sure that no cell of the tables is off by more than" in str(plan)
    few = Synthesizer(DOMAIN, tacit.Central(0.1, 0.0), 30, FromSmall(3)).plan
    assert "says nothing about so few people" in " ".join(str(few).split())
