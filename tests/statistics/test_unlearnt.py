"""Of an interval that is everything between the bounds it is said that nothing was learnt."""

import numpy as np
import pytest

import tacit
from tacit.statistics import mean
from tacit.statistics.limits import Limits
from tacit.statistics.unlearnt import UNLEARNT, unlearnt

NUMBERS = np.linspace(10, 20, 300)


@pytest.mark.parametrize(
    "trust, people",
    [
        (tacit.Central(1e-3, 0), 300),
        (tacit.Central(1e-3, 0, tacit.Relation.REPLACE_ONE), None),
        (tacit.Local(0.01), None),
    ],
)
def test_a_mean_says_that_its_bounds_are_all_that_is_known(tmp_path, trust, people):
    """Where people are too few for the epsilon, whoever is trusted; once, and of no other mean."""
    book = tacit.Ledger(tmp_path / "p.db")
    for observer in ("public", "server"):
        for relation in tacit.Relation:
            book.limit("p", observer, relation, 50.0, 1e-3)
    call = {"bounds": (0, 30), "ledger": book, "name": "p", "people": people, "seed": 1}
    found = mean(NUMBERS, trust=trust, **call)
    plenty = mean(NUMBERS, trust=tacit.Central(5.0, 0), **{**call, "people": 300})

    assert Limits(0.0, 30.0) == found.interval
    assert 1 == " ".join(repr(found).split()).count(f"between the bounds: {UNLEARNT}")
    assert UNLEARNT not in "".join(plenty.remarks)


def test_an_interval_that_ends_before_a_bound_is_something():
    """However near."""
    assert (f"the interval is everything between the bounds: {UNLEARNT}",) == unlearnt(
        Limits(0.0, 9.0), (0.0, 9.0)
    )
    assert () == unlearnt(Limits(0.0, 8.9), (0.0, 9.0)) == unlearnt(Limits(0.1, 9.0), (0.0, 9.0))
