"""Counts of a table: what a row gives, what a person's rows give in all, and whole limits."""

from fractions import Fraction
from typing import Any

import ibis
import numpy as np
import pytest

from tacit import tables
from tacit.contribution import Grid, Tally
from tacit.server.means import PlainMean
from tacit.tables.asked import Noisy
from tacit.tables.caps import Caps
from tacit.tables.counted import counts

NOTHING = PlainMean(1.0, 1.0)


def test_a_count_below_zero_lies_in_its_interval():
    """Which begins with it, though no limit is below zero."""
    found = tables.count().read(Noisy(np.array([[-3.0], [2.0]]), NOTHING, 0.05))[""]

    assert found.estimate.tolist() == found.low.tolist() == [-3.0, 2.0]
    assert found.high.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("reach", [0.0, 0.5, 2.0, 2.999999, 3.5])
def test_limits_are_whole_and_hold_for_all_noise_within_reach(reach: float) -> None:
    """Of every exact count and every noise, whole or not, that is no larger than the reach."""
    for exact in range(8):
        for steps in range(-16, 17):
            noise = float(Fraction(steps, 4))
            if abs(noise) > reach:
                continue
            found = counts(np.array([exact + noise]), reach)
            (own,), (low,), (high,) = found[:3]
            assert low <= exact <= high and low <= own <= high
            assert own == round(own) and low == round(low) and high == round(high)
            assert high - low <= 2 * reach and high >= 0


def test_what_is_certain_is_not_widened() -> None:
    """Without noise the limits are the count; with it they are no wider than that reaches."""
    assert [each.tolist() for each in counts(np.array([0.0, 7.0]), 0.0)[:3]] == [[0, 7]] * 3
    own, low, high, _ = counts(np.array([5.0, 1.0, -9.0]), 2.75)
    assert (own.tolist(), low.tolist(), high.tolist()) == ([5, 1, -9], [3, 0, -9], [7, 3, 0])


@pytest.mark.parametrize("kind", ["count", "count_if", "people"])
def test_what_rows_give_is_what_their_shape_bounds(kind: str) -> None:
    """Every row one, of a condition one or none; of people the first row of a group alone."""
    asked: Any = {
        "count": tables.count(),
        "count_if": tables.count_if("long"),
        "people": tables.people(),
    }[kind]
    caps, given = Caps(rows=5, groups=2, each=4), []
    for first in (1, 0, 0):
        given += asked.cells({"holds": 1}, first)

    assert given == ([1, 0, 0] if kind == "people" else [1, 1, 1])
    one = asked.shape(caps, 1)
    assert one == (Grid(0, 1) if kind == "people" else Grid(0, 4))
    several = asked.shape(caps, 9)
    assert several == (Tally(9, 1, 2) if kind == "people" else Tally(9, 4, 5))


def test_rows_of_which_it_is_not_known_do_not_hold() -> None:
    """A condition gives one, none, or nothing at all: in an engine's whole numbers."""
    rows = ibis.memtable({"days": [1.0, 9.0, None]}, schema={"days": "float64"})
    (read,) = tables.count_if(ibis._.days > 2).columns.values()
    found = read(rows)
    assert found.type().is_int64()
    assert found.to_pyarrow().to_pylist() == [0, 1, None]


@pytest.mark.parametrize("bad", [3, None, "", True, ["long"]])
def test_a_condition_is_a_column_or_an_expression(bad: Any) -> None:
    """Anything else is refused where it is said, and not where a table is asked."""
    with pytest.raises(ValueError, match="a column is its name, or an expression of one row"):
        tables.count_if(bad)


def test_a_count_says_what_it_is_of_and_how_far_it_is_off() -> None:
    """In one line each: rows, people, and the rows of a condition."""
    asked = tables.count(), tables.people(), tables.count_if("long")
    assert [each.words for each in asked] == [
        "how many rows",
        "how many people",
        "how many rows with long",
    ]
    widths = [each.width(NOTHING, 0.05) for each in asked]
    assert widths == ["± 0 rows", "± 0 people", "± 0 rows"]
    assert {tuple(each.behind) for each in asked} == {("", "_low", "_high")}
