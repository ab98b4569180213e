"""k folds are k releases: all of them fit the ledger, or none is charged."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, ledger, names, numbers, rows
from tacit.estimators import PCA, KMeans, LogisticRegression, Ridge, TruncatedSVD, cross_val_score

X = rows(300)
Y, LABELS = numbers(X), names(X)
RAISED = {"error_score": "raise"}
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}


def test_folds_that_do_not_fit_together_are_refused_before_the_first(tmp_path):
    """Two of three would; the sentence says what all ask for and what is left."""
    book = ledger(tmp_path, epsilon=10.0)
    with pytest.raises(tacit.ledger.OverBudget) as refused:
        cross_val_score(Ridge(CURATOR, ledger=book, **DECLARED), X, Y, cv=3)

    assert str(refused.value).startswith(
        "each of 3 folds is a fit that is charged: the account of public per person under "
        "replace-one in 'people' has epsilon = 10, delta = 0.01 left of epsilon = 10, delta = 0.01 "
        "(spent: epsilon = 0, delta = 0), and the 3 grants together ask for epsilon = 12,"
    )
    assert [] == book.history("people")


@pytest.mark.parametrize(
    "folds", [3, KFold(3, shuffle=True, random_state=1), StratifiedKFold(3)], ids=repr
)
def test_folds_that_fit_have_scikit_learns_scores(tmp_path, folds):
    """The same folds, each charged once, and the same number for each."""
    book = ledger(tmp_path, epsilon=12.0)
    model = LogisticRegression(CURATOR, bounds=BOUNDS, classes=["no", "yes"], seed=0)
    found = cross_val_score(model.set_params(ledger=book), X, LABELS, cv=folds)
    theirs = model_selection.cross_val_score(model.set_params(ledger=None), X, LABELS, cv=folds)

    np.testing.assert_array_equal(theirs, found)
    assert 3 == len(book.history("people"))


def test_random_folds_are_drawn_once(tmp_path):
    """Those that were foreseen are those that are fitted."""
    drawn = []

    class Drawing(KFold):
        def split(self, *args):
            drawn.append(None)
            yield from super().split(*args)

    model = Ridge(CURATOR, ledger=ledger(tmp_path), **DECLARED)
    scores = cross_val_score(model, X, Y, cv=Drawing(2, shuffle=True), scoring="r2")

    assert 1 == len(drawn) and np.isfinite(scores).all()


def test_a_pipeline_is_foreseen_too(tmp_path):
    """Its last step has the ledger."""
    book = ledger(tmp_path, epsilon=7.0)
    model = make_pipeline(FunctionTransformer(), Ridge(CURATOR, ledger=book, **DECLARED))
    with pytest.raises(tacit.ledger.OverBudget, match="2 grants together ask for epsilon = 8"):
        cross_val_score(model, X, Y, cv=2)

    assert [] == book.history("people")


def test_without_a_ledger_every_fit_has_accounts_of_its_own():
    """Nothing is shared, so there is nothing to foresee."""
    assert 2 == len(cross_val_score(Ridge(CURATOR, **DECLARED), X, Y, cv=2))


def test_what_a_fit_would_be_refused_for_is_refused_first(tmp_path):
    """A label that one fold alone has and nobody declared: nothing is charged."""
    book = ledger(tmp_path)
    labels = np.where(np.arange(300) == 299, "perhaps", LABELS)
    model = LogisticRegression(CURATOR, bounds=BOUNDS, classes=["no", "yes"], ledger=book)
    with pytest.raises(ValueError, match="never declared"):
        cross_val_score(model, X, labels, cv=KFold(3))

    assert [] == book.history("people")


def test_folds_are_foreseen_for_a_ledger_by_its_path(tmp_path):
    """All are refused before the first, as for the ledger itself."""
    book, where = ledger(tmp_path, epsilon=7.0), str(tmp_path / "ledger.db")
    model = make_pipeline(FunctionTransformer(), Ridge(CURATOR, ledger=where, **DECLARED))
    for each in (model, model[-1]):
        with pytest.raises(tacit.ledger.OverBudget, match="2 grants together ask for epsilon = 8"):
            cross_val_score(each, X, Y, cv=2)

    assert [] == book.history("people")


@pytest.mark.parametrize(
    "model",
    [
        KMeans(CURATOR, bounds=BOUNDS, n_clusters=2, seed=0),
        PCA(CURATOR, bounds=BOUNDS, n_components=1, seed=0),
        TruncatedSVD(CURATOR, radius=20.0, n_components=1, seed=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_is_made_of_one_release_is_foreseen_too(tmp_path, model):
    """Its grant is held open while something is made of it: refused together, or charged once."""
    model.set_params(ledger=ledger(tmp_path, epsilon=8.0))
    terms = {"cv": 2, "scoring": lambda fitted, rows, y=None: float(fitted.plan_.private)}
    with pytest.raises(tacit.ledger.OverBudget, match="3 grants together ask for epsilon = 12"):
        cross_val_score(model, X, **{**terms, "cv": 3})
    assert [] == model.ledger.history("people")
    scores = cross_val_score(model, X, **terms)

    assert [1.0, 1.0] == list(scores)
    assert [True] * 2 == [entry.closed is not None for entry in model.ledger.history("people")]


@pytest.mark.parametrize("scored", [cross_val_score, model_selection.cross_val_score])
def test_a_public_number_of_people_is_that_of_each_fold(scored):
    """That of all is refused, with what to do: left out, each fit counts its own."""
    model = LogisticRegression(CURATOR, bounds=BOUNDS, classes=["no", "yes"], people=300, seed=0)
    told = "for 300 people, 'people' has 200; a fold of them has fewer.*where people= is left out"
    with pytest.raises(ValueError, match=told):
        scored(model, X, LABELS, cv=3, **({} if scored is cross_val_score else RAISED))

    assert np.isfinite(scored(model.set_params(people=None), X, LABELS, cv=3)).all()
