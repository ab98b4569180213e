"""Quantiles: near in rank as often as stated, in order; of counted cells, as predicted."""

import numpy as np
import pytest

import tacit
from tacit.statistics import BoundedQuantiles, median, quantiles

SHARES = (0.1, 0.5, 0.9)
CENTRAL = tacit.Central(1.0, 0.0)
VALUES = np.random.default_rng(3).gamma(9.0, 4.3, 4_100)
REPLACE = tacit.Relation.REPLACE_ONE
SUMS_ONLY = [
    tacit.Local(4.0),
    tacit.Shuffled(1.0, 1e-6),
    tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE)),
    tacit.Federated(4.0, tacit.Central(1.0, 1e-6, tacit.Relation.ZERO_OUT)),
]


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


def test_ranks_are_said_of_the_declared_number_and_not_of_the_true_one(tmp_path):
    """Which is a secret that nobody paid for: what is printed is the same of half as many rows."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 9.0, 1e-6)
    terms = {"bounds": (0, 100), "trust": CENTRAL, "people": 4_000, "ledger": book, "name": "p"}
    said = [
        " ".join(repr(quantiles(values, SHARES, **terms, seed=1)).split()).partition("95%")[2]
        for values in (VALUES, VALUES[::2])
    ]

    assert said[0] == said[1] and "people of their ranks, of 4,000 declared, of numbers" in said[0]


def test_the_whole_epsilon_is_charged_once(tmp_path):
    """Quantiles together have it, and so has the question of how many people there are."""
    plan = BoundedQuantiles(SHARES, (0, 100), CENTRAL, 4_000).plan
    mechanism = plan.server.mechanism

    assert mechanism.epsilon == 1.0 > mechanism.exponent + mechanism.asking > 0.999
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
    assert " ".join(repr(found).split()).endswith(
        "95% sure to be within 0 people of their ranks, of 5 declared, of numbers rounded to steps "
        "of 5.96046e-06; nothing is promised"
    )


@pytest.mark.parametrize("trust", SUMS_ONLY, ids=lambda trust: type(trust).__name__)
def test_who_sees_sums_only_counts_cells(trust, tmp_path):
    """And reads quantiles between their ends: near in rank as predicted, in order, no bound; what
    is charged is the plan's, to everybody that it is promised against."""
    book = tacit.Ledger(tmp_path / "p.db")
    asked = BoundedQuantiles(SHARES, (0, 100), trust, 4_100)
    book.limit_for("p", asked.plan)
    terms = {"bounds": (0, 100), "trust": trust, "ledger": book, "name": "p"}
    found = quantiles(VALUES, SHARES, **terms, seed=1)
    off = [
        np.mean(each > VALUES) - share for each, share in zip(found.estimate, SHARES, strict=True)
    ]

    assert np.abs(4_100 * np.array(off)).max() < 5 * found.rank_rmse < 2_000
    assert np.all(np.diff(found.estimate) >= 0) and found.ranks is None
    said = " ".join(repr(found).split())
    assert "people off in rank (root mean square, predicted for numbers that fill an eighth" in said
    assert "evenly), of 4,100 declared, read within cells " in said
    assert found.plan == asked.plan and found.rank_rmse == asked.rank_rmse
    promised = {each.observer: each.epsilon for each in asked.plan.guarantees}
    assert promised == {each.observer: each.epsilon for each in book.spent("p")}


def test_the_median_is_one_number(tmp_path):
    """That of `quantiles` with one share, from the same seed."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 9.0, 1e-6)
    terms = {"bounds": (0, 100), "trust": CENTRAL, "people": 4_000, "ledger": book, "name": "p"}
    one, several = median(VALUES, **terms, seed=1), quantiles(VALUES, (0.5,), **terms, seed=1)

    assert one.estimate == several.estimate[0] and one.labels == ()
    assert one.asked == "median of p" and one.ranks == several.ranks


@pytest.mark.parametrize(
    "shares, said",
    [
        (0.5, "shares must be a tuple of shares, got 0.5"),
        ((), "shares must be a tuple"),
        ({0.5: 1}, "shares must be a tuple of shares, got dict"),
        ((0.5, 0.25), "shares must rise"),
        ((0.5, 50), "share must be a number from 0 to 1"),
    ],
)
def test_shares_rise_from_nought_to_one(shares, said):
    """What is none is refused when it is asked."""
    with pytest.raises(ValueError, match=said):
        BoundedQuantiles(shares, (0, 100), CENTRAL, 10)
    assert BoundedQuantiles(np.array([0, 0.5]), (0, 100), CENTRAL, 10).shares == (0.0, 0.5)


@pytest.mark.parametrize("shares", [(0.5,), tuple(np.arange(1, 65) / 65)])
def test_a_confidence_that_no_rank_has_is_refused(shares):
    """Of one, and of many by halving; where it is named ranks are stated."""
    with pytest.raises(ValueError, match="confidence must leave ranks known, as"):
        BoundedQuantiles(shares, (0, 100), CENTRAL, 1_000, 1 - 1e-16)
    assert 0 < (BoundedQuantiles(shares, (0, 100), CENTRAL, 1_000, 0.999999).ranks or 0) < np.inf


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(50.0, 0.0), tacit.Local(30.0)])
def test_whoever_has_no_number_is_not_counted(trust, tmp_path):
    """Two in five are missing, and the quantiles are those of the others."""
    numbers = np.random.default_rng(4).normal(30, 5, 1000)
    given = np.where(np.arange(1000) % 5 < 2, np.nan, numbers)
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", BoundedQuantiles(SHARES, (0, 100), trust, 1_000).plan)
    ask = {"bounds": (0, 100), "trust": trust, "ledger": book, "name": "people", "people": 1000}
    found = tacit.statistics.quantiles(given, **ask, seed=1)

    wanted = np.quantile(given[~np.isnan(given)], [0.25, 0.5, 0.75])
    within = 1.0 if isinstance(trust, tacit.Local) else 0.3
    np.testing.assert_allclose(found.estimate, wanted, atol=within)


@pytest.mark.parametrize("name", ["whole years", "marks", "mostly none", "one or the other"])
def test_what_many_people_share_is_released_itself(name, tmp_path):
    """All are within the ranks that are stated; a mark of which hundreds are sure is a mark."""
    rng = np.random.default_rng(0)
    values, bounds = {
        "whole years": (np.floor(rng.gamma(9.0, 4.3, 5_000)), (0, 100)),
        "marks": (np.repeat([1.0, 2, 3, 4, 5], [250, 500, 1000, 2000, 1250]), (1, 5)),
        "mostly none": (np.where(rng.random(5_000) < 0.7, 0.0, rng.gamma(2, 20, 5_000)), (0, 500)),
        "one or the other": (rng.integers(0, 2, 5_000).astype(float), (0, 1)),
    }[name]
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 20.0, 1e-6)
    terms = {"bounds": bounds, "trust": CENTRAL, "people": 5_000, "ledger": book, "name": "p"}
    for seed in range(5):
        found = quantiles(values, SHARES, **terms, seed=seed)
        for share, each in zip(SHARES, found.estimate, strict=True):
            below, up_to = np.sum(values < each), np.sum(values <= each)
            assert below - found.ranks <= share * 5_000 <= up_to + found.ranks
    if name == "marks":
        assert set(found.estimate) <= set(values)


@pytest.mark.parametrize("values", [[], [None, float("nan")]])
def test_without_privacy_nobody_has_none(values, tmp_path):
    """Not a number, and no error of somebody's index."""
    terms = {"bounds": (0, 100), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}

    assert np.isnan(quantiles(values, SHARES, **terms, people=2).estimate).all()
    assert np.isnan(median(values, **terms, people=2).estimate)


def test_nobody_has_quantiles_too(tmp_path):
    """Where all numbers are missing they are noise, and not a refusal that tells it."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 2.0, 1e-6)
    terms = {"bounds": (0, 100), "trust": CENTRAL, "people": 10, "ledger": book, "name": "p"}
    for values in ([], [None, float("nan")]):
        assert (np.diff(quantiles(values, SHARES, **terms).estimate) >= 0).all()

    assert book.spent("p")[0].epsilon == pytest.approx(2.0)
