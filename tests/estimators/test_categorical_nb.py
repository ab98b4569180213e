"""Naive Bayes of categories: scikit-learn's without noise, near it with, charged, and refused."""

import numpy as np
import pytest
import sklearn.naive_bayes

import tacit
from tacit.estimators import CategoricalNB

PEOPLE, SIZES = 20_000, (4, 3, 2)
REPLACE = tacit.Relation.REPLACE_ONE


def people(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    host = np.random.default_rng(seed)
    own = host.choice(3, PEOPLE, p=[0.5, 0.3, 0.2])
    shares = [host.dirichlet(np.ones(many), 3) for many in SIZES]
    drawn = [(host.random(PEOPLE)[:, None] > s[own].cumsum(1)).sum(1) for s in shares]
    return np.minimum(np.column_stack(drawn), np.array(SIZES) - 1), own


X, Y = people()
DECLARED = {
    "bounds": ([0, 0, 0], [3, 2, 1]),
    "classes": [0, 1, 2],
    "people": PEOPLE,
    "categorical_features": [0, 1, 2],
    "seed": 0,
}
THEIRS = sklearn.naive_bayes.CategoricalNB(min_categories=SIZES).fit(X, Y)


def model(trust, **others) -> CategoricalNB:
    return CategoricalNB(trust, **(DECLARED | others))


def test_without_a_promise_it_is_scikit_learns():
    """To float32, on codes."""
    found = model(tacit.NonPrivate(), people=None).fit(X, Y)

    np.testing.assert_allclose(found.class_count_, THEIRS.class_count_, rtol=1e-5)
    np.testing.assert_allclose(found.class_log_prior_, THEIRS.class_log_prior_, rtol=1e-5)
    for mine, own in zip(found.feature_log_prob_, THEIRS.feature_log_prob_, strict=True):
        np.testing.assert_allclose(mine, own, rtol=1e-4)
    np.testing.assert_allclose(found.predict_log_proba(X), THEIRS.predict_log_proba(X), atol=1e-4)
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1.0)
    assert 0.0 == found.noise_ and (found.n_categories_ == SIZES).all()


@pytest.mark.parametrize(
    "trust",
    [
        tacit.Central(0.5, 0.0),
        tacit.Central(0.5, 1e-6, REPLACE),
        tacit.Local(4.0),
        tacit.Shuffled(1.0, 1e-6),
        tacit.Federated(12.0, tacit.Central(2.0, 1e-6, REPLACE)),
    ],
)
def test_it_is_nearly_as_right_under_every_trust(trust, tmp_path):
    """Within a point and a half of scikit-learn's; the charge is the plan's."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", model(trust).fit(X, Y).plan_)
    found = model(trust, ledger=book).fit(X, Y)

    assert found.score(X, Y) > THEIRS.score(X, Y) - 0.015
    promised = [promise.epsilon for promise in found.plan_.guarantees]
    assert [each.epsilon for each in book.spent("people")] == pytest.approx(promised)


def test_numbers_are_binned_and_unknown_categories_say_nothing():
    """A row of such alone is of the commonest class."""
    wide = X.astype(float) + 0.2
    found = CategoricalNB(
        tacit.NonPrivate(), bounds=(0, 4), classes=[0, 1, 2], thresholds={0: [1, 2, 3]}, cuts=3
    ).fit(wide, Y)  # fmt: skip
    codes = model(tacit.NonPrivate(), people=None).fit(X, Y)

    np.testing.assert_allclose(found.category_count_[0], codes.category_count_[0])
    assert [0] == codes.predict([[9, 9, 9]])
    np.testing.assert_allclose(codes.predict_proba([[9, -1, 9]])[0], np.exp(codes.class_log_prior_))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"alpha": 0.0}, "alpha must be above 0"),
        ({"alpha": "1"}, "alpha must be above 0"),
        ({"classes": [0, 1]}, "a label was never declared"),
        ({"bounds": None}, "bounds must be declared"),
        ({"categorical_features": [7]}, "a feature must be a whole number from 0 to 2"),
    ],
)
def test_what_is_declared_otherwise_is_refused(changed, said):
    """Before anything is charged."""
    with pytest.raises(ValueError, match=said):
        model(tacit.Central(1.0, 0.0), **changed).fit(X, Y)
