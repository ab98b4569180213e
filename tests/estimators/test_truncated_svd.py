"""Singular vectors of rows that are not centred: scikit-learn's without privacy, near it with."""

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.exceptions import NotFittedError

import tacit
from tacit.estimators import TruncatedSVD

PEOPLE = 6_000


def rows() -> np.ndarray:
    """No longer than one, and not about zero."""
    host = np.random.default_rng(0)
    made = host.normal(size=(PEOPLE, 4)) * [0.4, 0.2, 0.05, 0.02] + [0.3, 0.0, 0.0, 0.1]
    return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1)


X = rows()
PEER = sklearn.decomposition.TruncatedSVD(2, algorithm="arpack", random_state=0).fit(X)


@pytest.mark.parametrize(
    "trust, near",
    [
        (tacit.NonPrivate(), 1e-3),
        (tacit.Central(1.0, 0.0), 0.03),
        (tacit.Central(1.0, 1e-6), 0.03),
    ],
)
def test_directions_and_singular_values_are_near_scikit_learns(trust, near):
    """Up to the sign of each direction; rows there and back."""
    found = TruncatedSVD(trust, radius=1.0, people=PEOPLE, seed=0, n_components=2).fit(X)

    assert np.abs(found.components_ @ PEER.components_.T) == pytest.approx(np.eye(2), abs=near)
    assert found.singular_values_ == pytest.approx(PEER.singular_values_, rel=near)
    back = found.inverse_transform(found.transform(X))
    assert back == pytest.approx(X @ PEER.components_.T @ PEER.components_, abs=3 * near)
    assert found.receipt_["plan"]["question"]["contribution"]["radius"] == 1.0


def test_a_share_keeps_what_is_above_the_noise():
    """Its own error says how large that is: the same on every diagonal, half of it off it."""
    found = TruncatedSVD(
        tacit.Central(1.0, 1e-6), radius=1.0, people=PEOPLE, seed=0, n_components=0.95
    ).fit(X)
    deviation = np.sqrt(found.plan_.error / 10)

    assert found.n_components_ == 2
    assert found.noise_ == pytest.approx(2 * deviation * np.sqrt(2.5))


def test_longer_rows_are_shortened_and_a_radius_has_to_be_declared():
    """Read off the data it would tell of them; without a promise it is the longest row's."""
    long = TruncatedSVD(tacit.NonPrivate(), radius=0.5).fit(np.array([[3.0, 4.0]]))
    assert long.explained_second_moment_[0] == pytest.approx(0.25, rel=1e-2)
    free = TruncatedSVD(tacit.NonPrivate()).fit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert free.explained_second_moment_[0] == pytest.approx(12.5, rel=1e-2)
    for radius in (None, 0.0, float("nan"), "1"):
        with pytest.raises(ValueError, match="radius must be declared, a positive"):
            TruncatedSVD(tacit.Central(1.0, 0.0), radius=radius, people=5).fit(X)
    for radius in (1e155, 1e-160):
        with pytest.raises(ValueError, match="square of radius must be a number"):
            TruncatedSVD(tacit.Central(1.0, 0.0), radius=radius, people=5).fit(X)


def test_a_matrix_of_low_rank_is_as_near_as_the_noise_allows():
    """Off by the first eigenvalue that is not kept at least, and by two of the noise more at most.

    Of pure noise too, and where nothing but noise is above what is left.
    """
    moments = X.T @ X / PEOPLE
    beyond = np.linalg.eigvalsh(moments)[::-1]
    for trust in (tacit.Central(0.05, 1e-6), tacit.Central(0.05, 0.0)):
        for many in (1, 2):
            own = {"radius": 1.0, "people": PEOPLE, "seed": 0, "n_components": many}
            found = TruncatedSVD(trust, **own).fit(X)
            low = found.components_.T * found.explained_second_moment_ @ found.components_
            off = np.linalg.norm(moments - low, 2)
            assert beyond[many] - 1e-6 <= off <= beyond[many] + 2 * found.noise_


@pytest.mark.parametrize("asked", [TruncatedSVD.transform, TruncatedSVD.inverse_transform])
def test_nothing_is_turned_before_directions_are_learnt(asked):
    """Neither way, as of every estimator of scikit-learn's."""
    with pytest.raises(NotFittedError):
        asked(TruncatedSVD(tacit.NonPrivate()), np.ones((2, 3)))
