"""k-means: near scikit-learn's without privacy and with it, in the data's units; no labels kept."""

from functools import cache

import numpy as np
import pytest
import sklearn.cluster
from sklearn.exceptions import NotFittedError

import tacit
from tacit.estimators import KMeans

REPLACE = tacit.Relation.REPLACE_ONE
PEOPLE, CLUSTERS = 4_000, 4
# Farther apart in the wide column, and nearer as a part of its bounds.
MIDDLES = np.array([[10.0, -0.5], [10.0, 1.5], [15.0, -0.5], [15.0, 1.5]])
BOUNDS = (np.array([0.0, -1.0]), np.array([40.0, 2.0]))


def near(middles: np.ndarray, width: float) -> np.ndarray:
    host = np.random.default_rng(0)
    held = middles[host.integers(0, len(middles), PEOPLE)]
    return held + width * host.normal(size=held.shape)


FLAT = np.array([[-0.6, -0.6], [0.6, -0.5], [-0.5, 0.6], [0.6, 0.6]])
X = near(FLAT, 0.1)
# Along the first axes of many.
MANY = near(np.hstack([FLAT, np.zeros((4, 14))]), 0.05)


def model(trust, **others) -> KMeans:
    given = {"bounds": (-1.0, 1.0), "people": PEOPLE, "n_clusters": CLUSTERS, "seed": 0}
    return KMeans(trust, **(given | others))


@cache
def peer(columns: int) -> sklearn.cluster.KMeans:
    """Scikit-learn's, of the rows that have so many."""
    rows = X if columns == 2 else MANY
    return sklearn.cluster.KMeans(CLUSTERS, n_init=5, random_state=0).fit(rows)


def spread(found: KMeans, rows: np.ndarray) -> float:
    """The mean squared distance from the nearest centre, over scikit-learn's."""
    own = sklearn.cluster.KMeans(CLUSTERS, n_init=5, random_state=0)
    exact = peer(rows.shape[1]) if rows is X or rows is MANY else own.fit(rows)
    return -found.score(rows) / exact.inertia_


@pytest.mark.parametrize(
    "trust, most",
    [
        (tacit.NonPrivate(), 1.01),
        (tacit.Central(0.5, 0.0), 1.05),
        (tacit.Central(0.5, 0.0, REPLACE), 1.1),
        (tacit.Local(4.0), 1.1),
    ],
)
def test_clusters_in_few_columns_are_found_and_charged(trust, most, tmp_path):
    """From one histogram; with the promise's own numbers."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    first = model(trust).fit(X)
    book.limit_for("people", first.plan_)
    found = model(trust, ledger=book).fit(X)

    assert spread(found, X) < most
    assert np.array_equal(found.cluster_centers_, first.cluster_centers_)
    assert "OneHot" == found.receipt_["plan"]["question"]["contribution"]["type"]
    promised = [promise.epsilon for promise in found.plan_.guarantees]
    assert [account.epsilon for account in book.spent("people")] == pytest.approx(promised)


@pytest.mark.parametrize(
    "trust, shape, most",
    [
        (tacit.NonPrivate(), "Ball", 1.05),
        (tacit.Central(1.0, 1e-6), "Ball", 1.5),
        (tacit.Central(4.0, 0.0), "L1Ball", 1.5),
        (tacit.Federated(30.0, tacit.Central(4.0, 1e-6, REPLACE)), "Ball", 4.0),
    ],
)
def test_clusters_in_many_columns_are_found_in_rounds(trust, shape, most):
    """All of one shape, in which a person moves sums alike however many clusters there are."""
    found = model(trust).fit(MANY)

    assert spread(found, MANY) < most
    assert found.plan_.sums.rounds > 1
    assert shape == type(found.plan_.sums.contribution).__name__
    assert 1.0 == found.plan_.sums.contribution.radius


def test_many_clusters_in_part_of_a_wide_box_are_all_found():
    """16 in 30 columns, in a fiftieth of the box; rounds about seeds that are laid miss most."""
    host = np.random.default_rng(1)
    middles = host.normal(size=(16, 30)) / np.sqrt(30)
    rows = np.repeat(middles, 1_000, axis=0) + 0.02 * host.normal(size=(16_000, 30))
    trust = tacit.Central(2.0, 1e-6)
    found = KMeans(trust, bounds=(-3.0, 3.0), people=16_000, n_clusters=16, seed=0).fit(rows)
    floor = 30 * 0.02**2

    assert -found.score(rows) / len(rows) < 1.1 * floor


def test_distances_are_those_of_the_datas_own_units():
    """With bounds of different widths: what is far in the wide column is far."""
    rows = near(MIDDLES, 0.05)
    found = KMeans(tacit.NonPrivate(), bounds=BOUNDS, n_clusters=2).fit(rows)
    left, right = found.cluster_centers_[found.cluster_centers_[:, 0].argsort()]

    assert left == pytest.approx([10.0, 0.5], abs=0.5)
    assert right == pytest.approx([15.0, 0.5], abs=0.5)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_bounds_whose_squares_are_no_floats_are_as_good_as_any(unit):
    """Centres are those of other units."""
    same = model(tacit.Central(1.0, 0.0)).fit(X)
    found = model(tacit.Central(1.0, 0.0), bounds=(-unit, unit)).fit(unit * X)

    assert found.cluster_centers_ / unit == pytest.approx(same.cluster_centers_, rel=1e-3)


def test_nothing_about_single_people_is_kept():
    """Labels and their sums of squares are for whoever asks, with rows of their own."""
    found = model(tacit.Central(1.0, 0.0)).fit(X)
    kept = {name for name in vars(found) if name.endswith("_")}

    fitted = {"cluster_centers_", "foreseen_rmse_", "plan_", "receipt_", "n_features_in_"}
    assert fitted == kept
    assert not any(np.size(getattr(found, name)) >= PEOPLE for name in ("cluster_centers_",))


def test_rows_are_nearest_to_a_centre():
    """Labels, distances and scores agree; fit_predict is fit and then predict."""
    found = model(tacit.Central(1.0, 0.0)).fit(X)
    labels, far = found.predict(X), found.transform(X)

    np.testing.assert_array_equal(labels, far.argmin(axis=1))
    np.testing.assert_array_equal(labels, model(tacit.Central(1.0, 0.0)).fit_predict(X))
    assert found.score(X) == pytest.approx(-np.square(far.min(axis=1)).sum())
    assert (PEOPLE, CLUSTERS) == far.shape
    assert "kmeans0" == found.get_feature_names_out()[0]
    with pytest.raises(TypeError, match="sample_weight"):
        model(tacit.Central(1.0, 0.0)).fit_predict(X, sample_weight=np.ones(PEOPLE))


@pytest.mark.parametrize("rows", [X[:1], np.ones((5, 2)), X[:3], np.full((4, 2), 99.0)])
@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(0.1, 0.0)])
def test_fewer_people_than_clusters_are_answered(rows, trust):
    """With finite centres within the bounds: nobody is counted but by noisy counts."""
    found = model(trust, people=5).fit(rows)

    assert (CLUSTERS, 2) == found.cluster_centers_.shape
    assert (np.abs(found.cluster_centers_) <= 1 + 1e-6).all()


def test_more_noise_is_foreseen_to_be_farther_off():
    """In the data's units."""
    errors = [model(tacit.Central(e, 0.0)).fit(X).foreseen_rmse_ for e in (0.1, 1.0)]
    wide = model(tacit.Central(1.0, 0.0), bounds=(-10.0, 10.0)).fit(10 * X)

    assert errors[0] > errors[1] > 0
    assert wide.foreseen_rmse_ == pytest.approx(10 * errors[1])


@pytest.mark.parametrize(
    "trust, rows",
    [
        (tacit.Central(0.05, 0.0), X),
        (tacit.Central(0.5, 0.0), X),
        (tacit.Local(3.0), X),
        (tacit.Central(0.3, 1e-6), MANY),
        (tacit.Federated(30.0, tacit.Central(4.0, 1e-6, REPLACE)), MANY),
    ],
    ids=["few people heard", "cells", "cells of reports", "a search", "rounds"],
)
def test_centres_are_no_farther_off_than_foreseen(trust, rows):
    """Of clusters that are told apart, from scikit-learn's, in every seed; the mean square is a
    third of it at most, as errors within cells cancel, and people do not fill the box."""
    exact = peer(rows.shape[1]).cluster_centers_
    looked, off = model(trust).plan(rows.shape[1]), []
    for seed in range(3):
        found = model(trust, seed=seed).fit(rows).cluster_centers_
        apart = np.square(exact[:, None] - found).sum(axis=2)
        off.append(float(np.sqrt(apart.min(axis=1).mean())))

    assert max(off) < looked.foreseen
    assert np.mean(np.square(off)) < looked.foreseen**2 / 3


@pytest.mark.parametrize("many", [0, -1, 2.5, True, "8", None, 16_385, 10**9])
def test_a_number_of_clusters_that_is_none_is_refused(many):
    """Before anything is charged."""
    with pytest.raises(ValueError, match="n_clusters must be a positive whole number"):
        model(tacit.Central(1.0, 0.0), n_clusters=many).fit(X)


def test_what_clusters_need_must_be_declared():
    """Trust, bounds, and the number of people where it is a secret."""
    for asked, said in (
        (KMeans(), "trust must be declared"),
        (KMeans(tacit.Central(1.0, 0.0), people=5), "bounds must be declared"),
        (KMeans(tacit.Central(1.0, 0.0), bounds=BOUNDS), "declare about how many"),
        (model(tacit.Federated(1.0, tacit.Central(1.0, 1e-6))), "federated clustering is of a pu"),
    ):
        with pytest.raises(ValueError, match=said):
            asked.fit(X)
    with pytest.raises(NotFittedError):
        model(tacit.NonPrivate()).predict(X)


@pytest.mark.parametrize("start", [1e6, 1e9, 1e12])
def test_clusters_far_from_zero_are_told_apart(start):
    """As near it; of squares of such numbers no digits are left for how far they are apart."""
    near_it = model(tacit.NonPrivate()).fit(X)
    far = model(tacit.NonPrivate(), bounds=(start - 1, start + 1)).fit(X + start)
    rounded = 4 * np.spacing(start)

    np.testing.assert_array_equal(far.predict(X + start), near_it.predict(X))
    np.testing.assert_allclose(far.transform(X + start), near_it.transform(X), atol=rounded + 1e-6)
    assert far.score(X + start) == pytest.approx(near_it.score(X), rel=1e-2)


def test_more_clusters_than_people_are_refused(tmp_path):
    """Of the declared people, before anything is charged; as many as them are asked for."""
    made = model(tacit.Central(0.5, 0.0), people=40, n_clusters=41, ledger=tmp_path / "l.db")
    said = r"n_clusters must be at most the number of people, 40 as declared, got 41$"
    for asked in (lambda: made.plan(2), lambda: made.plan(2, people=40), lambda: made.fit(X)):
        with pytest.raises(ValueError, match=said):
            asked()

    assert made.set_params(n_clusters=40).plan(2).plan.private
