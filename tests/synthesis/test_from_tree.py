"""The tree's method asks what all pairs' does, and makes another law of it."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.synthesis import FromPairs, FromTree, Synthesizer

DOMAIN = {"a": [0, 1, 2], "b": [0, 1, 2], "c": [0, 1, 2, 3], "d": [0, 1]}


def frame(many: int) -> pd.DataFrame:
    """The second column is mostly the first's value, and the last the second's parity."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, many)
    b = np.where(rng.random(many) < 0.8, a, rng.integers(0, 3, many))
    c, d = rng.integers(0, 4, many), np.where(rng.random(many) < 0.9, b % 2, 1)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d})


def test_the_promise_is_that_of_all_pairs():
    """One release, of the same tables with the same noise."""
    trust = tacit.Central(1.0, 1e-6)
    tree, pairs = (
        Synthesizer(DOMAIN, trust, 5_000, method).plan for method in (FromTree(), FromPairs())
    )

    assert tree.guarantees == pairs.guarantees


@pytest.mark.parametrize("method", [FromTree(), FromPairs()], ids=["tree", "mixture"])
def test_without_noise_rows_have_peoples_pairs(method, tmp_path):
    """Of a table whose columns are tied along a tree: by a hundredth in total variation."""
    book = tacit.Ledger(tmp_path / "people.db")
    people = frame(20_000)
    made = Synthesizer(DOMAIN, tacit.NonPrivate(), 20_000, method).fit(
        people, ledger=book, name="people"
    )
    report, rows = made.report(), made.sample(20_000, seed=0)

    assert 6 == len(report) and (report.from_released < 0.015).all()
    for first, second in (("a", "b"), ("b", "d"), ("a", "c")):
        own, true = (pd.crosstab(x[first], x[second], normalize=True) for x in (rows, people))
        assert np.abs(own - true).to_numpy().sum() / 2 < 0.02


def test_the_tree_is_found_through_noise(tmp_path):
    """Of 20,000 people at epsilon one: the second column is between the first and the last."""
    asked = Synthesizer(DOMAIN, tacit.Central(1.0, 1e-6), 20_000, FromTree())
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan)
    law = asked.fit(frame(20_000), ledger=book, name="people", seed=1).law

    assert {(0, 1), (1, 3)} <= {(min(edge), max(edge)) for edge in law.model.edges}
