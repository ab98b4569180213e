"""What is said beside an estimate follows from it, and is said where bounds or labels are wrong."""

import numpy as np
import pytest

import tacit
from tacit import statistics
from tacit.statistics import covariance, histogram, mean, median, quantiles
from tacit.statistics.limits import Limits
from tacit.statistics.remarks import (
    MISSING,
    MISSING_ROW,
    at_bounds,
    beyond_ball,
    beyond_limits,
    beyond_range,
    few_steps,
    fewer_numbers,
    in_none,
    more_numbers,
    more_rows,
)

REPLACE = tacit.Relation.REPLACE_ONE
TRUSTS = {
    "pure": (tacit.Central(1.0, 0.0), 2_000),
    "gaussian": (tacit.Central(1.0, 1e-6), 2_000),
    "public": (tacit.Central(1.0, 0.0, REPLACE), None),
    "local": (tacit.Local(4.0), None),
    "shuffled": (tacit.Shuffled(2.0, 1e-6), None),
    "nobody": (tacit.NonPrivate(), None),
}
INSIDE = np.linspace(20, 80, 2_000)


def terms(name, folder):
    """Of one call, with room for it."""
    trust, people = TRUSTS[name]
    book = tacit.Ledger(folder / "p.db")
    for observer in () if name == "nobody" else ("public", "server", "shuffler"):
        for relation in tacit.Relation:
            book.limit("p", observer, relation, 50.0, 1e-3)
    return {"trust": trust, "people": people, "ledger": book, "name": "p", "seed": 1}


def words(answer):
    """As it is printed, with one space between words."""
    return " ".join(repr(answer).split())


def said(answer):
    """Of its bounds."""
    return [each for each in answer.remarks if "bound:" in each]


@pytest.mark.parametrize("name", TRUSTS)
@pytest.mark.parametrize("ask", [mean, median, quantiles])
def test_bounds_that_miss_everybody_are_said_to_be_suspicious(ask, name, tmp_path):
    """By the side on which people are; of people between the bounds nothing is said."""
    call = {"bounds": (0, 100)} | terms(name, tmp_path)
    above, below, inside = (ask(numbers, **call) for numbers in (INSIDE + 200, -INSIDE, INSIDE))

    assert ["upper bound" in each for each in said(above)] == [True]
    assert ["lower bound" in each for each in said(below)] == [True]
    assert said(inside) == [] and said(above)[0] in words(above)


@pytest.mark.parametrize("name", [name for name in TRUSTS if name not in ("local", "shuffled")])
def test_a_covariance_names_the_columns_that_bounds_miss(name, tmp_path):
    """And no others."""
    call = {"bounds": ([0, 0, 0], [100, 100, 100])} | terms(name, tmp_path)
    found = covariance(np.stack([INSIDE, INSIDE + 200, -INSIDE], axis=1), **call)

    lower, upper = said(found)
    assert lower.startswith("2 is not told from the lower bound:")
    assert upper.startswith("1 is not told from the upper bound:")
    assert words(found).removesuffix(f" {MISSING_ROW}").endswith(f" {upper}")


def test_counts_outside_their_intervals_say_why():
    """By their labels; there is nothing to say of those within."""
    limits = Limits(np.array([0.0, 3.0, 0.0]), np.array([5.0, 9.0, 8.0]))
    (both,) = beyond_limits(("a", "b", "c"), np.array([-2.0, 4.0, 8.5]), limits)
    assert both.startswith("a, c are outside the interval, which ends where counts do: ")
    assert beyond_limits(("a", "b", "c"), np.array([0.0, 9.0, 4.0]), limits) == ()


def test_a_count_outside_its_interval_says_why(tmp_path):
    """A count of nobody is below zero about as often as above."""
    ledger, trust = tacit.Ledger(tmp_path / "l.db"), tacit.Central(0.1, 0.0)
    ledger.limit_for("p", statistics.Count(trust, 30).plan, times=20)
    call = {"trust": trust, "ledger": ledger, "name": "p", "people": 30}
    for seed in range(20):
        found = statistics.count(np.zeros(30), seed=seed, **call)
        outside = not found.interval.lower <= found.estimate <= found.interval.upper

        assert outside == (found.estimate < 0)
        (*first, last) = found.remarks
        assert last.startswith("not told from nobody: ") and outside == bool(first)
        assert not outside or first[0].startswith("the estimate is outside the interval")


@pytest.mark.parametrize("values", [[36000.0, 18.5], [36000, 18], [False, False]])
def test_a_count_not_told_from_nobody_says_what_is_counted(values, tmp_path):
    """By its limits alone, whatever type the column has: that is made of people's values."""
    call = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db", "name": "p"}
    (remark,) = statistics.count(values, **call).remarks

    assert remark.startswith("not told from nobody: those are counted whose value equals True or 1")
    assert "values.notna()" in remark
    assert statistics.count([1.0, 36000.0], **call).remarks == ()


def test_what_is_said_follows_from_released_numbers():
    """The limits of each estimate and the bounds: who is at both ends is known to be nowhere."""
    limits = Limits(np.array([0.0, 0.5, 0.0, 2.0]), np.array([0.5, 1.0, 9.0, 9.5]))
    lower, upper = at_bounds(("a", "b", "c", "d"), limits, (0.0, 9.0))

    assert lower.startswith("a is not told from the lower bound: whoever is beyond it counts as")
    assert upper.startswith("d is not told from the upper bound: ")
    (both,) = at_bounds(("a", "b"), Limits(np.zeros(2), np.ones(2)), (0.0, [2.0, 3.0]))
    assert both.startswith("a, b are not told from the lower bound")
    assert at_bounds((), Limits(0.0, 9.0), (0.0, 9.0)) == ()
    (one,) = at_bounds((), Limits(0.0, 8.0), (0.0, 9.0))
    assert one.startswith("the estimate is not told from the lower bound")


@pytest.mark.parametrize("name", TRUSTS)
def test_what_is_missing_is_said_where_it_counts(name, tmp_path):
    """Where it is as a number in the middle, whether anybody's is missing or not; where it is left
    out there is nothing to say."""
    call, trust = {"bounds": (0, 100)} | terms(name, tmp_path), TRUSTS[name][0]
    some = np.where(np.arange(2_000) % 2 == 0, np.nan, 80.0)
    found = [mean(numbers, **call) for numbers in (INSIDE, some)]
    filled = name in ("public", "local", "shuffled")

    assert [MISSING in each.remarks for each in found] == [filled] * 2
    assert found[1].estimate == pytest.approx(65 if filled else 80, abs=8)
    ranks = quantiles(some, (0.3,), **call)
    assert (MISSING in ranks.remarks) == (name == "public")
    if not isinstance(trust, tacit.Local | tacit.Shuffled):
        rows = covariance(INSIDE[:, None], **call)
        assert (MISSING_ROW in rows.remarks) == filled


@pytest.mark.parametrize("name", TRUSTS)
def test_labels_that_most_people_do_not_have_are_said_to_be_suspicious(name, tmp_path):
    """By what is released of them; where all have one there is nothing to say."""
    call, own = terms(name, tmp_path), np.array(["yes "] * 1_500 + ["no"] * 500)
    wrong = histogram(own, categories=("yes", "no"), **call)
    right = histogram(own, categories=("yes ", "no"), **call)

    assert [" of 2,000 declared people have none of these labels" in each for each in wrong.remarks]
    assert wrong.remarks[0] in words(wrong) and right.remarks == ()


def test_how_many_are_in_none_is_of_the_counts():
    """Not more than there are; and nothing is said while nine tenths may be in one."""
    few, none = np.array([10.0, 20.0]), np.array([-3.0, -5.0])

    assert in_none(few, few + 1, 100)[0].startswith("about 70 of 100 declared people have none")
    assert in_none(none, none + 9, 100)[0].startswith("about 100 of 100 declared people")
    assert in_none(few, few + 30, 100) == () and in_none(few, few + 29.9, 100) != ()


def test_more_rows_than_people_are_told_where_no_noise_makes_them():
    """Beyond a tenth, and three errors of the sum of all counts."""
    counts = np.array([60.0, 62.0, 0.0, 0.0])

    assert more_rows(counts, 1.0, 100)[0].startswith("about 122 rows for 100 declared people: the")
    assert more_rows(counts, 1.8, 100) != () and more_rows(counts, 1.9, 100) == ()
    assert more_rows(counts - 6, 0.0, 100) == () and more_rows(counts, 0.0, 110) == ()


def test_rows_of_several_a_person_are_told_by_counts(tmp_path):
    """A promise to each row is less to who has many, and a released count may show it for free."""
    account = {"trust": tacit.Central(1.0, 0.0), "people": 500, "name": "p", "seed": 1}
    for rows, told in ((500, ()), (2_000, (" rows for 500 declared people: the promise is to",))):
        book = {"ledger": tmp_path / f"{rows}.db", **account}
        tacit.Ledger(book["ledger"]).limit("p", "public", tacit.Relation.ADD_REMOVE, 9.0, 1e-9)
        wards = np.array(["a", "b"])[np.arange(rows) % 2]
        for found in (statistics.count(wards != "c", **book),
                      histogram(wards, categories=("a", "b"), **book)):  # fmt: skip
            assert len(told) == len(found.remarks)
            assert all(own in said for own, said in zip(told, found.remarks, strict=True))


def test_a_mean_of_several_rows_a_person_says_so_and_not_how_many(tmp_path):
    """By the noisy count that it is divided by; where noise may have made them, silent."""
    account = {"people": 500, "name": "p", "seed": 1, "bounds": (0, 30)}
    for rows, epsilon, told in ((500, 1.0, 0), (2_000, 1.0, 1), (600, 0.01, 0), (560, 9.0, 1)):
        book = {"ledger": tmp_path / f"{rows}.db", "trust": tacit.Central(epsilon, 0.0), **account}
        tacit.Ledger(book["ledger"]).limit("p", "public", tacit.Relation.ADD_REMOVE, 9.0, 1e-9)
        found = statistics.mean(np.linspace(5, 25, rows), **book)
        said = [each for each in found.remarks if "declared people" in each]
        assert len(said) == told
        assert all(each.startswith("more rows than the 500 declared people: ") for each in said)


def test_a_mean_tells_more_rows_beyond_three_errors_of_both_its_sums():
    """As counts do, and by the same sentence after the number."""
    sums = np.array([60.0, 62.0])

    assert more_numbers(sums, 2.5, 100) != () and more_numbers(sums, 2.6, 100) == ()
    assert more_numbers(sums - 6, 0.0, 100) == ()
    assert more_numbers(sums, 0.0, 100)[0].endswith(more_rows(sums, 0.0, 100)[0].split(": ")[1])


def test_a_mean_of_fewer_numbers_than_people_says_so(tmp_path):
    """By the same count: where a third are missing, and where the declared number is far off."""
    account = {"name": "p", "seed": 1, "bounds": (0, 30), "trust": tacit.Central(1.0, 0.0)}
    numbers = np.linspace(5, 25, 900)
    for people, missing, told in ((900, 0, 0), (900, 300, 1), (1_000, 0, 0), (10_000_000, 0, 1)):
        book = {"ledger": tmp_path / f"{people}-{missing}.db", "people": people, **account}
        tacit.Ledger(book["ledger"]).limit("p", "public", tacit.Relation.ADD_REMOVE, 9.0, 1e-9)
        held = np.where(np.arange(900) < missing, np.nan, numbers)
        said = [each for each in statistics.mean(held, **book).remarks if "declared" in each]
        assert len(said) == told
        assert all(
            each.startswith(f"fewer numbers than the {people:,} declared people: ") for each in said
        )


def test_a_mean_tells_fewer_numbers_beyond_three_errors_of_both_its_sums():
    """Of nine tenths of the declared people."""
    sums = np.array([30.0, 28.0])

    assert fewer_numbers(sums, 7.5, 100) != () and fewer_numbers(sums, 7.6, 100) == ()
    assert fewer_numbers(sums + 16, 0.0, 100) == () != fewer_numbers(sums + 15.9, 0.0, 100)


def test_a_mean_is_beyond_its_ball_where_no_noise_brings_it():
    """By three errors; and where these are as large as the ball nothing is learnt."""
    inside = np.array([3.0, 4.0])

    assert beyond_ball(inside, 5.0, 0.1) == beyond_ball(1.05 * inside, 5.0, 0.1) == ()
    assert "beyond the radius" in beyond_ball(1.07 * inside, 5.0, 0.1)[0]
    assert "nothing is learnt" in beyond_ball(inside, 5.0, 5.0)[0]
    assert "nothing is learnt" in beyond_ball(inside, 5.0, np.inf)[0]


def test_deviations_are_beyond_what_is_declared_by_a_factor_of_two():
    """On either side, in any direction."""
    turned = np.array([[0.6, 0.8], [-0.8, 0.6]])

    def among(*deviations: float) -> tuple[str, ...]:
        return beyond_range(turned @ np.diag(np.square(deviations)) @ turned.T, (1.0, 10.0))

    assert among(0.6, 19.0) == ()
    assert ["below half" in each for each in among(0.4, 5.0)] == [True]
    assert ["above twice" in each for each in among(1.0, 21.0)] == [True]


@pytest.mark.parametrize(
    "found, step, said",
    [
        ([0.0, 9.9e4, 1e5], 1e4, "0.1, 0.5 are within ten steps of zero, each 10,000 wide: "),
        ([0.02, 3.0, 9.0], 0.01, "0.1 is within ten steps of zero, each 0.01 wide: "),
        ([0.0, 3.0, 9.0], 0.01, None),
        ([-3.0, 3.0, 9.0], 0.01, None),
    ],
)
def test_an_estimate_within_ten_steps_of_zero_may_be_rounding(found, step, said):
    """Zero itself is no news where whole numbers are steps."""
    remarks = few_steps(("0.1", "0.5", "0.9"), np.array(found), step)

    assert [each.startswith(str(said)) for each in remarks] == ([] if said is None else [True])
