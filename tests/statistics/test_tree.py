"""Cells are counted by one question in every trust model; learner and shape agree."""

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.contribution import Ball, OneHot, Product
from tacit.statistics.tree import CellCounts, CountedCells, cells_for

REPLACE = tacit.Relation.REPLACE_ONE
FEDERATED = tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE))
MODELS = [
    (tacit.NonPrivate(), Product),
    (tacit.Central(1.0, 0.0), Product),
    (tacit.Local(1.0), OneHot),
    (FEDERATED, Ball),
]


@pytest.mark.parametrize("trust, kind", MODELS)
def test_everyone_is_asked_once(trust, kind):
    """In a shape that the model can answer; what is said of it is known before the data."""
    counted = cells_for(trust, 10_000)

    assert isinstance(counted.plan.sums.contribution, kind)
    assert counted.plan.sums.rounds == 1
    assert counted.error >= 0 and np.isfinite(counted.error)


def test_a_person_is_in_one_node_of_each_level():
    """Of all, of the drawn one, or as a vector of length sqrt(levels)."""
    cell = 16 * 7 + 3
    joint = CellCounts(Product(OneHot(16), OneHot(256)), 2)
    drawn = CellCounts(OneHot(272), 2)
    vector = CellCounts(Ball(272, 2**0.5), 2)

    assert joint.ask(joint.init(), jnp.array([cell, 0])).tolist() == [7, cell]
    assert [int(drawn.ask(drawn.init(), jnp.array([cell, own]))) for own in (0, 1)] == [
        7,
        16 + cell,
    ]
    sent = np.asarray(vector.ask(vector.init(), jnp.array([cell, 0])))
    assert np.flatnonzero(sent).tolist() == [7, 16 + cell] and sent.sum() == 2


def test_terms_are_cells_and_levels():
    """The ends are in the first and the last cell, and every level is drawn as often."""
    terms = CountedCells(tacit.Local(1.0), 9_000, 3).terms(np.linspace(0, 1, 9_000), 1)

    assert terms[0, 0] == 0 and terms[-1, 0] == 4095
    assert np.abs(np.bincount(terms[:, 1], minlength=3) - 3_000).max() < 250


def test_what_is_below_is_exact_without_privacy():
    """Of answers as they come: all levels, one after the other."""
    counted = CountedCells(tacit.NonPrivate(), 100, 3)
    cells = np.arange(0, 4096, 41)[:100]
    answer = np.concatenate(
        [
            np.bincount(cells // 4096**0 // (4096 // size), minlength=size) / 100
            for size in counted.sizes
        ]
    )

    expected = np.searchsorted(cells, np.arange(4097)) / 100
    np.testing.assert_allclose(counted.below(answer), expected, atol=1e-9)


def test_few_people_by_themselves_are_counted_in_few_cells():
    """Where noise is more than what a cell hides; with a larger budget in more."""
    few, more = (cells_for(tacit.Local(epsilon), 10_000) for epsilon in (0.5, 8.0))

    assert (few.levels, more.levels) == (2, 3)
    assert few.error < CountedCells(tacit.Local(0.5), 10_000, 3).error
