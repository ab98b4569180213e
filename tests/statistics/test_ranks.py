"""Quantiles: near in rank as often as stated, in order, from a curator only."""

import numpy as np
import pytest

import tacit
from tacit.statistics import BoundedQuantiles, quantiles

SHARES = (0.1, 0.5, 0.9)
CENTRAL = tacit.Central(1.0, 0.0)
VALUES = np.random.default_rng(3).gamma(9.0, 4.3, 4_100)


def test_quantiles_are_near_in_rank(tmp_path):
    """All of them, in three of three releases, each of which fails with chance .05; in order."""
    book = tacit.Ledger(tmp_path / "p.db")
    asked = BoundedQuantiles(SHARES, (0, 100), CENTRAL, 4_000)
    terms = {"bounds": (0, 100), "trust": CENTRAL, "people": 4_000, "ledger": book, "name": "p"}
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 3.0, 1e-6)
    for seed in range(3):
        found = quantiles(VALUES, SHARES, **terms, seed=seed)
        below = [np.sum(each > VALUES) for each in found.estimate]

        assert np.all(np.diff(found.estimate) >= 0) and found.plan == asked.plan
        assert np.abs(below - np.array(SHARES) * 4_100).max() <= found.ranks + 1
        assert 0 < found.ranks == asked.ranks < 150


def test_the_whole_epsilon_is_charged_once(tmp_path):
    """Each quantile has a third of it."""
    plan = BoundedQuantiles(SHARES, (0, 100), CENTRAL, 4_000).plan

    assert [each.epsilon for each in plan.server.mechanism.each] == pytest.approx([1 / 3] * 3)
    assert [guarantee.epsilon for guarantee in plan.guarantees] == [1.0]


def test_without_privacy_quantiles_are_exact(tmp_path):
    """Of numbers with a missing one, which is not counted."""
    values = [10.0, 20.0, None, 90.0, 95.0]
    found = quantiles(
        values,
        (0.2, 0.6),
        bounds=(0, 100),
        trust=tacit.NonPrivate(),
        ledger=tmp_path / "p",
        name="p",
    )

    assert found.estimate == pytest.approx([10.0, 90.0], abs=1e-4)
    assert repr(found).splitlines()[-1] == (
        "95% sure to be within 0 people of their ranks; nothing is promised"
    )


@pytest.mark.parametrize("trust", [tacit.Local(1.0), tacit.Shuffled(1.0, 1e-6)])
def test_who_sees_sums_only_cannot_answer(trust, tmp_path):
    """One sentence."""
    with pytest.raises(ValueError, match="only Central"):
        quantiles(VALUES, bounds=(0, 100), trust=trust, ledger=tmp_path / "p.db", name="p")


@pytest.mark.parametrize(
    "shares, said",
    [
        (0.5, "shares must be a tuple of shares, got 0.5"),
        ((), "shares must be a tuple"),
        ((0.5, 0.25), "shares must rise"),
        ((0.5, 50), "share must be a number from 0 to 1"),
    ],
)
def test_shares_rise_from_nought_to_one(shares, said):
    """What is none is refused when it is asked."""
    with pytest.raises(ValueError, match=said):
        BoundedQuantiles(shares, (0, 100), CENTRAL, 10)


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(50.0, 0.0)])
def test_whoever_has_no_number_is_not_counted(trust, tmp_path):
    """Two in five are missing, and the quantiles are those of the others."""
    numbers = np.random.default_rng(4).normal(30, 5, 1000)
    given = np.where(np.arange(1000) % 5 < 2, np.nan, numbers)
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 60.0, 1e-6)
    book = book if trust != tacit.NonPrivate() else tmp_path / "other.db"
    ask = {"bounds": (0, 100), "trust": trust, "ledger": book, "name": "people", "people": 1000}
    found = tacit.statistics.quantiles(given, **ask, seed=1)

    wanted = np.quantile(given[~np.isnan(given)], [0.25, 0.5, 0.75])
    np.testing.assert_allclose(found.estimate, wanted, atol=0.3)
