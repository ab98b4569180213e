"""Columns of very unlike bounds: whoever fits clusters is told, before anybody is asked."""

import warnings

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import KMeans
from tacit.estimators.unlike_bounds import LEAST, warn_of_unlike_bounds

PEOPLE = 200
CENTRAL = tacit.Central(1.0, 0.0)
# How many times as wide a column is that leaves another just its part.
TIMES = LEAST**-0.5


def model(*widths: float, trust=CENTRAL, **others) -> KMeans:
    return KMeans(
        trust, bounds=(0.0, np.array(widths)), people=PEOPLE, n_clusters=2, seed=0, **others
    )


def rows(*widths: float) -> np.ndarray:
    return np.random.default_rng(0).uniform(0, widths, (PEOPLE, len(widths)))


def test_a_plan_and_a_fit_say_which_columns_decide_nothing_and_what_to_do():
    """By their names where the rows have any; and the warning points at whoever asked."""
    frame = pd.DataFrame(rows(40.0, 80_000.0, 1.0), columns=["years", "euros", "share"])
    said = "of {} are up to 80,000 times as wide as those of {}, {}, which have.*divide each"
    with pytest.warns(UserWarning, match=said.format("column 1", "column 0", "column 2")) as told:
        model(40.0, 80_000.0, 1.0).plan(features=3)
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match=said.format("'euros'", "'years'", "'share'")):
        model(40.0, 80_000.0, 1.0).fit(frame)


def test_nothing_is_said_of_bounds_that_are_alike_or_not_declared():
    """A part of a thousandth and more counts; what is read off data is the data's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(1.0, 0.99 * TIMES).plan(features=2)
        KMeans(tacit.NonPrivate(), n_clusters=2).fit(rows(1.0, 80_000.0))
    with pytest.warns(UserWarning, match="column 0, which has next to no part"):
        model(1.0, 1.01 * TIMES).plan(features=2)


def test_whoever_makes_an_error_of_it_is_not_charged(tmp_path):
    """It comes before the ledger."""
    ledger = tacit.Ledger(tmp_path / "people.db")
    ledger.limit("people", "public", tacit.Relation.ADD_REMOVE, 2.0, 1e-6)
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="divide each column"):
        warnings.simplefilter("error")
        model(1.0, 80_000.0, ledger=ledger).fit(rows(1.0, 80_000.0))

    assert 0 == ledger.spent("people")[0].epsilon


@pytest.mark.parametrize("narrow", [0.0, 1e-310, 1e-300, 0.9e-6])
def test_of_sides_next_to_nothing_no_number_is_said(narrow):
    """What that is divided by has no name, and may be beyond floats: one warning, and no other."""
    with pytest.warns(UserWarning, match=r"up to more than 1,000,000 times as wide") as told:
        warn_of_unlike_bounds((1.0, narrow))
    assert len(told) == 1
    with pytest.warns(UserWarning, match=r"up to 909,091 times as wide as those of 'b'"):
        warn_of_unlike_bounds((1.0, 1.1e-6), ("a", "b"))


def test_a_plan_of_the_narrowest_bounds_says_nothing_else():
    """Subnormal ones, which NumPy divided by."""
    with pytest.warns(UserWarning) as told:
        model(1e-310, 1.0).plan(features=2)
    assert ["up to more than 1,000,000" in str(each.message) for each in told] == [True]


def test_of_many_columns_few_are_named():
    """The others are counted."""
    with pytest.warns(UserWarning, match=r"column 4 and 3 more, which have"):
        model(*[1.0] * 8, 80_000.0).plan(features=9)
