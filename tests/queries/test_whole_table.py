"""A whole table of all columns: near to what was released, and rounded at little cost."""

import itertools

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.queries.closure import Tables
from tacit.queries.whole_table import AllColumns, LeastSquaresFit, whole

SIZES = (3, 4, 2, 5)
TABLES = Tables(SIZES, tuple(itertools.combinations(range(4), 2)), (1.0,) * 6)
DEVIATION = 6 * TABLES.shape.sensitivity(Relation.ADD_REMOVE)
RECORDS = np.random.default_rng(0).integers(0, SIZES, (300, 4)).astype(np.int32)
SUMS = TABLES.shape.sums(RECORDS).astype(float)


def full(records: np.ndarray) -> np.ndarray:
    counts = np.zeros(SIZES)
    np.add.at(counts, tuple(records.T), 1)
    return counts.ravel()


def test_contrasts_of_the_whole_table_are_the_records():
    """One way and the other, and column by column."""
    everything, rng = AllColumns(TABLES), np.random.default_rng(1)
    np.testing.assert_allclose(everything.forward(full(RECORDS)), SUMS, rtol=1e-12)
    numbers, counts = rng.normal(size=SUMS.shape), rng.normal(size=120)
    assert everything.forward(counts) @ numbers == pytest.approx(
        counts @ everything.backward(numbers)
    )
    places = np.array([0, 17, 119])
    np.testing.assert_allclose(
        everything.columns(places),
        np.stack([everything.forward(e) for e in np.eye(120)[places]], 1),
    )


def test_what_is_found_is_whole_and_near():
    """With the contrasts of noisy sums met better than records meet them, and whole numbers that
    move no table by more than half of the contrasts."""
    sums = SUMS + DEVIATION * np.random.default_rng(2).normal(size=SUMS.shape)
    fit = LeastSquaresFit().fit(TABLES, sums, DEVIATION)
    counts = whole(TABLES, fit)
    off = AllColumns(TABLES).forward(fit.counts) - sums

    assert counts.dtype == np.int64 and counts.shape == SIZES and (counts >= 0).all()
    assert np.linalg.norm(off) < np.linalg.norm(SUMS - sums) + fit.distance * DEVIATION
    assert fit.distance <= 0.01 * np.sqrt(len(sums))
    before = fit.counts.reshape(SIZES)
    for own in TABLES.sets:
        others = tuple(set(range(4)) - set(own))
        apart = np.abs(counts.sum(others) - before.sum(others)).sum()
        assert apart <= len(sums) / 2


def test_without_noise_tables_come_back():
    """Whole as they are, but for what rounding moves."""
    counts = whole(TABLES, LeastSquaresFit().fit(TABLES, SUMS, 0.0))
    true = full(RECORDS).reshape(SIZES)
    apart = np.abs(counts.sum((2, 3)) - true.sum((2, 3))).sum()

    assert counts.sum() == pytest.approx(300, abs=10) and apart <= len(SUMS) / 2


def test_nobody_and_too_many_cells():
    """No records: an empty table. Too many cells: refused, with the way there is."""
    gone = SUMS.copy()
    gone[0] = -1.0
    assert not whole(TABLES, LeastSquaresFit().fit(TABLES, gone, DEVIATION)).any()
    with pytest.raises(ValueError, match=r"rows of tacit\.synthesis are whole people too"):
        LeastSquaresFit().fit(Tables((50,) * 4, ((0, 1),), (1.0,)), SUMS, 1.0)
