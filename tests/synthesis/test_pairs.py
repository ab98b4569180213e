"""Pairs are denoised: exact without noise, independent where nothing ties them."""

import itertools

import numpy as np
import pytest

from tacit.queries.closure import Tables
from tacit.solve.simplex import project
from tacit.synthesis.pairs import pairs_of, shares_of, shrunk

SIZES = (6, 9, 2)
SETS = tuple(itertools.combinations(range(3), 2))
TABLES = Tables(SIZES, SETS, (1.0,) * 3)
RNG = np.random.default_rng(0)
FIRST = RNG.integers(0, 6, 5_000)
CELLS = np.stack([FIRST, (FIRST + RNG.integers(0, 4, 5_000)) % 9, RNG.integers(0, 2, 5_000)], 1)
SUMS = TABLES.shape.sums(CELLS.astype(np.int32)).astype(float)


def truth(pair) -> np.ndarray:
    found = np.zeros([SIZES[i] for i in pair])
    np.add.at(found, tuple(CELLS[:, i] for i in pair), 1 / len(CELLS))
    return found


def found_with(deviation: float) -> dict:
    noisy = SUMS + deviation * np.random.default_rng(1).normal(size=SUMS.shape)
    blocks = TABLES.split(noisy)
    return pairs_of(TABLES, blocks, deviation, shares_of(TABLES, blocks))


def test_without_noise_pairs_are_exact():
    """Every cell of every pair."""
    found = found_with(0.0)

    assert set(found) == set(SETS)
    for pair in SETS:
        np.testing.assert_allclose(found[pair], truth(pair), atol=1e-12)


def test_pairs_are_shares():
    """None negative, of sum one, whatever the noise."""
    for table in found_with(1e12).values():
        assert table.min() >= 0 and table.sum() == pytest.approx(1)


def test_what_is_independent_stays_so():
    """Columns that nothing ties have the rank one that their own shares give; others do not."""
    deviation = 2e-2 * len(CELLS) * TABLES.shape.weights[0]
    found = found_with(deviation)
    ranks = {pair: np.linalg.matrix_rank(table, tol=1e-6) for pair, table in found.items()}

    assert ranks[(0, 2)] == ranks[(1, 2)] == 1 and ranks[(0, 1)] > 1


def test_denoised_pairs_are_nearer_than_projected_ones():
    """In total variation, of two columns that nothing ties, in ten releases together."""
    deviation = 1e-1 * len(CELLS) * TABLES.shape.weights[0]
    off, plain = 0.0, 0.0
    for noise in np.random.default_rng(1).normal(size=(10, *SUMS.shape)):
        blocks = TABLES.split(SUMS + deviation * noise)
        found = pairs_of(TABLES, blocks, deviation, shares_of(TABLES, blocks))[(1, 2)]
        projected = project(TABLES.table((1, 2), blocks).ravel() / len(CELLS)).point
        off += np.abs(found - truth((1, 2))).sum()
        plain += np.abs(projected - truth((1, 2)).ravel()).sum()

    assert off < 0.95 * plain


def test_a_low_rank_survives_and_noise_does_not():
    """One strong pattern among 40 x 60 entries: nearer to it than it was; noise alone: zero."""
    rng = np.random.default_rng(2)
    signal = 30 * np.outer(rng.normal(size=40), rng.normal(size=60)) / np.sqrt(60)
    noise = rng.normal(size=(40, 60))

    assert np.linalg.norm(shrunk(signal + noise, 1.0) - signal) < 0.4 * np.linalg.norm(noise)
    assert np.linalg.norm(shrunk(noise, 1.0)) < 0.2 * np.linalg.norm(noise)
    np.testing.assert_array_equal(shrunk(signal, 0.0), signal)
