"""People who are few, all alike, copies of one another, missing or beyond what was declared.

Of every statistic that `estimators/test_rows_that_tell_little` does not ask: an answer that is
finite and within what was declared, or one sentence of public numbers and nothing charged. That a
row holds little is no reason to refuse it, and nobody is warned of it.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import tacit
from tacit import statistics
from tacit.statistics import (
    GaussianMean,
    MeanByDirections,
    MeanBySigns,
    NormalCovariance,
    NormalLaw,
)

PEOPLE, RADIUS = 400, 5.0
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE
CURATOR, LOCAL = tacit.Central(4.0, 1e-6), tacit.Local(4.0)
LINE = np.linspace(-1, 1, PEOPLE)[:, None] * np.ones(3)
ALIKE = np.full((PEOPLE, 3), 0.25)
ONE_MISSING = np.where(np.arange(PEOPLE)[:, None] == 7, [np.nan, 0.0, 0.0], ALIKE)
ODD = {
    "all alike": ALIKE,
    "on a line": LINE,
    "two points": np.repeat([[-1.0, 1.0, -1.0], [1.0, -1.0, 1.0]], PEOPLE // 2, axis=0),
    "a number missing": ONE_MISSING,
    "all missing": np.full((PEOPLE, 3), np.nan),
    "beyond what is declared": np.full((PEOPLE, 3), 1e9),
    "infinite": np.full((PEOPLE, 3), -np.inf),
}
# Where how many there are is a secret.
FEW = {"nobody": np.zeros((0, 3)), "one": np.full((1, 3), 0.5)}
OF_ROWS = {
    "mean": GaussianMean(3, RADIUS, 1.0, CURATOR, PEOPLE),
    "covariance": NormalCovariance(3, (0.1, 3.0), CURATOR, PEOPLE),
    "law": NormalLaw(3, RADIUS, (0.1, 3.0), CURATOR, PEOPLE),
}
BY_DEVICES = {
    "directions": MeanByDirections(3, RADIUS, 1.0, LOCAL, PEOPLE),
    "signs": MeanBySigns(RADIUS, 1.0, LOCAL, PEOPLE),
}
each = pytest.mark.parametrize


def asked(ask, rows, folder):
    """With an account of its own, and without a warning."""
    book = tacit.Ledger(folder / "p.db")
    for observer in ("public", "server"):
        for relation in tacit.Relation:
            book.limit("p", observer, relation, 20.0, 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ask.of(rows, book, "p", seed=0)
    assert len(book.history("p")) == 1
    return found


@each("rows", [*ODD.values(), *FEW.values()], ids=[*ODD, *FEW])
@each("name", OF_ROWS)
def test_a_normal_law_of_anybody_is_finite_and_possible(name, rows, tmp_path):
    """Means within the ball, covariances without a negative direction: as they are made from
    squares that were made positive, and whoever is beyond is clipped."""
    found = asked(OF_ROWS[name], rows, tmp_path)
    for mean in (getattr(found, own) for own in ("estimate", "mean") if hasattr(found, own)):
        assert np.linalg.norm(mean) <= RADIUS * (1 + 1e-9)
    if hasattr(found, "covariance"):
        least = np.linalg.eigvalsh(found.covariance)[0]
        assert np.isfinite(found.covariance).all() and least >= -1e-6 * np.trace(found.covariance)
    assert "nan" not in str(found)


@each("rows", ODD.values(), ids=ODD)
@each("name", BY_DEVICES)
def test_reports_of_anybody_are_answered_near_the_ball(name, rows, tmp_path):
    """Each report has its length whatever it is of, so no answer is far beyond."""
    own = rows[:, 0] if name == "signs" else rows
    found = asked(BY_DEVICES[name], own, tmp_path)

    assert np.all(np.abs(found.estimate) <= RADIUS + 4.0)


@each("rows", [*ODD.values(), *FEW.values()], ids=[*ODD, *FEW])
def test_counts_and_lists_of_quantiles_are_within_what_was_declared(rows, tmp_path):
    """Quantiles between the bounds and in order; counts of nobody about zero."""
    terms = {"trust": tacit.Central(4.0, 0.0), "people": PEOPLE, "name": "p", "seed": 0}
    terms["ledger"] = tacit.Ledger(tmp_path / "p.db")
    terms["ledger"].limit("p", "public", ADD, 40.0, 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        places = statistics.quantiles(rows[:, 0], (0.1, 0.5, 0.9), bounds=(-1, 1), **terms)
        yes = statistics.count(rows[:, 0] == 1.0, **terms)
        cells = statistics.histogram(rows[:, 0], categories=(-1.0, 1.0), **terms)

    low, middle, high = np.asarray(places.estimate)
    assert -1 <= low <= middle <= high <= 1
    true = np.array([np.sum(rows[:, 0] == end) for end in (-1.0, 1.0)])
    assert np.all(np.abs(np.asarray(cells.estimate) - true) < 9)
    assert abs(float(yes.estimate) - true[1]) < 9


@each("ask", [*OF_ROWS.values()][:2], ids=["mean", "covariance"])
def test_another_number_than_declared_is_refused_where_it_is_public(ask, tmp_path):
    """Nobody, or one: by both numbers, and nothing is charged."""
    public = replace(ask, trust=tacit.Central(4.0, 1e-6, REPLACE))
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", REPLACE, 20.0, 1e-4)
    for rows in FEW.values():
        with pytest.raises(ValueError, match=f"400 people, 'p' has {len(rows)}"):
            public.of(rows, book, "p", seed=0)

    assert book.history("p") == []


def test_one_column_is_a_law_too(tmp_path):
    """Near as foreseen."""
    rows = np.random.default_rng(0).normal(0.0, 1.0, (PEOPLE, 1))
    mean = asked(replace(OF_ROWS["mean"], dim=1), 1.0 + rows, tmp_path)
    found = NormalCovariance(1, (0.1, 3.0), CURATOR, PEOPLE).of(
        rows, tmp_path / "p.db", "p", seed=0
    )

    assert np.abs(mean.estimate - 1.0) < 0.3 and np.abs(found.covariance - 1.0) < 0.5


def test_one_column_has_no_direction():
    """A direction is of three and more, and says so."""
    with pytest.raises(ValueError, match="at least three numbers: of one or two ask mean_by_signs"):
        MeanByDirections(1, RADIUS, 1.0, LOCAL, PEOPLE)


BOUNDS = (-1.0, 1.0)
STATED = {
    "mean": lambda rows, terms: statistics.mean(rows[:, 0], bounds=BOUNDS, **terms),
    "median": lambda rows, terms: statistics.median(rows[:, 0], bounds=BOUNDS, **terms),
    "cdf": lambda rows, terms: statistics.cdf(rows[:, 0], bounds=BOUNDS, at=(-0.5, 0.5), **terms),
    "counts": lambda rows, terms: statistics.histogram(rows[:, 0], categories=BOUNDS, **terms),
    "covariance": lambda rows, terms: statistics.covariance(rows[:, :2], bounds=BOUNDS, **terms),
}
PUBLIC = {
    "devices": tacit.Local(4.0),
    "shuffled": tacit.Shuffled(4.0, 1e-6),
    "replaced": tacit.Central(4.0, 1e-6, REPLACE),
}


@each("trust", PUBLIC.values(), ids=PUBLIC)
@each("name", STATED)
def test_anybody_is_answered_where_the_number_of_people_is_public(name, trust, tmp_path):
    """By devices, shuffled, or of a curator, within what was declared; another number of people is
    refused, and costs nothing."""
    book = tacit.Ledger(tmp_path / "p.db")
    for observer in ("public", "shuffler", "server"):
        book.limit("p", observer, REPLACE, 60.0, 1e-3)
    terms = {"trust": trust, "people": PEOPLE, "ledger": book, "name": "p", "seed": 0}
    for rows in ODD.values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = STATED[name](rows, terms)
        numbers = np.atleast_1d(found.covariance if name == "covariance" else found.estimate)
        assert np.isfinite(numbers).all()
        if name in ("mean", "median", "cdf"):
            assert np.all(np.abs(numbers) <= 1 + 1e-6) and np.all(np.diff(numbers) >= 0)
    for rows in FEW.values():
        with pytest.raises(ValueError, match=f"400 people, 'p' has {len(rows)}"):
            STATED[name](rows, terms)
    assert len(book.history("p")) == len(ODD)


def test_one_column_has_a_variance(tmp_path):
    """A covariance of one number is that, near what it is."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", ADD, 5.0, 1e-4)
    terms = {"trust": CURATOR, "people": PEOPLE, "ledger": book, "name": "p", "seed": 0}
    found = statistics.covariance(ODD["two points"][:, :1], bounds=BOUNDS, **terms)

    assert found.covariance.shape == (1, 1) and 0.8 < found.covariance[0, 0] < 1.2


CROWD = np.full(90_000, 0.75)
BOTH = np.stack([CROWD, 1 - CROWD], axis=1)
OF_CROWDS = {
    "mean": (0.75, 1e-3, lambda terms: statistics.mean(CROWD, bounds=(0, 1), **terms).estimate),
    "counts": (
        [0, 90_000],
        60,
        lambda terms: statistics.histogram(CROWD > 0.5, categories=[False, True], **terms).estimate,
    ),
    "shares": (
        [0, 1],
        1e-3,
        lambda terms: statistics.cdf(CROWD, (0.5, 0.8), bounds=(0, 1), **terms).estimate,
    ),
    "covariance": (
        [0.75, 0.25],
        5e-3,
        lambda terms: statistics.covariance(BOTH, bounds=[(0, 1), (0, 1)], **terms).mean,
    ),
}


@each("trust", [tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6)], ids=str)
@each("wanted, near, found", OF_CROWDS.values(), ids=OF_CROWDS)
def test_ninety_times_as_many_as_were_declared_are_summed(trust, wanted, near, found, tmp_path):
    """All alike, so that one sum has all of them: it does not wrap around."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", ADD, 1.0, 1e-6)
    terms = {"trust": trust, "people": 1_000, "ledger": book, "name": "p", "seed": 1}

    np.testing.assert_allclose(found(terms), wanted, atol=near, rtol=0)
