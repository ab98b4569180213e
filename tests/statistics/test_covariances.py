"""Covariances: count, mean and products of one question, with errors as they are measured."""

import math
from types import SimpleNamespace

import numpy as np
import pandas
import pytest

import tacit
from measured import answers
from tacit.page import figures
from tacit.statistics.covariances import BoundedCovariance, covariance

REPLACE = tacit.Relation.REPLACE_ONE
BOUNDS = ([0.0, -1.0, 10.0], [100.0, 1.0, 12.0])
PEOPLE = 3_000
TRUSTS = [
    tacit.Central(1.0, 0.0),
    tacit.Central(1.0, 1e-6),
    tacit.Central(1.0, 0.0, REPLACE),
    tacit.Central(1.0, 1e-6, REPLACE),
]


def rows(people: int = PEOPLE) -> np.ndarray:
    """Three columns, one near an end of its bounds, two of them correlated."""
    host = np.random.default_rng(0)
    first = host.normal(70, 8, people)
    second = np.clip(0.02 * (first - 70) + host.normal(0, 0.2, people), -1, 1)
    return np.column_stack([np.clip(first, 0, 100), second, host.uniform(10, 12, people)])


@pytest.mark.parametrize("trust", TRUSTS)
def test_errors_are_as_stated(trust):
    """Of every number, from 3,000 runs: within a twelfth, five deviations of such an estimate; and
    what is foreseen holds in the middle of the bounds."""
    asked, people = BoundedCovariance(BOUNDS, 3, trust, PEOPLE), rows()
    drawn = answers(asked.plan, asked.terms(people), 3_000, 0)
    read = [asked.read(SimpleNamespace(answer=own), ("a", "b", "c")) for own in drawn]
    exact, middle = np.cov(people.T, bias=True), people.mean(axis=0)
    apart = np.sqrt(np.mean([(own.covariance - exact) ** 2 for own in read], axis=0))
    stated = np.mean([own.covariance_rmse for own in read], axis=0)

    assert apart == pytest.approx(stated, rel=0.085)
    assert np.sqrt(np.mean([(own.mean - middle) ** 2 for own in read], axis=0)) == pytest.approx(
        np.mean([own.mean_rmse for own in read], axis=0), rel=0.085
    )
    assert abs(np.mean([own.count for own in read]) - PEOPLE) < 1
    assert (np.std([own.count for own in read]) > 0) == (trust.relation is not REPLACE)
    # The middle column is nearly in the middle, and varies little.
    assert asked.rmse[1, 1] == pytest.approx(stated[1, 1], rel=0.05)
    assert np.all(asked.rmse <= stated * 1.01)


@pytest.mark.parametrize("trust", [*TRUSTS, tacit.Local(4.0), tacit.NonPrivate()])
def test_one_call_answers_and_is_charged(trust, tmp_path):
    """With labels of a table's columns, and a receipt; without a promise it is exact."""
    frame = pandas.DataFrame(rows(), columns=["age", "gain", "score"])
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", BoundedCovariance(BOUNDS, 3, trust, PEOPLE).plan)
    found = covariance(
        frame, bounds=BOUNDS, trust=trust, ledger=book, name="people", people=PEOPLE, seed=0
    )

    assert found.labels == ("age", "gain", "score") and "age  " in repr(found)
    assert found.covariance == pytest.approx(found.covariance.T)
    assert found.receipt()["plan"]["question"]["contribution"]["type"] == "Outer"
    if isinstance(trust, tacit.NonPrivate):
        assert found.covariance == pytest.approx(np.cov(rows().T, bias=True), rel=0.01, abs=0.02)
        assert found.mean == pytest.approx(rows().mean(axis=0), rel=1e-3, abs=1e-4)
        assert found.count == pytest.approx(PEOPLE)


@pytest.mark.parametrize("start, width", [(1e9, 1.0), (1e16, 2.0), (-1e16 - 2, 2.0)])
def test_bounds_far_from_zero_cost_no_digits(start, width, tmp_path):
    """Of whom half are at either end; even where the middle is no float."""
    rows = np.repeat([[start], [start + width]], 500, axis=0)
    terms = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db", "name": "p"}
    found = covariance(rows, bounds=(start, start + width), **terms)

    assert found.covariance[0, 0] == pytest.approx(width**2 / 4, rel=1e-3)


def test_what_is_beyond_or_missing():
    """Counts as the nearer bound; a row with a NaN as nobody."""
    asked = BoundedCovariance((0.0, 1.0), 2, tacit.NonPrivate(), 3)
    terms = asked.terms(np.array([[2.0, -5.0], [0.5, np.nan], [0.5, 0.5]]))
    shape = asked.plan.sums.contribution
    inside = np.asarray(shape.project(terms))

    assert inside[0] == pytest.approx([0.5, math.sqrt(0.5), -math.sqrt(0.5)], abs=1e-3)
    assert not inside[1].any() and inside[2] == pytest.approx([0.5, 0, 0], abs=1e-3)


def test_a_missing_row_is_not_counted_unless_the_number_of_people_is_public(tmp_path):
    """It is as one in the middle of the bounds then."""
    given, ends = np.full((40, 2), 0.75), (0.0, 1.0)
    given[::4, 1] = np.nan
    without = covariance(
        given, bounds=ends, trust=tacit.NonPrivate(), ledger=tmp_path / "l", name="p"
    )
    trust = tacit.Central(1e4, 1e-3, tacit.Relation.REPLACE_ONE)
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("p", BoundedCovariance(ends, 2, trust, 40).plan)
    public = covariance(given, bounds=ends, trust=trust, ledger=book, name="p", seed=0)

    assert (without.count, public.count) == (pytest.approx(30), 40)
    assert without.mean == pytest.approx([0.75] * 2, abs=1e-3)
    assert public.mean == pytest.approx([0.75 - 0.25 / 4] * 2, abs=0.02)


@pytest.mark.parametrize("people", [0, 1, 2])
def test_few_people_and_a_constant_column(people, tmp_path):
    """Are answered like all others, and so is nobody: noise, with its error stated."""
    trust = tacit.Central(1.0, 0.0)
    plan = BoundedCovariance((0.0, 1.0), 1, trust, 1).plan
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", plan)
    found = covariance(
        np.ones((people, 1)),
        bounds=(0, 1),
        trust=trust,
        ledger=book,
        name="people",
        people=1,
        seed=0,
    )
    assert np.isfinite(found.covariance).all() and found.covariance_rmse[0, 0] > 0.1


@pytest.mark.parametrize("bounds", [(1, 0), (0, math.inf), ([0, 1], 2), 3, ("a", "b"), (0, 1, 2)])
def test_bounds_that_are_none_are_refused(bounds):
    """The sentence says what they must be."""
    with pytest.raises(ValueError, match="each one number or 3 finite ones"):
        BoundedCovariance(bounds, 3, TRUSTS[0], PEOPLE)


@pytest.mark.parametrize("bounds", [(-8e307, 8e307), (0, 1e-200), (0, [1, 1, 1e-160])])
def test_bounds_whose_squares_are_no_numbers_are_refused(bounds):
    """Any column's: a covariance would be infinite, or nothing, and charged."""
    with pytest.raises(ValueError, match="what one column's bounds are apart must be a number"):
        BoundedCovariance(bounds, 3, TRUSTS[0], PEOPLE)


@pytest.mark.parametrize(
    "people, said",
    [
        (5, ["variance of 0, 1, 2 came out below zero"]),
        (30, ["variance of", "in some direction"]),
        (4_000, []),
    ],
)
def test_a_covariance_that_nobody_has_says_so_and_is_near_one_that_people_can_have(
    people, said, tmp_path
):
    """Of few people; what was released stays, and of many there is nothing to say."""
    rows, remarks = np.random.default_rng(0).uniform(0, 10, (4_000, 3)), []
    ledger = tacit.Ledger(tmp_path / "l.db")
    asked = BoundedCovariance((0, 10), 3, tacit.Central(1, 0), people)
    ledger.limit_for("p", asked.plan, times=5)
    for seed in range(5):
        found = asked.of(rows[:people], ledger, "p", seed=seed)
        (*_, remark) = ("", *(each for each in found.remarks if "possible()" in each))
        variances, values = np.diag(found.covariance), np.linalg.eigvalsh(found.covariance)
        possible, own = found.possible(), np.linalg.eigvalsh(found.possible())

        assert bool(remark) == (values[0] < -1e-4 or variances.max() > 25.0 + 1e-4)
        assert own[0] > -1e-9 and np.diag(possible).max() <= 25.0 + 1e-9
        assert remark in " ".join(repr(found).split())
        if remark:
            exact = np.cov(rows[:people].T, ddof=0)
            assert np.linalg.norm(possible - exact) < np.linalg.norm(found.covariance - exact)
        else:
            assert np.allclose(possible, found.covariance, atol=1e-4)
        remarks.append(remark)

    assert all(any(each in remark for remark in remarks) for each in said)
    assert all(remarks) is (people == 5) and any(remarks) is (people < 4_000)


def test_what_is_no_table_is_refused():
    """A column, text, no columns; and a secret number of devices."""
    how = {"bounds": (0, 1), "trust": TRUSTS[0], "ledger": "none.db", "name": "x", "people": 5}
    for given in (np.ones(3), np.ones((3, 3, 3)), np.ones((3, 0))):
        with pytest.raises(ValueError, match="a table of at least one column"):
            covariance(given, **how)
    with pytest.raises(ValueError, match="holds text, and a population holds numbers"):
        covariance([["a"]], **how)
    with pytest.raises(ValueError, match="federated covariance is of a public number"):
        BoundedCovariance((0, 1), 3, tacit.Federated(1.0, tacit.Central(1.0, 1e-6)), 5)
    with pytest.raises(ValueError, match="columns must be a whole number"):
        BoundedCovariance((0, 1), 0, TRUSTS[0], 5)


def test_an_error_that_is_not_known_is_none(tmp_path):
    """Of reports cut to a radius: before the data, and beside what was released."""
    trust = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE), radius=0.5)
    asked = BoundedCovariance((0.0, 1.0), 2, trust, 9)
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit_for("people", asked.plan)
    found = asked.of(np.ones((9, 2)), book, "people", seed=0)

    assert asked.rmse is None and found.mean_rmse is None and found.covariance_rmse is None
    assert "how far off they are is not known" in repr(found)


@pytest.mark.parametrize("columns, pairs", [(1, 0), (3, 3), (5, 10), (6, 1)])
def test_a_covariance_of_every_two_columns_is_printed(columns, pairs, tmp_path):
    """With its error, and numbers of one form; of many columns where they are found."""
    asked = BoundedCovariance((0, 2e4), columns, tacit.Central(1.0, 1e-6), PEOPLE)
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit_for("people", asked.plan)
    host = np.random.default_rng(1)
    made = asked.of(1e4 + 900 * host.normal(size=(PEOPLE, columns)), book, "people", seed=1)
    lines = repr(made).splitlines()
    found = [line for line in lines if "  covariance " in line or line.startswith("covariances")]

    assert pairs == len(found) and not any("e+" in line for line in lines)
    assert max(map(len, lines)) <= 80
    if columns == 3 and made.covariance_rmse is not None:
        first = figures(float(f"{made.covariance_rmse[0, 1]:.2g}"))
        assert found[0] == f"0 and 1  covariance {figures(made.covariance[0, 1])} ± {first}"
    if columns == 6:
        assert found == ["covariances of 15 pairs of columns: see `covariance`"]
