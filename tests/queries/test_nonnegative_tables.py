"""Tables without a negative cell: that agree, are the likeliest, and are nearer to sparse truth."""

import itertools

import numpy as np
import pytest
from scipy import optimize

from tacit.accounting.relation import Relation
from tacit.queries.closure import Tables
from tacit.queries.nonnegative_tables import LargestTables, likeliest

SIZES = (3, 4, 2, 5)
TABLES = Tables(SIZES, tuple(itertools.combinations(range(4), 2)), (1.0,) * 6)
DEVIATION = 6 * TABLES.shape.sensitivity(Relation.ADD_REMOVE)


def noisy(seed: int, many: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Sums of records that are nearly all in a few cells, and the same with noise."""
    rng = np.random.default_rng(seed)
    cells = np.minimum(rng.geometric(0.7, (many, 4)) - 1, np.array(SIZES) - 1).astype(np.int32)
    sums = TABLES.shape.sums(cells).astype(float)
    return sums, sums + DEVIATION * rng.normal(size=sums.shape)


def test_the_two_ways_are_adjoint():
    """Of contrasts to cells, and of cells to contrasts."""
    cells, rng = LargestTables(TABLES), np.random.default_rng(0)
    numbers = rng.normal(size=TABLES.shape.answer_shape)
    prices = rng.normal(size=cells.forward(numbers).shape)

    assert cells.forward(numbers) @ prices == pytest.approx(numbers @ cells.backward(prices))


def test_parts_of_tables_are_not_asked_twice():
    """No cell of a part is negative where none of the whole is."""
    nested = Tables(SIZES, ((0,), (0, 1), (2,)), (1.0,) * 3)

    assert [(0, 1), (2,)] == LargestTables(nested).largest


@pytest.mark.parametrize("seed", range(3))
def test_no_cell_is_negative_and_tables_agree(seed):
    """Every pair's table adds up to its columns' own, and to the number that was released."""
    _, sums = noisy(seed)
    blocks, _ = likeliest(TABLES, sums, DEVIATION)
    pairs = {own: TABLES.table(own, blocks) for own in TABLES.sets}
    released = TABLES.split(sums)

    assert min(TABLES.table(own, released).min() for own in TABLES.sets) < -1
    assert min(table.min() for table in pairs.values()) > -1e-6
    for (i, j), table in pairs.items():
        np.testing.assert_allclose(table.sum(1), TABLES.table((i,), blocks), atol=1e-6)
        np.testing.assert_allclose(table.sum(0), TABLES.table((j,), blocks), atol=1e-6)
    assert blocks[()] == pytest.approx(float(released[()]))


def test_they_are_the_likeliest():
    """As near to what was released, in the noise's unit, as SciPy finds within the constraints."""
    _, sums = noisy(0)
    blocks, distance = likeliest(TABLES, sums, DEVIATION)
    weighted = zip(TABLES.shape.sets, TABLES.shape.weights, strict=True)
    found = np.concatenate([np.ravel(w * blocks[own]) for own, w in weighted]) / DEVIATION
    numbers, start = len(sums), sums[0] / DEVIATION
    matrix = np.stack([LargestTables(TABLES).forward(unit) for unit in np.eye(numbers)], axis=1)
    # The dual, with one heavy row for the slope of the cells that the number of records gives.
    tall = np.vstack([matrix[:, 1:].T, 1e-4 * start * matrix[:, :1].T])
    target = np.concatenate([-sums[1:] / DEVIATION, [-1e4]])
    prices, _ = optimize.nnls(tall, target, maxiter=10_000)
    exact = sums[1:] / DEVIATION + matrix[:, 1:].T @ prices

    assert np.linalg.norm(found[1:] - exact) <= distance + 1e-3
    assert distance <= 0.01 * np.sqrt(numbers)


def test_they_are_nearer_to_sparse_truth_and_biased():
    """Over 14 releases: a smaller squared error than the released tables, and empty cells that are
    above zero on average by more than four of the average's deviations."""
    cells, squares, empty = LargestTables(TABLES), np.zeros(2), []
    for seed in range(14):
        exact, sums = noisy(seed)
        blocks = likeliest(TABLES, sums, DEVIATION)[0]
        found = np.concatenate([TABLES.table(own, blocks).ravel() for own in TABLES.sets])
        true = cells.forward(exact)
        off = cells.forward(sums) - true, found - true
        squares += [float((each**2).sum()) for each in off]
        empty.append(off[1][true < 0.5].mean())

    assert squares[1] < 0.8 * squares[0]
    assert np.mean(empty) > 4 * np.std(empty) / np.sqrt(14)


def test_exact_tables_stay_and_nobody_is_zero():
    """Without noise nothing moves; with no records released, all cells are zero."""
    exact, _ = noisy(0)
    blocks, distance = likeliest(TABLES, exact, 0.0)
    before = TABLES.table((0, 1), TABLES.split(exact))
    np.testing.assert_allclose(TABLES.table((0, 1), blocks), before, atol=1e-9)
    assert distance <= 1e-6
    gone = exact.copy()
    gone[0] = -5.0
    blocks, _ = likeliest(TABLES, gone, DEVIATION)
    np.testing.assert_allclose(TABLES.table((1, 2), blocks), 0.0, atol=1e-9)
