"""Mixtures: near scikit-learn's without privacy and with it, in the data's units."""

from functools import cache

import numpy as np
import pytest
import sklearn.mixture
from sklearn.exceptions import NotFittedError

import tacit
from tacit.contribution import Ball, L1Ball
from tacit.estimators import GaussianMixture

REPLACE = tacit.Relation.REPLACE_ONE
DELTA, PURE, FREE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0), tacit.NonPrivate()
PEOPLE, PARTS = 4_000, 3
MIDDLES = np.array([[-0.5, -0.4], [0.5, -0.3], [0.0, 0.5]])
LONG = np.array([[0.2, 0.0], [0.06, 0.08]])


def drawn(seed: int) -> np.ndarray:
    host = np.random.default_rng(seed)
    held = MIDDLES[host.integers(0, PARTS, PEOPLE)]
    return held + host.normal(size=(PEOPLE, 2)) @ LONG.T


X, OTHERS = drawn(0), drawn(1)
UNITS, SHIFT = np.array([100.0, 0.01]), np.array([7.0, -3.0])


def model(trust, **others) -> GaussianMixture:
    given = {"bounds": (-1.5, 1.5), "people": PEOPLE, "n_components": PARTS, "seed": 0}
    return GaussianMixture(trust, **(given | others))


@pytest.fixture(scope="module")
def fitted() -> GaussianMixture:
    return model(DELTA).fit(X)


@pytest.fixture(scope="module")
def elsewhere() -> GaussianMixture:
    """Of the same rows in other units, with bounds of other widths."""
    bounds = (-1.5 * UNITS + SHIFT, 1.5 * UNITS + SHIFT)
    return model(FREE, bounds=bounds, covariance_type="diag").fit(X * UNITS + SHIFT)


@cache
def peer(kind: str = "full") -> float:
    found = sklearn.mixture.GaussianMixture(PARTS, covariance_type=kind, n_init=3, random_state=0)
    return float(found.fit(X).score(OTHERS))


@pytest.mark.parametrize(
    "trust, shape, lost",
    [
        (FREE, "Ball", 0.005),
        (DELTA, "Ball", 0.05),
        (tacit.Central(1.0, 1e-6, REPLACE), "Ball", 0.15),
        (PURE, "L1Ball", 0.15),
        (tacit.Federated(30.0, tacit.Central(8.0, 1e-6, REPLACE)), "Ball", 0.6),
    ],
)
def test_mixtures_are_found_and_charged(trust, shape, lost, tmp_path, fitted):
    """In rounds of one shape, with the promise's own numbers, and the same from the same seed."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    first = fitted if trust is DELTA else model(trust).fit(X)
    book.limit_for("people", first.plan_)
    found = model(trust, ledger=book).fit(X)

    assert peer() - found.score(OTHERS) < lost
    np.testing.assert_array_equal(found.means_, first.means_)
    asked = found.plan_.sums.contribution
    assert isinstance(asked, Ball | L1Ball) and 1.0 == asked.radius
    assert shape == type(asked).__name__
    promised = [promise.epsilon for promise in found.plan_.guarantees]
    assert [account.epsilon for account in book.spent("people")] == pytest.approx(promised)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_every_covariance_type_is_scikit_learns(kind):
    """Arrays are of the same shapes, precisions are the covariances' own, and it is near."""
    found = model(DELTA, covariance_type=kind).fit(X)
    own = sklearn.mixture.GaussianMixture(PARTS, covariance_type=kind).fit(X)

    assert np.asarray(own.covariances_).shape == found.covariances_.shape
    own.weights_, own.means_, own.covariances_ = found.weights_, found.means_, found.covariances_
    own.precisions_cholesky_ = found.precisions_cholesky_
    np.testing.assert_allclose(own.score_samples(OTHERS), found.score_samples(OTHERS))
    squared = np.asarray([root @ root.T for root in whole(found, found.precisions_cholesky_)])
    covered = np.asarray(whole(found, found.covariances_))
    np.testing.assert_allclose(squared @ covered, [np.eye(2)] * len(squared), atol=1e-6)
    assert peer(kind) - found.score(OTHERS) < 0.05


def whole(found: GaussianMixture, numbers: np.ndarray) -> list[np.ndarray]:
    """Matrices of what scikit-learn writes shorter."""
    if found.covariance_type == "tied":
        return [numbers]
    return [each if np.ndim(each) == 2 else each * np.eye(2) for each in numbers]


def test_components_are_those_of_the_datas_own_units(elsewhere):
    """With bounds of other widths, elsewhere."""
    order = elsewhere.means_[:, 0].argsort()
    spread = np.diag(LONG @ LONG.T)[0] * UNITS[0] ** 2

    assert elsewhere.means_[order, 0] == pytest.approx(np.array([-50.0, 0.0, 50.0]) + 7.0, abs=3.0)
    assert elsewhere.covariances_[:, 0] == pytest.approx([spread] * 3, rel=0.15)


@pytest.mark.parametrize("name", ["elsewhere", "fitted"])
def test_nothing_about_single_people_is_kept(name, request):
    """Likelihoods and labels are for whoever asks, with rows of their own."""
    found = request.getfixturevalue(name)
    kept = {each for each in vars(found) if each.endswith("_")}
    learnt = {"weights_", "means_", "covariances_", "precisions_cholesky_", "foreseen_loss_"}

    assert learnt | {"plan_", "receipt_", "n_features_in_"} == kept
    assert not any(np.size(getattr(found, each)) >= PEOPLE for each in learnt)


def test_rows_are_of_components(fitted):
    """Labels, chances and scores agree."""
    chances = fitted.predict_proba(OTHERS)

    np.testing.assert_array_equal(fitted.predict(OTHERS), chances.argmax(axis=1))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert fitted.score(OTHERS) == pytest.approx(fitted.score_samples(OTHERS).mean())
    assert fitted.weights_.sum() == pytest.approx(1)


def test_rows_of_nobody_are_drawn(fitted):
    """From the laws, the same of one random state."""
    rows, whose = fitted.sample(2_000, random_state=0)

    np.testing.assert_array_equal(rows, fitted.sample(2_000, random_state=0)[0])
    assert set(range(PARTS)) == set(whose)
    assert np.linalg.norm(rows.mean(axis=0) - X.mean(axis=0)) < 0.06


@pytest.mark.parametrize("trust", [FREE, DELTA])
@pytest.mark.parametrize(
    "rows",
    [X[:1], np.full((50, 2), 0.25), np.outer(np.linspace(-1, 1, 50), [1, 1]), X[:2], 99 + X[:9]],
    ids=["one row", "all alike", "on a line", "fewer than components", "beyond the bounds"],
)
def test_rows_that_tell_little_are_answered(rows, trust):
    """With finite laws whose means are within the bounds, and variances that do not vanish."""
    found = model(trust, people=len(rows)).fit(rows)

    assert (PARTS, 2) == found.means_.shape
    assert (np.abs(found.means_) <= 1.5 + 1e-6).all()
    assert found.weights_.sum() == pytest.approx(1) and (found.weights_ > 0).all()
    assert (np.linalg.eigvalsh(found.covariances_) > 1e-7).all()
    assert np.isfinite(found.score_samples(OTHERS)).all()


@pytest.mark.parametrize("columns", [1, 2])
def test_one_component_is_a_mean_and_a_covariance(columns):
    """In one column, too."""
    rows = X[:, :columns]
    found = model(tacit.Central(2.0, 1e-6), n_components=1).fit(rows)

    np.testing.assert_array_equal(found.weights_, [1.0])
    assert found.means_[0] == pytest.approx(rows.mean(axis=0), abs=0.03)
    np.testing.assert_allclose(
        found.covariances_[0], np.cov(rows.T).reshape(columns, -1), atol=0.04
    )


def test_many_columns_start_with_lloyds_rounds():
    """Where no cells can be counted; components are found no less."""
    host = np.random.default_rng(0)
    middles = np.zeros((2, 14))
    middles[:, 0] = -0.5, 0.5
    rows = middles[host.integers(0, 2, PEOPLE)] + 0.1 * host.normal(size=(PEOPLE, 14))
    found = model(DELTA, n_components=2, covariance_type="spherical", bounds=(-1.0, 1.0)).fit(rows)

    assert 6 < found.plan_.sums.rounds
    np.testing.assert_allclose(np.sort(found.means_[:, 0]), [-0.5, 0.5], atol=0.05)
    np.testing.assert_allclose(found.covariances_, [0.01] * 2, rtol=0.2)


@pytest.mark.parametrize("many", [0, -1, 2.5, True, "8", None])
def test_a_number_of_components_that_is_none_is_refused(many):
    """Before anything is charged."""
    with pytest.raises(ValueError, match="n_components must be a positive whole number"):
        model(DELTA, n_components=many).fit(X)


@pytest.mark.parametrize("kind", ["round", None, 3, ["full"]])
def test_a_covariance_type_that_is_none_is_refused(kind):
    """By the names of those there are."""
    with pytest.raises(ValueError, match="covariance_type must be one of full, tied, diag, spher"):
        model(DELTA, covariance_type=kind).fit(X)


def test_what_mixtures_need_must_be_declared(tmp_path):
    """Trust, bounds, and the number of people where it is a secret; nothing is charged."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    for asked, said in (
        (GaussianMixture(), "trust must be declared"),
        (GaussianMixture(DELTA, people=5), "bounds must be declared"),
        (GaussianMixture(DELTA, bounds=(-1.0, 1.0)), "declare about how many"),
        (model(tacit.Local(4.0), ledger=book), "one of Central, Federated, NonPrivate, got Local"),
        (model(tacit.Shuffled(1.0, 1e-6)), "one of Central, Federated, NonPrivate, got Shuffled"),
        (model(tacit.Federated(1.0, tacit.Central(1.0, 1e-6))), "federated mixture is of a public"),
    ):
        with pytest.raises(ValueError, match=said):
            asked.fit(X)
    with pytest.raises(ValueError, match="X must hold finite numbers"):
        model(DELTA, ledger=book).fit(np.where(X > 0.9, np.nan, X))
    with pytest.raises(NotFittedError):
        model(FREE).predict(X)
    assert () == tuple(book.spent("people"))
