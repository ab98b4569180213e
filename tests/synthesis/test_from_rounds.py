"""Rows of a law that is taught in rounds."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.queries import Domain
from tacit.synthesis import FromRounds, Synthesizer
from tacit.synthesis.from_rounds import TaughtLaw
from tacit.synthesis.listed import numbers_of

DOMAIN = {"a": ["x", "y", None], "b": [0, 1], "c": list(range(4))}


def people(many: int = 6_000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    b = rng.integers(0, 2, many)
    a = np.where(b == 1, "x", rng.choice(np.array(["x", "y", None], object), many))
    return pd.DataFrame({"a": a, "b": b, "c": (3 * b + rng.integers(0, 2, many)) % 4})


def made(trust, tmp_path, method: FromRounds, table=None):
    asked = Synthesizer(DOMAIN, trust, 6_000, method)
    book = tacit.Ledger(tmp_path / "people.db")
    if asked.plan.guarantees:
        book.limit_for("people", asked.plan)
    known = people() if table is None else table
    return asked.fit(known, ledger=book, name="people", seed=None if table is None else 1)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_rows_have_what_ties_columns(delta, tmp_path):
    """Where b is 1, a is x: in nearly all rows, of a hundred thousand people's epsilon of 5."""
    own = made(tacit.Central(5.0, delta), tmp_path, FromRounds(15), people())
    rows = own.sample(6_000, seed=1)

    assert list(rows.columns) == list(DOMAIN) and rows.a.isna().any()
    assert (rows[rows.b == 1].a == "x").mean() > 0.9
    assert rows.b.mean() == pytest.approx(0.5, abs=0.04)


def test_the_report_is_of_what_was_asked(tmp_path):
    """A line for each round: the cell by its values, its released share, and that of the law."""
    own = made(tacit.Central(5.0, 0.0), tmp_path, FromRounds(6), people())
    report, law = own.report(), own.law
    assert isinstance(law, TaughtLaw)

    assert len(report) == 6 and all(len(cell) == 2 for cell in report.cell)
    for (query, share), (_, row) in zip(law.told, report.iterrows(), strict=True):
        (first, one), (second, two) = row.cell.items()
        places = [list(DOMAIN).index(name) for name in (first, second)]
        values = (DOMAIN[first].index(one), DOMAIN[second].index(two))
        assert law.cells.named(query) == (tuple(places), values)
        assert row.released == share == pytest.approx(row.of_rows, abs=0.1)
    assert "of 6,000 people" in str(own.plan)


def test_the_published_shares_are_the_mean_before_each_round(tmp_path):
    """They begin with even shares; those that rows are of have heard all rounds."""
    own = made(tacit.Central(5.0, 0.0), tmp_path, FromRounds(1, repeats=0), people())
    assert isinstance(own.law, TaughtLaw)
    np.testing.assert_allclose(own.law.published, 1 / 24)
    assert np.abs(own.law.shares - 1 / 24).max() > 1e-3


def test_without_privacy_the_law_meets_people(tmp_path):
    """After 40 rounds, every cell of every pair within a hundredth."""
    own = made(tacit.NonPrivate(), tmp_path, FromRounds(40))
    assert isinstance(own.law, TaughtLaw)
    cells = own.law.cells
    exact = cells.of(cells.counted(numbers_of(Domain.of(DOMAIN), people())))

    assert np.abs(cells.of(own.law.shares) - exact / 6_000).max() < 0.01


def test_too_many_combinations_are_refused():
    """In one sentence, before anything is charged."""
    wide = {f"q{i}": [0, 1] for i in range(30)}
    with pytest.raises(ValueError, match="from 2 to 4,194,304 combinations"):
        Synthesizer(wide, tacit.Central(1.0, 0.0), 100, FromRounds())
