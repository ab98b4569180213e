"""Covariances of columns, from products of levels."""

import ibis
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tacit
from tables.records import table
from tables.released import noisy
from tacit import tables
from tacit.tables.caps import Caps


def frame(rows, seed=0):
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 31, rows).astype(float)
    age = np.clip(np.round(2 * days + rng.normal(30, 15, rows)), 0, 120)
    return pd.DataFrame({"patient": range(rows), "days": days, "age": age})


def test_without_noise_it_is_that_of_rows_with_all_numbers(tmp_path):
    """Of whole numbers between whole bounds, exactly; a row that lacks one is in none."""
    given = frame(60)
    given.loc[:4, "days"], given.loc[3:9, "age"] = np.nan, np.nan
    asked = tables.covariance({"days": (0, 30), "age": (0, 120)})
    found = table(given, tmp_path).ask(c=asked, rows_per_person=1).run(tacit.NonPrivate()).frame
    exact = np.cov(given.dropna()[["days", "age"]].T, ddof=0)

    for name, value in (
        ("days_days", exact[0, 0]),
        ("days_age", exact[0, 1]),
        ("age_age", exact[1, 1]),
    ):
        low, high = found[f"c_{name}_low"][0], found[f"c_{name}_high"][0]
        assert value == pytest.approx(found[f"c_{name}"][0]) and low <= value <= high


@pytest.mark.parametrize(
    "rows, delta, groups",
    [(1000, 1e-6, 120), *((rows, delta, 600) for rows in (12, 1000) for delta in (0.0, 1e-6))],
)
def test_intervals_hold_as_often_as_they_say(rows, delta, groups):
    """Of each entry, by exact binomial limits, with few rows and with many; with many, and noise
    three times as large as was said, not: so close are they, grid and all."""
    asked, given = tables.covariance({"days": (0, 30), "age": (0, 120)}), frame(rows)
    levels = [
        np.round(given[name] / wide * each.levels(512)).astype(int).to_numpy()
        for (name, each), wide in zip(asked.numbers, (30, 120), strict=True)
    ]
    row = {f"level{i}": own for i, own in enumerate(levels)}
    exact = np.array([cell.sum() for cell in asked.cells(row, None)])
    true = np.cov(given[["days", "age"]].T, ddof=0)
    names = {"_days_days": true[0, 0], "_days_age": true[0, 1], "_age_age": true[1, 1]}
    shape, enough = asked.shape(Caps(1, 1, 1), 1), binom.ppf(1e-6, groups, 0.95)
    for larger in (1.0, 3.0):
        released = noisy(shape, exact, tacit.Central(1.0, delta), groups, larger)
        held = []
        for name, own in asked.read(released).items():
            assert (own.low <= own.estimate).all() and (own.estimate <= own.high).all()
            held.append(((own.low <= names[name]) & (names[name] <= own.high)).sum())
        if larger == 1.0 or rows > 12:
            assert (min(held) >= enough) is np.bool_(larger == 1.0)


@pytest.mark.parametrize(
    "columns",
    [{}, {"days": (0, 1)}, {"days": (0, 1), "age": 3}, [1, 2], {"a": (1, 0), "b": (0, 1)}],
)
def test_what_is_no_matrix_is_refused(columns):
    """In one sentence."""
    with pytest.raises(ValueError, match="bounds"):
        tables.covariance(columns)


def test_pairs_of_one_name_are_refused():
    """None is dropped for another."""
    with pytest.raises(ValueError, match="two covariances of a, b_c, a_b, c would have one name"):
        tables.covariance(dict.fromkeys(["a", "b_c", "a_b", "c"], (0, 30)))


def test_more_rows_than_fit_a_cell_are_refused(tmp_path):
    """Before anything is read."""
    asked = tables.covariance({"days": (0, 30), "age": (0, 120)})
    with pytest.raises(ValueError, match="rows_per_group=64"):
        table(frame(3), tmp_path).ask(c=asked, rows_per_person=65).plan(tacit.NonPrivate())


def test_columns_may_be_expressions(tmp_path):
    """Also two that are one: which entries are variances follows from where they stand."""
    days, given = ibis._.days / 2, frame(50)
    asked = tables.covariance({"one": (days, 0, 15), "two": (days, 0, 15), "age": (0, 120)})
    found = table(given, tmp_path).ask(c=asked, rows_per_person=1).run(tacit.NonPrivate()).frame
    true = (given.days / 2).var(ddof=0)

    for name in ("one_one", "one_two", "two_two"):
        assert found[f"c_{name}_low"][0] <= true <= found[f"c_{name}_high"][0]
