"""Principal components: scikit-learn's without privacy, near it with, in the data's own units."""

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.exceptions import NotFittedError

import tacit
from tacit.estimators import PCA

REPLACE, CENTRAL = tacit.Relation.REPLACE_ONE, tacit.Central(1.0, 1e-6)
PEOPLE = 6_000
BOUNDS = (-20.0, 20.0)


def rows() -> np.ndarray:
    """Four columns with one direction much longer than the next."""
    host = np.random.default_rng(0)
    turn = np.linalg.qr(host.normal(size=(4, 4)))[0]
    return host.normal(size=(PEOPLE, 4)) * [5.0, 3.0, 1.0, 0.2] @ turn + [1.0, 0.0, -2.0, 0.0]


X = rows()
PEER = sklearn.decomposition.PCA(2).fit(X)


def test_without_privacy_it_is_scikit_learns():
    """Directions up to their sign, variances, the mean, and rows there and back."""
    found = PCA(tacit.NonPrivate(), n_components=2).fit(X)

    assert np.abs(found.components_ @ PEER.components_.T) == pytest.approx(np.eye(2), abs=1e-3)
    assert found.explained_variance_ == pytest.approx(PEER.explained_variance_, rel=5e-3)
    assert found.explained_variance_ratio_ == pytest.approx(
        PEER.explained_variance_ratio_, rel=5e-3
    )
    assert found.mean_ == pytest.approx(PEER.mean_, abs=5e-3)
    back = found.inverse_transform(found.transform(X))
    assert back == pytest.approx(PEER.inverse_transform(PEER.transform(X)), abs=0.05)


@pytest.mark.parametrize(
    "trust, least",
    [
        (tacit.Central(1.0, 0.0), 0.99),
        (tacit.Central(1.0, 1e-6), 0.99),
        (tacit.Central(1.0, 0.0, REPLACE), 0.97),
        (tacit.Local(8.0), 0.9),
        (tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE)), 0.9),
    ],
)
def test_the_first_direction_is_found_and_charged(trust, least, tmp_path):
    """Under every trust model that has an answer; with the promise's own numbers."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    model = PCA(trust, bounds=BOUNDS, people=PEOPLE, seed=0, n_components=1)
    book.limit_for("people", model.fit(X).plan_)
    found = PCA(trust, bounds=BOUNDS, people=PEOPLE, seed=0, n_components=1, ledger=book).fit(X)

    assert abs(found.components_[0] @ PEER.components_[0]) > least
    assert np.array_equal(found.components_, model.components_)
    assert sum(account.epsilon for account in book.spent("people")) > 0
    assert found.receipt_["plan"]["question"]["contribution"]["type"] == "Outer"


def test_a_share_of_the_variance_keeps_what_is_above_the_noise():
    """Of four directions with variances 25, 9, 1 and .04; fewer where noise is large."""
    for trust, share, many in (
        (tacit.NonPrivate(), 0.99, 3),
        (tacit.NonPrivate(), 0.95, 2),
        (tacit.Central(1.0, 1e-6), 0.95, 2),
        (tacit.Central(0.05, 1e-6), 0.95, 1),
    ):
        model = PCA(trust, bounds=BOUNDS, people=PEOPLE, seed=0, n_components=share).fit(X)
        assert (many, many) == (model.n_components_, len(model.components_))
    assert model.noise_ > 9.0
    assert model.transform(X[:2]).shape == (2, 1)


@pytest.mark.parametrize("trust", [tacit.Central(0.3, 1e-6), tacit.Central(0.3, 0.0), CENTRAL])
def test_what_directions_explain_is_what_they_capture(trust):
    """Of twenty columns, in the mean of four fits: what they hold of everybody's variance, or less.

    At epsilon 0.3 eigenvalues alone, noise included, are nearly all of their trace, where a half of
    the variance is captured. A share is of the same numbers."""
    host = np.random.default_rng(3)
    wide = host.normal(size=(20_000, 20)) * np.geomspace(1, 0.05, 20)
    exact, found = np.cov(wide.T), []
    for seed in range(4):
        own = {"bounds": (-3.0, 3.0), "people": len(wide), "seed": seed}
        model = PCA(trust, **own, n_components=4).fit(wide)
        held = np.trace(model.components_ @ exact @ model.components_.T) / np.trace(exact)
        raw = model.explained_variance_.sum() / np.trace(model.covariance_)
        found.append((held, model.explained_variance_ratio_.sum(), raw))
    held, said, raw = np.mean(found, axis=0)

    assert held - 0.4 < said < held + 0.02
    assert raw > held + 0.05


def test_a_share_is_of_the_ratios_that_are_told():
    """As few directions as add up to it; all that are above the noise, where these do not."""
    own = {"bounds": BOUNDS, "people": PEOPLE, "seed": 0}
    every = PCA(CENTRAL, **own).fit(X)
    ratios = every.explained_variance_ratio_
    for many in (1, 2):
        share = ratios[:many].sum() - 1e-6
        found = PCA(CENTRAL, **own, n_components=share).fit(X)
        assert found.n_components_ == many
        np.testing.assert_array_equal(found.explained_variance_ratio_, ratios[:many])
    beyond = PCA(CENTRAL, **own, n_components=min(ratios.sum() + 1e-3, 0.9999)).fit(X)
    assert beyond.n_components_ == (every.explained_variance_ > every.noise_).sum()


def test_without_a_delta_noise_is_of_wisharts():
    """And Gaussian with one."""
    made = [PCA(tacit.Central(1.0, d), bounds=BOUNDS, people=9).fit(X[:9]) for d in (0.0, 1e-6)]
    kinds = [type(each.plan_.server.mechanism).__name__ for each in made]
    assert kinds == ["WishartDifference", "Gaussian"]


@pytest.mark.parametrize("data", [np.ones((5, 3)), np.repeat([[1.0, 2.0]], 4, axis=0), X[:1]])
def test_constant_collinear_and_single_rows_are_answered(data):
    """With finite numbers, orthogonal directions and no negative variance."""
    for trust in (tacit.NonPrivate(), tacit.Central(1.0, 0.0)):
        found = PCA(trust, bounds=BOUNDS, people=5, seed=0).fit(data)
        square = found.components_ @ found.components_.T
        assert square == pytest.approx(np.eye(data.shape[1]), abs=1e-9)
        assert (found.explained_variance_ >= 0).all()
        assert found.explained_variance_ratio_.sum() <= 1 + 1e-9


@pytest.mark.parametrize("many", [0, 5, 1.5, "mle", True])
def test_more_directions_than_features_are_refused(many):
    """The sentence names how many there may be; nothing is charged."""
    with pytest.raises(ValueError, match="from 1 to the number of features, 4"):
        PCA(tacit.Central(1.0, 0.0), bounds=BOUNDS, people=5, n_components=many).fit(X)


@pytest.mark.parametrize("end", [1e155, 1e-160])
def test_bounds_that_have_no_square_are_refused_before_anything_is_charged(end, tmp_path):
    """Of one matrix, as of rounds."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 5.0, 1e-3)
    model = PCA(tacit.Central(1.0, 1e-6), bounds=(-end, end), people=40, ledger=book)
    with pytest.raises(ValueError, match="square of what one column's bounds are apart"):
        model.fit(np.zeros((40, 2)))
    assert not book.history("people")


def test_what_must_be_declared_is():
    """Trust, bounds, and the number of people where it is a secret."""
    for model, said in (
        (PCA(), "trust must be declared"),
        (PCA(tacit.Central(1.0, 0.0), people=5), "bounds must be declared"),
        (PCA(tacit.Central(1.0, 0.0), bounds=BOUNDS), "declare about how many"),
    ):
        with pytest.raises(ValueError, match=said):
            model.fit(X)


@pytest.mark.parametrize("asked", [PCA.transform, PCA.inverse_transform])
def test_nothing_is_turned_before_directions_are_learnt(asked):
    """Neither way, as of every estimator of scikit-learn's."""
    with pytest.raises(NotFittedError):
        asked(PCA(tacit.NonPrivate()), np.ones((2, 3)))
