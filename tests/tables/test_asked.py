"""What every aggregate is: its numbers and their limits."""

import numpy as np
import pytest

import tacit
from tables.records import everything, table, visits
from tacit import tables
from tacit.tables.answered import numbers_of
from tacit.tables.asked import Noisy
from tacit.tables.reaches import reaches


@pytest.fixture(scope="module")
def of_rooms(tmp_path_factory):
    """Every aggregate, asked of groups of few rows or none."""
    some = np.random.default_rng(0).integers(0, 9, 30)
    frame = visits(30, 12, seed=1).assign(room=some, long=lambda rows: rows.days > 2)
    own = table(frame, tmp_path_factory.mktemp("rooms"))
    own.budget(100.0, 1e-3)
    return own.by(room=list(range(12))).ask(**everything(), rows_per_person=3)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 20.0])
def test_an_estimate_lies_in_its_interval(of_rooms, epsilon, delta):
    """Of every aggregate, in groups of few rows or none, however large the noise is."""
    found = of_rooms.run(tacit.Central(epsilon, delta), seed=1).frame

    for name in numbers_of(found):
        below, above = found[f"{name}_low"] <= found[name], found[name] <= found[f"{name}_high"]
        assert (below & above).all()
    assert epsilon > 1 or found.n.min() < 0


def test_noise_reaches_sums_as_said(tmp_path):
    """Of several sums as of them apart from an aggregate."""
    own = table(visits(9, 3, seed=1), tmp_path)
    ask = own.ask(stay=tables.mean("days", 0, 30), rows_per_person=2)
    server = ask.plan(tacit.Central(1.0, 1e-6)).plan.server
    weights, noisy = np.array([[1.0, -1.0], [0.5, 0.25]]), Noisy(np.zeros((1, 2)), server, 0.05)

    assert noisy.reaches(weights).tolist() == reaches(server, 0.05, weights).tolist()


def test_people_among_the_numbers_is_told_where_it_belongs(tmp_path):
    """How many there are is a table's to say; of other names nothing is guessed."""
    own = table(visits(9, 3, seed=1), tmp_path)
    with pytest.raises(ValueError, match=r"got 3000; .* tacit.Table\(..., people=3000\)"):
        own.ask(n=tables.count(), people=3000, rows_per_person=1)
    with pytest.raises(ValueError, match=r"got 3000$"):
        own.ask(persons=3000, rows_per_person=1)


@pytest.mark.parametrize(("other", "own"), [("sum", "total"), ("std", "variance"), ("avg", "mean")])
def test_aggregates_that_are_called_otherwise_elsewhere_are_named(other, own):
    """By the name that they have here; what is not there at all is not guessed."""
    with pytest.raises(AttributeError, match=f"ask for tables.{own}"):
        getattr(tables, other)
    assert not hasattr(tables, "nothing") and hasattr(tables, own)
