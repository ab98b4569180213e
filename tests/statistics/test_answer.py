"""An answer prints readably: the estimate, the interval, the promise, and no data."""

from functools import partial

import numpy as np
import pytest

import tacit
from tacit.statistics import (
    Histogram,
    cdf,
    count,
    find_bounds,
    histogram,
    mean,
    median,
    quantiles,
)

PURE = tacit.Central(0.5, 0.0)


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
        (partial(mean, bounds=(0, 4)), "mean between 0 and 4"),
        (partial(quantiles, bounds=(0, 4)), "quantiles between 0 and 4"),
        (partial(count), "count"),
        (partial(histogram, categories=(0, 1)), "histogram of 2 categories"),
    ],
    ids=["mean", "quantiles", "count", "histogram"],
)
def test_what_is_noted_beside_a_question_is_in_the_ledger(ask, words, tmp_path):
    """With the question in words; the statistic's name where nothing is said."""
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 3.0, 1e-6)
    terms = {"trust": PURE, "ledger": book, "name": "p", "people": 3}
    ask([1, 0, 1], **terms)
    for note in ("", "for the budget of 2027"):
        ask([1, 0, 1], **terms, note=note)

    assert [words, "", "for the budget of 2027"] == [each.note for each in book.history("p")]
    assert all(entry.asked for entry in book.history("p"))


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
