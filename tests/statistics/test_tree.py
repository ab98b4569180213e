"""Cells are counted by one question in every trust model; learner and shape agree."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from measured import answers
from tacit.contribution import Ball, OneHot, Product
from tacit.statistics.cells import split
from tacit.statistics.tree import CellCounts, CountedCells, cells_for, ending_for

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
    assert counted.rmse >= 0 and np.isfinite(counted.rmse)


def test_a_person_is_in_one_node_of_each_level():
    """Of all, of the drawn one, or as a vector of length sqrt(levels)."""
    cell = 16 * 7 + 3
    joint = CellCounts(Product(OneHot(16), OneHot(256)), (16, 16))
    drawn = CellCounts(OneHot(272), (16, 16))
    vector = CellCounts(Ball(272, 2**0.5), (16, 16))

    assert joint.ask(joint.init(), jnp.array([cell, 0])).tolist() == [7, cell]
    assert [int(drawn.ask(drawn.init(), jnp.array([cell, own]))) for own in (0, 1)] == [
        7,
        16 + cell,
    ]
    sent = np.asarray(vector.ask(vector.init(), jnp.array([cell, 0])))
    assert np.flatnonzero(sent).tolist() == [7, 16 + cell] and sent.sum() == 2


def test_who_is_in_no_cell_is_in_the_node_after_all_others():
    """Once, on whatever level; and in none, where there is no such node."""
    person = jnp.array([256, 1])
    joint = CellCounts(Product(OneHot(16), OneHot(257)), (16, 16))
    kept = joint.shape.project(joint.ask(joint.init(), person)[None])
    nobody = Product(OneHot(16), OneHot(256)).project(jnp.array([[16, 256]]))
    vector = CellCounts(Ball(273, 2**0.5), (16, 16))

    assert kept.tolist() == [[-1, 256]] and nobody.tolist() == [[-1, -1]]
    for level in (0, 1):
        drawn, own = CellCounts(OneHot(273), (16, 16)), jnp.array([256, level])
        assert int(drawn.ask(drawn.init(), own)) == 272
        assert np.flatnonzero(vector.ask(vector.init(), own)).tolist() == [272]


def test_the_share_of_who_is_in_no_cell_is_taken_off_once():
    """Not once a level, as everybody says so; and it is between nought and one."""
    counted = CountedCells(tacit.Local(1.0), 9_000, (16,) * 2)
    for none, left in ((0.25, 0.75), (-0.25, 1.0), (1.25, 0.0)):
        answer = np.concatenate([np.full(272, 1 / 256), [none]])
        assert counted.below(answer)[-1] == pytest.approx(left)


def test_terms_are_cells_and_levels():
    """The ends are in the first and the last cell, and every level is drawn as often."""
    terms = CountedCells(tacit.Local(1.0), 9_000, (16,) * 3).terms(np.linspace(0, 1, 9_000), 1)

    assert terms[0, 0] == 0 and terms[-1, 0] == 4095
    assert CountedCells(tacit.Local(1.0), 1, (16,) * 3).terms(np.array([np.nan]), 1)[0, 0] == 4096
    assert np.abs(np.bincount(terms[:, 1], minlength=3) - 3_000).max() < 250


def test_a_person_is_brought_into_the_shape_as_they_are():
    """Nothing of them is cut, in any shape: one of each level, or of the one drawn."""
    person = jnp.array([16 * 7 + 3, 1])
    for trust, _ in MODELS:
        counted = CountedCells(trust, 1_000, (16,) * 2)
        term = counted.learner.ask(counted.learner.init(), person)[None]

        np.testing.assert_array_equal(counted.shape.project(term), term)


@pytest.mark.parametrize("trust", [tacit.Local(4.0), tacit.Shuffled(4.0, 1e-6)])
def test_errors_are_those_of_what_is_released(trust):
    """On each level, root mean square over nodes of 40 releases; the first has 640 of them, whose
    mean square is within 30% but for a chance of 1e-6."""
    counted = CountedCells(trust, 3_000, (16,) * 2)
    places, learner = (np.arange(3_000) + 0.5) / 3_000, counted.learner
    asks, squares = jax.jit(jax.vmap(lambda each: learner.ask(learner.init(), each))), []
    for seed in range(40):
        drawn = answers(counted.plan, asks(counted.terms(places, seed)), 1, seed)[0]
        levels = split(2 * np.asarray(drawn, np.float64), counted.sizes)
        exact = [np.bincount((places * n).astype(int), minlength=n) / 3_000 for n in counted.sizes]
        squares.append([np.mean((a - b) ** 2) for a, b in zip(levels, exact, strict=True)])

    np.testing.assert_allclose(np.mean(squares, axis=0), counted.tree.variances, rtol=0.3)


@pytest.mark.parametrize("trust, part", [(tacit.NonPrivate(), 1), (tacit.Local(4.0), 3)])
def test_what_is_below_is_exact_without_noise(trust, part):
    """Of answers as they come: all levels, one after the other, or a part of the people on each."""
    counted = CountedCells(trust, 100, (16,) * 3)
    cells = np.arange(0, 4096, 41)[:100]
    answer = np.concatenate(
        [
            np.bincount(cells // 4096**0 // (4096 // size), minlength=size) / 100
            for size in counted.sizes
        ]
    )

    answer = np.append(answer, [0.0] * counted.public)

    expected = np.searchsorted(cells, np.arange(4097)) / 100
    np.testing.assert_allclose(counted.below(answer / part), expected, atol=1e-9)


def test_few_people_by_themselves_are_counted_in_few_cells():
    """Where noise is more than what a cell hides; with a larger budget in more."""
    few, more = (cells_for(tacit.Local(epsilon), 10_000) for epsilon in (0.5, 8.0))

    assert (few.levels, more.levels) == (2, 3)
    assert few.rmse < CountedCells(tacit.Local(0.5), 10_000, (16,) * 3).rmse


def test_cells_are_a_few_more_than_places():
    """On one level one more; on several as few as branches allow, about as many at each node."""
    for places in (1, 2, 7, 20, 255, 4_095):
        ways = ending_for(tacit.Central(1.0, 0.0), 100, places)
        cells = [way.sizes[-1] for way in ways]

        assert cells[0] == places + 1 and ways[0].branches == (places + 1,)
        assert all(places < many <= max(1.5 * places, 8) for many in cells)
        assert all(max(way.branches) <= min(way.branches) + 1 for way in ways if places > 20)
    assert {2} == {len(way.sizes) for way in ending_for(FEDERATED, 100, 200)[1:]}


def test_a_curator_counts_on_more_levels_than_people_by_themselves():
    """Its noise on all levels together may be little more than on one; theirs parts the people. Of
    few places there are no more levels than they can be halved."""
    deepest = {
        (type(trust), places): ending_for(trust, 100, places)[-1].levels
        for trust in (tacit.Central(1.0, 1e-6), tacit.Local(1.0))
        for places in (1, 5, 1_000)
    }

    assert [1, 2, 6, 1, 2, 3] == list(deepest.values())


def test_people_are_counted_in_branches_of_any_size():
    """In the node of their cell on each level, and what is below is exact."""
    counted = CountedCells(tacit.NonPrivate(), 100, (3, 2, 2))
    cells, learner = np.arange(100) % 12, counted.learner
    nodes = np.array(
        jax.vmap(lambda each: learner.ask(learner.init(), each))(
            jnp.stack([jnp.array(cells), jnp.zeros(100, int)], axis=1)
        )
    )
    answer = np.concatenate(
        [np.bincount(own, minlength=n) / 100 for own, n in zip(nodes.T, (3, 6, 12), strict=True)]
    )

    np.testing.assert_array_equal(nodes, np.stack([cells // 4, cells // 2, cells], axis=1))
    expected = np.searchsorted(np.sort(cells), np.arange(13)) / 100
    np.testing.assert_allclose(counted.below(answer), expected, atol=1e-9)


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("branches", [(2,), (6,), (3, 4), (2, 3, 2)])
def test_the_error_of_shares_is_that_of_the_worst_people(branches, public):
    """Of noise alone, by drawing it: over people anywhere none is off more, and some nearly as
    much. It is small, so that nothing is cut where each cell has people, and "none" too, if it is
    there; the shares of none of the cells and of all of them are known."""
    trust = tacit.Central(1.0, 1e-6, REPLACE) if public else tacit.Central(1.0, 1e-6)
    counted, rng = CountedCells(trust, 10**6, branches), np.random.default_rng(2)
    cells = counted.sizes[-1]
    noise = np.sqrt(counted.plan.error / (sum(counted.sizes) + public))
    ends, worst = np.arange(cells + 1), np.zeros(cells + 1)
    for place in range(cells):
        people = np.full(cells, 0.02 / cells)
        people[place] += 0.98 - 0.05 * public
        exact = np.concatenate([people.reshape(n, -1).sum(axis=1) for n in counted.sizes])
        exact = np.append(exact, [0.05] * public)
        drawn = exact + noise * rng.normal(size=(2_000, len(exact)))
        upto = np.array([counted.below(each) for each in drawn])
        off = upto / upto[:, -1:] - np.append(0.0, np.cumsum(people)) / people.sum()
        worst = np.maximum(worst, np.sqrt(np.mean(off**2, axis=0)))
    known = counted.share_rmse(ends)

    # A mean square of 2,000 is within a fifth of its own, but for a chance of 1e-9.
    assert np.all(worst < 1.1 * known + 1e-9) and known[0] == known[-1] == 0
    assert np.all(worst[1:-1] > 0.85 * known[1:-1])
