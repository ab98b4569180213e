"""Rows that hold little, or nothing: what is learnt is finite, and within what was declared."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import tacit
from tacit import statistics
from tacit.estimators import (
    PCA,
    SVC,
    CategoricalNB,
    DecisionTreeClassifier,
    GaussianMixture,
    GaussianNB,
    KMeans,
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    Ridge,
    RuleListClassifier,
    SGDClassifier,
    TruncatedSVD,
)

CURATOR, PEOPLE = tacit.Central(4.0, 1e-6), 40
LINE = np.linspace(-1, 1, PEOPLE)[:, None]
TOLD = {
    "all alike": np.full((PEOPLE, 2), 0.25),
    "on a line": np.hstack([LINE, LINE]),
    "two points": np.repeat([[-1.0, 1.0], [1.0, -1.0]], PEOPLE // 2, axis=0),
    "beyond the bounds": np.full((PEOPLE, 2), 1e6),
    "one column": LINE,
}
MADE = {
    "KMeans": lambda terms: KMeans(bounds=(-1, 1), n_clusters=3, **terms),
    "GaussianMixture": lambda terms: GaussianMixture(bounds=(-1, 1), n_components=3, **terms),
    "PCA": lambda terms: PCA(bounds=(-1, 1), n_components=1, **terms),
    "TruncatedSVD": lambda terms: TruncatedSVD(radius=1.5, n_components=1, **terms),
}


def made(name: str):
    return MADE[name]({"trust": CURATOR, "people": PEOPLE, "seed": 0})


@pytest.mark.parametrize("rows", TOLD.values(), ids=TOLD)
@pytest.mark.parametrize("name", MADE)
def test_what_is_learnt_is_finite_and_within_what_was_declared(name, rows):
    """Centres and means lie within the bounds, directions have length one, covariances are
    positive; nobody is warned of what the rows are."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = made(name).fit(rows)

    if name == "KMeans":
        assert np.all(np.abs(model.cluster_centers_) <= 1 + 1e-6)
    elif name == "GaussianMixture":
        assert np.all(np.abs(model.means_) <= 1 + 1e-6)
        assert np.linalg.eigvalsh(model.covariances_).min() > 0
        assert model.weights_.sum() == pytest.approx(1) and model.weights_.min() >= 0
    else:
        assert np.linalg.norm(model.components_, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", MADE)
def test_a_row_with_a_number_missing_is_refused_without_a_word_about_it(name):
    """The same sentence, whoever's number it is."""
    said = []
    for at in (0, PEOPLE - 1):
        rows = np.hstack([LINE, LINE])
        rows[at, at % 2] = np.nan
        with pytest.raises(ValueError, match="NaN") as refused:
            made(name).fit(rows)
        said.append(str(refused.value))

    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["KMeans", "GaussianMixture"])
def test_there_may_be_more_clusters_than_people(name):
    """Sixty, of forty declared, of whom one is there: all within the bounds."""
    kind = {"KMeans": KMeans, "GaussianMixture": GaussianMixture}[name]
    many = {"KMeans": "n_clusters", "GaussianMixture": "n_components"}[name]
    rows = np.hstack([LINE, -LINE])[:1]
    model = kind(CURATOR, bounds=(-1, 1), people=PEOPLE, seed=0, **{many: 60}).fit(rows)
    centres = model.cluster_centers_ if name == "KMeans" else model.means_

    assert centres.shape == (60, 2) and np.abs(centres).max() <= 1 + 1e-6


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", MADE)
def test_one_row_or_none_is_learnt_from(name, rows):
    """A direction has length one, and a centre is within the bounds, as of many: how many there are
    is a secret."""
    model = made(name).fit(np.zeros((rows, 2)))
    found = {"KMeans": "cluster_centers_", "GaussianMixture": "means_"}.get(name, "components_")
    assert np.all(np.abs(getattr(model, found)) <= 1 + 1e-6)


CLASSES = {"bounds": (-1, 1), "classes": [0, 1]}
TARGETS = {"bounds": (-1, 1), "target_bounds": (-1, 1)}
TAUGHT = {
    **dict.fromkeys((CategoricalNB, GaussianNB, DecisionTreeClassifier), CLASSES),
    **dict.fromkeys((RuleListClassifier, LogisticRegression, LinearSVC, SVC), CLASSES),
    **dict.fromkeys((SGDClassifier, NeuralClassifier), CLASSES),
    **dict.fromkeys((Ridge, Lasso, LinearRegression), TARGETS),
}


@pytest.mark.parametrize("kind", TAUGHT, ids=lambda kind: kind.__name__)
def test_what_is_taught_by_nobody_is_learnt(kind):
    """As by one person, where how many there are is a secret: it predicts, and nobody is warned;
    where that is public, it is refused."""
    rows = np.zeros((0, 2))
    terms = {**TAUGHT[kind], "people": PEOPLE, "seed": 0}
    pure = kind in (DecisionTreeClassifier, RuleListClassifier)
    trust = tacit.Central(4.0, 0.0 if pure else 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kind(trust, **terms).fit(rows, np.zeros(0, int))
        predicted = model.predict(np.zeros((3, 2)))

    assert np.isfinite(predicted).all() and predicted.shape == (3,)
    public = replace(trust, relation=tacit.Relation.REPLACE_ONE)
    with pytest.raises(ValueError, match="0 sample"):
        kind(public, **{**terms, "people": None}).fit(rows, np.zeros(0, int))


@pytest.mark.parametrize("people", [0, 1, 2])
@pytest.mark.parametrize("name", ["PCA", "TruncatedSVD"])
def test_there_may_be_more_directions_than_people(name, people):
    """Three, of nobody, one or two: all at right angles, and no square below zero."""
    model = made(name).set_params(n_components=3).fit(np.eye(3)[:people] / 2)
    told = {"PCA": "explained_variance_", "TruncatedSVD": "explained_second_moment_"}[name]

    assert model.components_ @ model.components_.T == pytest.approx(np.eye(3), abs=1e-5)
    assert np.min(getattr(model, told)) >= 0


@pytest.mark.parametrize("name", ["PCA", "TruncatedSVD"])
def test_there_are_no_more_directions_than_columns(name):
    """What is refused is a public number."""
    with pytest.raises(ValueError, match="from 1 to the number of features, 2"):
        made(name).set_params(n_components=3).fit(np.hstack([LINE, LINE]))


VALUES = {
    "nobody": np.array([]),
    "one": np.array([0.5]),
    "all alike": np.full(PEOPLE, 0.25),
    "one missing": np.where(np.arange(PEOPLE) == 7, np.nan, 0.25),
    "all missing": np.full(PEOPLE, np.nan),
    "two values": np.repeat([-1.0, 1.0], PEOPLE // 2),
    "beyond the bounds": np.full(PEOPLE, 1e9),
}
LAWS = statistics.LawsOfNumbers({"near": norm(0, 1), "far": norm(5, 1)})
PURE = tacit.Central(4.0, 0.0)


def chosen(laws):
    """Of these."""
    return lambda values, **terms: statistics.select_hypothesis(values, laws, **terms)


def asked(ask, values, folder, **said):
    """With an account of its own."""
    folder.mkdir(exist_ok=True)
    book = tacit.Ledger(folder / "p.db")
    for relation in (tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE):
        book.limit("p", "public", relation, 20.0, 1e-4)
    terms = {"trust": CURATOR, "people": PEOPLE, "ledger": book, "name": "p", "seed": 0} | said
    return ask(values, **terms)


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_numbers_that_tell_little_are_answered_within_what_was_declared(values, tmp_path):
    """Means and medians within the bounds, shares from nothing to one, rising; a covariance is as
    noise leaves it, and finite; nobody is warned."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean = asked(statistics.mean, values, tmp_path / "a", bounds=(-1, 1))
        middle = asked(statistics.median, values, tmp_path / "b", bounds=(-1, 1))
        shares = asked(statistics.cdf, values, tmp_path / "c", bounds=(-1, 1), at=(-0.5, 0.5))
        columns = np.stack([values, values], axis=1)
        both = asked(statistics.covariance, columns, tmp_path / "d", bounds=(-1, 1))

    assert abs(mean.estimate) <= 1 and abs(middle.estimate) <= 1
    below, upto = np.asarray(shares.estimate)
    assert 0 <= below <= upto <= 1
    assert np.isfinite(both.mean).all() and np.isfinite(both.covariance).all()


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_of_numbers_that_tell_little_laws_and_bounds_are_found(values, tmp_path):
    """A law is one of those that were written down; nobody is warned."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        law = asked(chosen(LAWS), values, tmp_path / "e", trust=PURE)
        found = asked(statistics.find_bounds, values, tmp_path / "f", step=1.0, trust=PURE)

    assert law.label in ("near", "far") and 0 < law.within
    assert found.lower <= 0 < found.upper < np.inf and found.outside < PEOPLE


def test_laws_are_told_apart_by_who_follows_one_alone(tmp_path):
    """Where all are of one law it is that; laws that are alike are equally likely, none refused."""
    law = asked(chosen(LAWS), np.full(PEOPLE, 5.0), tmp_path, trust=PURE)
    alike = statistics.LawsOfNumbers({"one": norm(0, 1), "other": norm(0, 1)})
    labels = {
        asked(chosen(alike), VALUES["one"], tmp_path / str(seed), trust=PURE, seed=seed).label
        for seed in range(6)
    }

    assert law.label == "far" and labels == {"one", "other"}
