"""Rows that hold little, or nothing: what is learnt is finite, and within what was declared."""

import warnings

import numpy as np
import pytest

import tacit
from tacit import statistics
from tacit.estimators import PCA, GaussianMixture, KMeans, TruncatedSVD

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


@pytest.mark.parametrize("rows", [np.array([[0.5, 0.5]]), TOLD["beyond the bounds"]])
def test_statistics_of_them_are_answered(rows, tmp_path):
    """Of one person, or of people who are all beyond: mean and median within the bounds, and a
    covariance as noise leaves it, which is finite."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 20.0, 1e-4)
    terms = {"trust": CURATOR, "people": PEOPLE, "ledger": book, "name": "p", "seed": 0}
    middle = statistics.median(rows[:, 0], bounds=(-1, 1), **terms)
    mean = statistics.mean(rows[:, 0], bounds=(-1, 1), **terms)
    both = statistics.covariance(rows, bounds=(-1, 1), **terms)

    assert abs(middle.estimate) <= 1 and abs(mean.estimate) <= 1
    assert np.isfinite(both.mean).all() and np.isfinite(both.covariance).all()
