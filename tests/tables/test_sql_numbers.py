"""Aggregates in SQL: the numbers of an engine that runs the text, between bounds."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.between import Between
from tacit.tables.covariance_of_two import CovarianceOfTwo

NOTHING = tacit.NonPrivate()
BOUNDS = {"days": (0, 30), "age": (0, 120)}


def rows() -> pd.DataFrame:
    """Whole numbers within bounds, some missing."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"patient": range(300), "days": rng.integers(0, 31, 300).astype(float)})
    frame["age"] = np.clip(2 * frame.days + rng.integers(0, 60, 300), 0, 120)
    frame.loc[::11, "days"], frame.loc[::7, "age"] = np.nan, np.nan
    return frame


def test_a_covariance_is_an_engines(tmp_path):
    """Of rows that have both numbers."""
    frame = rows()
    text = "SELECT COVAR_POP(days, age) AS both FROM frame"
    asked = table(frame, tmp_path).sql(text, bounds=BOUNDS, rows_per_person=1)
    true = duckdb.sql(text.replace("days", "days::double")).fetchone()
    known = frame.dropna()

    of_two = CovarianceOfTwo(Between("days", 0, 30), Between("age", 0, 120))
    assert {"both": of_two.within(asked.caps)} == asked.aggregates
    assert true is not None and np.isfinite(np.cov(known.days, known.age)).all()
    exact = np.cov(known.days, known.age, ddof=0)[0, 1]
    assert exact == pytest.approx(asked.run(NOTHING).frame["both"][0], rel=1e-3)


@pytest.mark.parametrize(
    "written",
    [
        "QUANTILE_CONT(days, 0.9)",
        "QUANTILE_DISC(days, 0.9)",
        "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY days)",
    ],
)
def test_quantiles_are_those_of_an_engine(tmp_path, written):
    """However they are written; without a name of their own they have their function's."""
    frame = rows().dropna()
    asked = table(frame, tmp_path).sql(
        f"SELECT {written} FROM frame", bounds={"days": (0, 30)}, rows_per_person=1
    )
    true = duckdb.sql(f"SELECT {written} FROM frame").fetchone()
    (name,) = asked.aggregates

    assert name in ("percentile_cont_days", "percentile_disc_days")
    assert true is not None and abs(asked.run(NOTHING).frame[name][0] - true[0]) <= 1.0


@pytest.mark.parametrize(
    "text, says",
    [
        ("COVAR_POP(days, days / 2)", "DIV is no column of the table"),
        ("COVAR_POP(days, shoe)", "there is no column 'shoe'"),
        ("COVAR_POP(days, sex)", "bounds are for numbers"),
        ("COVAR_POP(days)", "this SQL cannot be read"),
        ("PERCENTILE_CONT(days)", "without PERCENTILE_CONT of one number alone"),
        ("QUANTILE_CONT(days, days)", "a share of rows is a number that is written out"),
        ("QUANTILE_CONT(days, '0.5')", "a share of rows is a number that is written out"),
        ("QUANTILE_CONT(days, [0.1, 0.2])", "a share of rows is a number that is written out"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY days DESC)", "DESC of ORDERED"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY days, sex)", "one share of rows, and of one"),
        ("MODE() WITHIN GROUP (ORDER BY sex)", "there is tables.top"),
    ],
)
def test_what_is_not_read_is_refused(tmp_path, text, says):
    """In a sentence."""
    own = table(visits(9, 3, seed=7), tmp_path)
    bounds = {"days": (0, 30), "sex": (0, 1)}
    with pytest.raises(ValueError, match=says):
        own.sql(f"SELECT {text} FROM v", bounds=bounds, rows_per_person=5)


def test_both_bounds_are_needed(tmp_path):
    """Of every column that is summed, by its name."""
    own = table(rows(), tmp_path)
    with pytest.raises(ValueError, match="'age' is summed: state its bounds"):
        own.sql("SELECT COVAR_POP(days, age) FROM v", bounds={"days": (0, 30)}, rows_per_person=1)
    assert (
        tables.count() == own.sql("SELECT COUNT(*) FROM v", rows_per_person=1).aggregates["count"]
    )


@pytest.mark.parametrize(
    "chosen", ["SUM(days * 2) AS days, SUM(days) AS s", "AVG(age / 2) AS days"]
)
def test_no_bounds_are_of_two_numbers(tmp_path, chosen):
    """One that is computed is called by no column's name: that column's bounds are another's."""
    own = table(rows(), tmp_path)
    with pytest.raises(ValueError, match=r"'days' is a column.*call it otherwise by AS"):
        own.sql(f"SELECT {chosen} FROM v", bounds={"days": (0, 30)}, rows_per_person=1)
    other = chosen.replace("AS days", "AS twice")
    bounds = {"days": (0, 30), "twice": (0, 60)} if "s, " in chosen else {"twice": (0, 60)}
    assert "twice" in own.sql(f"SELECT {other} FROM v", bounds=bounds, rows_per_person=1).aggregates
