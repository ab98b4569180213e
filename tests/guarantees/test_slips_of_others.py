"""Slips that other programs for the same statistics have, or had: none of them is here.

Each is held by a test, most beside what it is about:

| slip | where it would be caught |
| --- | --- |
| a whitening that is not transposed | `test_normal_covariance`, the predicted error |
| noise of one variance on all numbers of a matrix | `test_symmetric`, the same in every basis |
| one Wishart alone as noise | `test_wishart`, neighbours' densities |
| a Bingham law by a bound that is divided by | `test_bingham`, no other law |
| clusters that nobody is in are skipped | the audit of k-means, alone in a cluster |
| budgets halved twice, ties on both sides | `test_approximate_quantiles`, textbook's lists |
| far gaps drown in a transform's rounding | `test_joint_law`, far gaps |
| the closest two people set a width | `test_joint_quantiles`, one more beside another or in a tie |
| bounds, or a norm, taken from the data | `test_pca`, `test_kmeans`, what must be declared |
| what is nearest to whom is kept with a fit | `test_kmeans`, nothing about single people |
| constant data, nobody, missing numbers | `test_rows_that_tell_little` |
| an array is written to, zero is divided by, sums of [l, u] move by u - l | here |
| nobody and somebody differ by what is divided by | here |
| a noisy count below one ends a fit | here |
| a delta makes each level's part of epsilon smaller than it is | here |
"""

from typing import Any

import numpy as np
import pytest

import tacit
from tacit import statistics
from tacit.estimators import PCA, GaussianMixture, KMeans, TruncatedSVD

REPLACE = tacit.Relation.REPLACE_ONE
CURATOR, PEOPLE = tacit.Central(2.0, 1e-6), 60
ROWS = np.random.default_rng(0).uniform(-1, 1, (PEOPLE, 3))


def terms(folder) -> dict[str, Any]:
    book = tacit.Ledger(folder / "p.db")
    for relation in tacit.Relation:
        book.limit("p", "public", relation, 50.0, 1e-2)
    return {"ledger": book, "name": "p", "seed": 0}


DECLARED: dict[str, Any] = {"trust": CURATOR, "people": PEOPLE}


def moving() -> statistics.GaussianMean:
    """Rounds that move a centre."""
    return statistics.GaussianMean(3, 5.0, 1.0, tacit.Central(2.0, 1e-6, REPLACE), PEOPLE)


@pytest.mark.parametrize(
    "asked",
    [
        lambda rows, own: statistics.mean(rows[:, 0], bounds=(-1, 1), **DECLARED, **own),
        lambda rows, own: statistics.covariance(rows, bounds=(-1, 1), **DECLARED, **own),
        lambda rows, own: moving().of(rows, own["ledger"], "p", seed=0),
        lambda rows, own: TruncatedSVD(radius=2.0, seed=0, **DECLARED).fit(rows),
    ],
    ids=["a column", "columns", "rounds", "a fit"],
)
def test_nobodys_array_is_written_to(asked, tmp_path):
    """By a statistic, of one column or several, by rounds that move a centre, or by a fit."""
    rows = ROWS.copy()
    rows.flags.writeable = False
    asked(rows, terms(tmp_path))

    np.testing.assert_array_equal(rows, ROWS)


def test_people_who_are_at_the_centre_are_answered(tmp_path):
    """Whose distance from it is zero: no direction is divided by it."""
    own = terms(tmp_path)
    found = moving().of(np.zeros((PEOPLE, 3)), own["ledger"], "p", seed=0)

    assert np.isfinite(found.estimate).all()


@pytest.mark.parametrize(
    "make, found",
    [
        (lambda **own: KMeans(CURATOR, n_clusters=2, **own), "cluster_centers_"),
        (lambda **own: PCA(CURATOR, **own), "mean_"),
    ],
)
def test_where_bounds_are_does_not_matter(make, found):
    """A person moves sums by half the distance of the bounds, and not by what they have: plans are
    the same between 100 and 101, and what is found is moved with them."""
    near, far = (
        make(bounds=(middle - 0.5, middle + 0.5), people=PEOPLE, seed=0).fit(ROWS / 2 + middle)
        for middle in (0, 100)
    )

    assert near.plan_.guarantees == far.plan_.guarantees
    np.testing.assert_allclose(getattr(far, found) - getattr(near, found), 100.0, atol=1e-3)


def test_where_the_bounds_of_a_mean_are_does_not_matter():
    """Its error is that of their distance."""
    asked = [statistics.BoundedMean(each, CURATOR, PEOPLE) for each in ((0, 1), (100, 101))]
    assert asked[0].rmse == pytest.approx(asked[1].rmse)


def test_a_mean_of_nobody_is_answered_as_one_of_somebody(tmp_path):
    """Within the bounds, and under the same promise: no division tells that nobody is there."""
    asked = statistics.BoundedMean((0, 1), tacit.Central(0.5, 0.0), 10)
    book = terms(tmp_path)["ledger"]
    nobody, one = (asked.of(np.ones(many), book, "p", seed=0) for many in (0, 1))

    assert 0 <= float(nobody.estimate) <= 1 and 0 <= float(one.estimate) <= 1
    first, second = (entry.charges for entry in book.history("p"))
    assert first == second


def test_one_who_is_added_to_nobody_moves_sums_as_one_who_is_added_to_many(tmp_path):
    """What is divided by is asked for, with noise of its own: means of nobody are answered, and
    over many releases overlap with those of one person at an end."""
    asked = statistics.BoundedMean((0, 1), tacit.Central(0.5, 0.0), 10)
    book = terms(tmp_path)["ledger"]
    nobody, one = (
        np.array([float(asked.of(values, book, "p", seed=s).estimate) for s in range(40)])
        for values in (np.array([]), np.array([1.0]))
    )

    assert np.all((nobody >= 0) & (nobody <= 1) & (one >= 0) & (one <= 1))
    assert len(np.unique(nobody)) > 2 and nobody.max() >= np.median(one) >= nobody.min()


@pytest.mark.parametrize("seeds", [1, 6])
@pytest.mark.parametrize("columns", [2, 4])
@pytest.mark.parametrize("kind, many", [(KMeans, "n_clusters"), (GaussianMixture, "n_components")])
def test_counts_that_noise_brings_below_one_end_no_fit(kind, many, columns, seeds):
    """Of nobody half of all counts are: every seed is answered within the bounds, whether cells or
    rounds find what is there."""
    rows, own = np.zeros((0, columns)), {many: 2, "bounds": (-1, 1), "people": PEOPLE}
    for seed in range(seeds):
        made = kind(tacit.Central(0.5, 1e-6), seed=seed, **own).fit(rows)
        centres = made.cluster_centers_ if kind is KMeans else made.means_
        assert np.abs(centres).max() <= 1 + 1e-6


def test_a_delta_costs_quantiles_nothing():
    """They are drawn by a pure epsilon, whole, however many levels there are: with a delta ranks
    are as near as without."""
    for shares in ((0.5,), tuple(k / 16 for k in range(1, 16))):
        without, beside = (
            statistics.BoundedQuantiles(shares, (0, 100), tacit.Central(0.3, delta), 900)
            for delta in (0.0, 1e-6)
        )
        assert beside.ranks == without.ranks
        assert beside.plan.guarantees[0].epsilon == without.plan.guarantees[0].epsilon
