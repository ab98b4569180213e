"""An answer prints readably: the estimate, the interval, the promise, and no data."""

from functools import partial

import numpy as np
import pytest

import tacit
from tacit.statistics import (
    BoundedCovariance,
    BoundedMean,
    GaussianMean,
    Histogram,
    MeanByDirections,
    NormalCovariance,
    NormalLaw,
    cdf,
    count,
    find_bounds,
    histogram,
    mean,
    median,
    quantiles,
)
from tacit.statistics.average import Average

PURE, FREE = tacit.Central(0.5, 0.0), tacit.NonPrivate()


def test_one_number_prints_on_one_line_with_its_promise(tmp_path):
    """The second line says how likely the interval is, and what is promised."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("town", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-9)
    ages = np.full(10_000, 40.0)
    found = mean(ages, bounds=(0, 100), trust=PURE, people=9_900, ledger=book, name="town")
    first, second = repr(found).splitlines()

    assert first.startswith("mean of town  ") and " to " in first
    assert second.startswith("95% intervals; public meets epsilon 0.5, delta ")
    assert found.receipt()["private"] and found.plan is found.release.plan


def test_several_numbers_print_as_a_table_in_columns(tmp_path):
    """A line for each label; nobody is promised anything, and that is said."""
    asked = Histogram(("yes", "perhaps"), tacit.NonPrivate(), 1_201)
    found = asked.of(["yes"] * 1_200 + ["perhaps"], tmp_path / "p.db", "town")

    assert repr(found) == "\n".join(
        [
            "histogram of town",
            "yes      1,200   1,200 to 1,200",
            "perhaps      1       1 to     1",
            "95% intervals; nothing is promised",
        ]
    )


def test_a_seeded_answer_says_so(tmp_path):
    """It is for tests and pages."""
    book = tacit.Ledger(tmp_path / "p.db")
    asked = Histogram(("yes", "no"), PURE, 2)
    book.limit_for("town", asked.plan)

    said = repr(asked.of(["yes", "no"], book, "town", seed=1)).splitlines()
    assert "95% intervals; seeded, so not private" in said


def test_what_is_printed_bounds_what_is_promised(tmp_path):
    """Rounded up, and a confidence that is not certainty is not printed as one."""
    trust, book = tacit.Central(1.00004, 0.0), tacit.Ledger(tmp_path / "l.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 2.0, 1e-6)
    ask = {"trust": trust, "ledger": book, "name": "p", "people": 3, "confidence": 0.996}
    said = repr(tacit.statistics.mean([1.0, 2.0, 3.0], bounds=(0, 4), **ask))

    assert "epsilon 1.0001, delta" in said and "99.6% intervals" in said


@pytest.mark.parametrize(
    "ask, words",
    [
        (partial(mean, bounds=(0, 4)), "the mean of a number between 0 and 4, of 3 people"),
        (
            partial(quantiles, shares=(0.25, 0.5), bounds=(0, 0.5)),
            "the 0.25, 0.5 quantiles of a number between 0 and 0.5, of 3 people",
        ),
        (
            partial(quantiles, shares=(0.9,), bounds=(0, 1234567)),
            "the 0.9 quantile of a number between 0 and 1234567, of 3 people",
        ),
        (partial(median, bounds=(0, 4)), "the median of a number between 0 and 4, of 3 people"),
        (partial(count), "the count of those who say yes, of 3 people"),
        (
            partial(cdf, at=(1, 2), bounds=(0, 4)),
            "the shares up to 2 places of a number between 0 and 4, of 3 people",
        ),
        (
            partial(cdf, at=(1.5,), bounds=(0, 4)),
            "the shares up to 1.5 of a number between 0 and 4, of 3 people",
        ),
        (partial(histogram, categories=(0, 1)), "the histogram of 2 categories, of 3 people"),
    ],
    ids=lambda value: None if isinstance(value, str) else value.func.__name__,
)
def test_a_ledger_keeps_what_was_asked_in_peoples_own_units(ask, words, tmp_path):
    """With the bounds; not as the sums that are made of it. A note is what whoever asks writes."""
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 3.0, 1e-6)
    terms = {"trust": PURE, "ledger": book, "name": "p", "people": 3}
    ask([1, 0, 1], **terms)
    for note in ("", "for the budget of 2027"):
        ask([1, 0, 1], **terms, note=note)

    assert ["", "", "for the budget of 2027"] == [each.note for each in book.history("p")]
    assert {words} == {each.asked for each in book.history("p")}


@pytest.mark.parametrize(
    "asked, words",
    [
        (
            BoundedCovariance([(0, 50), (1, 1.5), (10, 100)], 3, FREE, 8),
            "the covariance of 3 numbers in [0, 50], [1, 1.5] and [10, 100], of 8 people",
        ),
        (GaussianMean(3, 20, 2, FREE, 8), "the mean of a normal law in 3 dimensions, within 20, "),
        (
            NormalCovariance(3, (0.5, 2), FREE, 8),
            "the covariance of a normal law in 3 dimensions, deviations between 0.5 and 2, of 8 ",
        ),
        (
            NormalLaw(3, 20, (0.5, 2), FREE, 8),
            "the mean, within 20, and covariance of a normal law in 3 dimensions, deviations "
            "between 0.5 and 2, of 8 people",
        ),
        (
            MeanByDirections(3, 20, 2, FREE, 8),
            "the mean of a normal law in 3 dimensions, within 20, by directions, of 8 people",
        ),
    ],
    ids=lambda value: None if isinstance(value, str) else type(value).__name__,
)
def test_a_ledger_keeps_what_was_asked_of_columns_in_their_own_units(asked, words, tmp_path):
    """With what is declared of them."""
    asked.of(np.eye(8, 3), tmp_path / "l.db", "p")

    (entry,) = tacit.Ledger(tmp_path / "l.db").history("p")
    assert entry.asked.startswith(words) and not entry.note


def test_a_grant_that_was_opened_in_other_words_goes_on(tmp_path):
    """As those of earlier versions were: the words are no part of what it is bound to."""
    book, asked = tacit.Ledger(tmp_path / "l.db"), BoundedMean((0, 4), PURE, 3)
    book.limit_for("p", asked.plan)
    people, learner = tacit.Arrays(asked.terms(np.array([1.0, 0, 1])), "p"), Average((2,))
    people.grant(asked.plan, learner, book, grant_id="mean", note="mean between 0 and 4")
    asked.of([1, 0, 1], book.once("mean"), "p")

    (entry,) = book.history("p")
    assert entry.closed and entry.note == "mean between 0 and 4"


@pytest.mark.parametrize(
    "ask",
    [
        partial(mean, bounds=(0, 1e300)),
        partial(quantiles, shares=(0.1, 0.5, 0.9), bounds=(-1e9, 1e9)),
        partial(median, bounds=(50, 51)),
        partial(cdf, at=(1.0, 50.123456789), bounds=(0, 100)),
        partial(find_bounds, step=0.01),
        partial(histogram, categories=(1, 2)),
    ],
    ids=lambda ask: ask.func.__name__,
)
def test_no_line_is_wider_than_a_page(ask, tmp_path):
    """Nor one of a release; sentences are broken between words, and remarks begin lines."""
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 3.0, 1e-6)
    ages = np.random.default_rng(0).integers(18, 90, 5_000)
    found = ask(ages, trust=PURE, ledger=book, name="p", people=5_000, seed=1)
    lines = [*repr(found).splitlines(), *repr(found.release).splitlines()]

    assert max(map(len, lines)) <= 80
    for remark in getattr(found, "remarks", ()):
        assert remark in " ".join(lines)


def test_places_and_bounds_are_printed_with_all_their_digits(tmp_path):
    """A bound that is printed too near would be one that more people are beyond."""
    terms = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db", "name": "p"}
    ages = [900_000.0] * 20

    assert repr(find_bounds(ages, step=0.01, **terms)).startswith(
        "bounds of p: 0 to 1,342,177.28\n"
    )
    places = (50.123456789, 1234567.8)
    assert cdf(ages, places, bounds=(0, 1e7), **terms).labels == ("50.123456789", "1234567.8")
