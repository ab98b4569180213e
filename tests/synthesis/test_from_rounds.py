"""Rows of a law that is taught in rounds."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.queries import Domain
from tacit.solve.table_cells import TableCells, before_each
from tacit.synthesis import FromRounds, Synthesizer, Synthetic
from tacit.synthesis.from_rounds import TaughtLaw
from tacit.synthesis.listed import numbers_of

DOMAIN = {"a": ["x", "y", None], "b": [0, 1], "c": list(range(4))}


def people(many: int = 6_000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    b = rng.integers(0, 2, many)
    a = np.where(b == 1, "x", rng.choice(np.array(["x", "y", None], object), many))
    return pd.DataFrame({"a": a, "b": b, "c": (3 * b + rng.integers(0, 2, many)) % 4})


def made(trust, tmp_path, method: FromRounds) -> Synthetic:
    asked = Synthesizer(DOMAIN, trust, 6_000, method)
    book = tacit.Ledger(tmp_path / "people.db")
    if asked.plan.guarantees:
        book.limit_for("people", asked.plan)
    return asked.fit(people(), ledger=book, name="people", seed=1)


def law_of(synthetic: Synthetic) -> TaughtLaw:
    assert isinstance(synthetic.law, TaughtLaw)
    return synthetic.law


def counted(cells: TableCells) -> np.ndarray:
    """People's own, in each cell."""
    return cells.of(cells.counted(numbers_of(Domain.of(DOMAIN), people())))


def surprises(law: TaughtLaw, rate: float) -> tuple[float, float]:
    """How many deviations both are off their means: sizes of counts' noise, of this rate, and how
    far choices are below the highest score, of half of it."""
    exact = counted(law.cells)
    # Few people's counts are cut at nobody.
    many = [(exact[query], 6_000 * share) for query, share in law.told if exact[query] > 500]
    noise = np.array([abs(count - own) for own, count in many])
    below = []
    for (query, _), shares in zip(law.told, before_each(law.cells, law.told, 0), strict=False):
        scores = np.abs(exact - np.rint(6_000 * law.cells.of(shares)))
        short, chances = scores.max() - scores, np.exp(rate / 2 * (scores - scores.max()))
        mean, square = (short**power @ chances / chances.sum() for power in (1, 2))
        below.append((short[query] - mean, square - mean**2))
    off, variances = np.sum(below, axis=0)
    sizes = (noise.mean() - 1 / rate) * rate * np.sqrt(len(noise))
    return float(sizes), float(off / np.sqrt(variances))


def test_two_thirds_of_the_noise_would_be_noticed(tmp_path):
    """Choices and counts of so much are more than four deviations below."""
    law = law_of(made(tacit.Central(30.0, 0.0), tmp_path, FromRounds(400, repeats=0)))
    assert max(surprises(law, 1 / 40)) < -4


def test_choices_and_counts_have_the_noise_that_is_promised(tmp_path):
    """Of 400 rounds of epsilon 20 each choice and each count has 1/40: within four deviations."""
    law = law_of(made(tacit.Central(20.0, 0.0), tmp_path, FromRounds(400, repeats=0)))
    assert np.abs(surprises(law, 1 / 40)).max() < 4


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_rows_have_what_ties_columns(delta, tmp_path):
    """Where b is 1, a is x: in nearly all rows, at an epsilon of 5."""
    own = made(tacit.Central(5.0, delta), tmp_path, FromRounds(15))
    rows = own.sample(6_000, seed=1)

    assert list(rows.columns) == list(DOMAIN) and rows.a.isna().any()
    assert (rows[rows.b == 1].a == "x").mean() > 0.9
    assert rows.b.mean() == pytest.approx(0.5, abs=0.04)


def test_the_report_is_of_what_was_asked(tmp_path):
    """A line for each round: the cell by its values, its released share, and that of the law."""
    own = made(tacit.Central(5.0, 0.0), tmp_path, FromRounds(6))
    report, law = own.report(), law_of(own)

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
    law = law_of(made(tacit.Central(5.0, 0.0), tmp_path, FromRounds(1, repeats=0)))
    np.testing.assert_allclose(law.published, 1 / 24)
    assert np.abs(law.shares - 1 / 24).max() > 1e-3


def test_without_privacy_the_law_meets_people(tmp_path):
    """After 40 rounds, every cell of every pair within a hundredth."""
    law = law_of(made(tacit.NonPrivate(), tmp_path, FromRounds(40)))
    off = law.cells.of(law.shares) - counted(law.cells) / 6_000

    assert np.abs(off).max() < 0.01


def test_too_many_combinations_are_refused():
    """In one sentence, before anything is charged."""
    wide = {f"q{i}": [0, 1] for i in range(30)}
    with pytest.raises(ValueError, match="from 2 to 4,194,304 combinations"):
        Synthesizer(wide, tacit.Central(1.0, 0.0), 100, FromRounds())
