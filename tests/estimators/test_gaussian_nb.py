"""Naive Bayes of numbers: scikit-learn's without noise, near it with, no surer than its noise."""

import numpy as np
import pytest
import sklearn.naive_bayes

import tacit
from tacit.estimators import GaussianNB
from tacit.estimators.gaussian_nb import moments_of

PEOPLE = 20_000
REPLACE = tacit.Relation.REPLACE_ONE
BOUNDS = ([-6.0, 0.0], [6.0, 60.0])


def people(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Within the bounds; the second feature in another unit."""
    host = np.random.default_rng(seed)
    own = host.choice(3, PEOPLE, p=[0.5, 0.3, 0.2])
    middles, widths = np.array([[-2, 20], [0.5, 30], [2, 25]]), np.array([[1, 5], [0.5, 6], [1, 4]])
    rows = middles[own] + widths[own] * host.normal(size=(PEOPLE, 2))
    return np.clip(rows, *BOUNDS), own


X, Y = people()
DECLARED = {"bounds": BOUNDS, "classes": [0, 1, 2], "people": PEOPLE, "seed": 0}
THEIRS = sklearn.naive_bayes.GaussianNB().fit(X, Y)


def model(trust, **others) -> GaussianNB:
    return GaussianNB(trust, **(DECLARED | others))


def test_without_a_promise_it_is_scikit_learns():
    """To float32, in the data's units."""
    found = model(tacit.NonPrivate(), people=None).fit(X, Y)

    np.testing.assert_allclose(found.theta_, THEIRS.theta_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.var_, THEIRS.var_, rtol=1e-3)
    np.testing.assert_allclose(found.class_prior_, THEIRS.class_prior_, rtol=1e-4)
    assert found.epsilon_ == pytest.approx(THEIRS.epsilon_, rel=1e-3)
    np.testing.assert_allclose(found.predict_proba(X), THEIRS.predict_proba(X), atol=2e-3)
    np.testing.assert_allclose(np.exp(found.predict_log_proba(X)), found.predict_proba(X))
    assert 0.0 == found.noise_


@pytest.mark.parametrize("seed", range(6))
def test_variances_are_positive_whatever_noise_makes_of_all_squares(seed):
    """Of few people, whose part of the widest variance is large: every chance is a number."""
    terms = {"people": 4, "var_smoothing": 0.5, "seed": seed}
    found = model(tacit.Central(0.05, 0.0), **terms).fit(X[:4], [0, 1, 2, 0])

    assert found.epsilon_ >= 0 and found.var_.min() > 0
    assert np.isfinite(found.predict_log_proba(X[:50])).all()


@pytest.mark.parametrize(
    ("trust", "short"),
    [
        (tacit.Central(0.5, 0.0), 0.005),
        (tacit.Central(0.5, 1e-6, REPLACE), 0.005),
        (tacit.Local(8.0), 0.1),
        (tacit.Shuffled(2.0, 1e-6), 0.1),
        (tacit.Federated(16.0, tacit.Central(2.0, 1e-6, REPLACE)), 0.05),
    ],
)
def test_it_is_nearly_as_right_under_every_trust(trust, short, tmp_path):
    """Within so much of scikit-learn's; the charge is the plan's."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", model(trust).fit(X, Y).plan_)
    found = model(trust, ledger=book).fit(X, Y)

    assert found.score(X, Y) > THEIRS.score(X, Y) - short
    promised = [promise.epsilon for promise in found.plan_.guarantees]
    assert [each.epsilon for each in book.spent("people")] == pytest.approx(promised)


def test_no_variance_is_below_its_noise():
    """Of people all alike, in whom a class would be sure of itself by chance."""
    alike = np.full((PEOPLE, 2), [1.0, 30.0])
    found = model(tacit.Central(0.1, 0.0)).fit(alike, Y)
    width = np.array([12.0, 60.0])

    assert (found.var_ >= width**2 * found.noise_ / found.class_count_[:, None] * 0.999).all()
    assert found.noise_ == pytest.approx(2 * 2**0.5 / 0.1, rel=0.02)


def test_no_noise_is_said_where_reports_are_cut():
    """Nobody knows it beforehand; variances are positive all the same."""
    public = tacit.Central(2.0, 1e-6, REPLACE)
    found = model(tacit.Federated(16.0, public, radius=0.5)).fit(X, Y)

    assert found.noise_ is None and (found.var_ > 0).all()


def test_one_replaced_has_the_root_of_two_of_ones_noise():
    """And not twice as much: shares are not negative."""
    one, other = (
        model(tacit.Central(1.0, 1e-6, relation)).fit(X, Y)
        for relation in (tacit.Relation.ADD_REMOVE, REPLACE)
    )
    assert other.noise_ / one.noise_ == pytest.approx(2**0.5, rel=1e-3)


def test_moments_are_of_three_shares():
    """A number p, once: its mean p and its mean square p^2; never beyond zero and one."""
    p = 0.3
    tables = [np.array([[(1 - p) ** 2, 2 * p * (1 - p), p**2]]), np.array([[-3.0, 5.0, -1.0]])]
    means, squares = moments_of(tables, np.array([1.0]))

    np.testing.assert_allclose(means, [[0.3, 1.0]])
    np.testing.assert_allclose(squares, [[0.09, 0.0]], atol=1e-12)


def test_rows_beyond_the_bounds_are_as_at_them():
    """As they were learnt."""
    found = model(tacit.Central(1.0, 0.0)).fit(X, Y)

    np.testing.assert_array_equal(
        found.predict_proba([[99.0, 99.0]]), found.predict_proba([[6.0, 60.0]])
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"var_smoothing": -1.0}, "var_smoothing must be at least 0"),
        ({"var_smoothing": None}, "var_smoothing must be at least 0"),
        ({"classes": [0, 1]}, "a label was never declared"),
        ({"bounds": None}, "bounds must be declared"),
        ({"people": None}, "declare about how many"),
    ],
)
def test_what_is_declared_otherwise_is_refused(changed, said):
    """Before anything is charged."""
    with pytest.raises(ValueError, match=said):
        model(tacit.Central(1.0, 0.0), **changed).fit(X, Y)
