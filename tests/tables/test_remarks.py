"""What an answer of a table says beside its numbers is of them, and of what is declared alone."""

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.statistics.unlearnt import UNLEARNT
from tacit.tables.asked import Found, Which
from tacit.tables.remarks import remarks_of
from tacit.tables.spread import deviation

BOUNDED = {
    "mean": tables.mean("days", -10, 30.3),
    "share": tables.share(ibis._.days > 3),
    "median": tables.median("days", 0, 30),
    "cdf": tables.cdf("days", bins=[10]),
    "variance": tables.variance("days", 0, 0.7),
    "deviation": deviation("days", 0, 30),
    "both": tables.covariance({"days": (0, 0.3), "cost": (0, 9)}),
}
COUNTED = {
    "n": tables.count(),
    "who": tables.people(),
    "over": tables.count_if(ibis._.days > 3),
    "wards": tables.histogram("ward", categories=["A", "B"]),
    "top": tables.top("ward", categories=["A", "B"], k=1),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Two hundred people, a row each."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"patient": range(200), "days": rng.uniform(0, 30, 200), "cost": 1.0})
    frame["ward"] = rng.choice(["A", "B"], 200)
    made = table(frame, tmp_path_factory.mktemp("own"))
    made.budget(epsilon=2000, delta=1e-3)
    return made


def remarks(own, epsilon: float, seed: int = 0, **asked):
    """Of one answer."""
    answer = own.ask(**asked, rows_per_person=1).run(tacit.Central(epsilon, 0), seed=seed)
    assert all(each in answer.said for each in answer.remarks)
    return answer.remarks


@pytest.mark.parametrize("name", BOUNDED)
def test_an_interval_of_all_that_was_declared_says_so(own, name):
    """Of every number between bounds, whatever digits these have; with people enough, of none."""
    unlearnt = [each for each in remarks(own, 1e-4, **{name: BOUNDED[name]}) if UNLEARNT in each]
    assert 1 == len(unlearnt) and unlearnt[0].startswith(name)
    assert () == remarks(own, 20, **{name: BOUNDED[name]})


@pytest.mark.parametrize("name", COUNTED)
def test_a_number_below_zero_says_so(own, name):
    """Where noise made it so, and there alone; sums may be, and say nothing."""
    asked = {name: COUNTED[name]}
    told = {remarks(own, 1e-3, seed, **asked) for seed in range(9)}
    below = [each for answer in told for each in answer]

    assert below and all(each.startswith(name) and "below zero" in each for each in below)
    assert () in {remarks(own, 20, **asked)}
    sums = {"sum": tables.total("days", 0, 30)}
    assert {()} == {remarks(own, 1e-3, seed, **sums) for seed in range(5)}


def test_the_rows_of_a_mean_are_a_number_too(own):
    """With the mean's own interval, each once."""
    told = [remarks(own, 1e-4, seed, stay=tables.mean("days", 0, 30)) for seed in range(9)]
    assert any("stay_rows: below zero" in " ".join(each) for each in told)


def test_many_numbers_and_groups_are_counted():
    """A few names, how many more there are, and in how many groups."""
    ones = np.ones(3)
    none = Found(ones, 0 * ones, np.array([1.0, 2.0, 1.0]), (0.0, 2.0))
    below = Found(np.array([-1.0, 0.0, -2.0]), ones, ones, (0.0, np.inf))
    few = remarks_of({"a": none, "b": below, "w": Which(["x"] * 3)})

    assert few[0].startswith("a, in 1 of 3 groups: the interval is all that was declared")
    assert few[1].startswith("b, in 2 of 3 groups: below zero")
    (many,) = remarks_of({f"c[{i}]": none for i in range(9)})
    assert many.startswith("c[0], c[1], c[2] and 6 more, in 1 of 3 groups: ")
    assert () == remarks_of({"w": Which([])})
    nobody = np.ones(0)
    assert () == remarks_of({"n": Found(nobody, nobody, nobody, (0.0, 1.0))})
