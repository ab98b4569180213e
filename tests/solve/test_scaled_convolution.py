"""A convolution between two scalings is what its matrix is, and nearly the best for prefix sums."""

import numpy as np
import pytest

from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix
from tacit.solve.scaled_convolution import BITS, ScaledConvolution, roots


def made(cells, objective) -> ScaledConvolution:
    places = (np.arange(cells) + 0.5) / cells
    return ScaledConvolution.of(objective.squared_weights(places))


def matrix(sums: ScaledConvolution) -> np.ndarray:
    """K, written out, in whole numbers."""
    apart = np.subtract.outer(np.arange(sums.cells), np.arange(sums.cells))
    falling = np.where(apart >= 0, sums.falling[np.maximum(apart, 0)], 0)
    return sums.rows[:, None] * falling * sums.columns


def test_the_roots_are_of_prefix_sums():
    """Convolved with themselves they are ones."""
    np.testing.assert_allclose(np.convolve(roots(50), roots(50))[:50], 1, rtol=1e-13)


@pytest.mark.parametrize("cells", [2, 31, 400])
def test_lengths_and_variances_are_those_of_the_matrix(cells):
    """Lengths to the last digit; variances as by the inverse of the matrix."""
    sums = made(cells, MeanError())
    whole = matrix(sums)
    lengths = [sum(int(each) ** 2 for each in column) for column in whole.T]
    decoder = np.tri(cells) @ np.linalg.inv(whole.astype(np.float64))

    assert sums.squared_lengths().tolist() == lengths
    assert 0.99 * 4**BITS < max(lengths) <= 4**BITS
    np.testing.assert_allclose(sums.variances(), (decoder**2).sum(1), rtol=1e-9)


def test_answers_are_made_of_one_more_convolution():
    """What `partial_inverse` is for: prefix sums of any counts, exactly but for floats."""
    sums, counts = made(200, MeanError()), np.random.default_rng(0).integers(0, 1_000, 200)
    heard = matrix(sums) @ counts / sums.rows
    parts = np.convolve(sums.partial_inverse(), heard)[:200]
    shares = 1 / sums.columns
    before = np.insert(np.cumsum(parts[:-1] * (shares[:-1] - shares[1:])), 0, 0)

    np.testing.assert_allclose(parts * shares + before, np.cumsum(counts), rtol=1e-10)


@pytest.mark.parametrize("cells", [256, 1025, 4096])
@pytest.mark.parametrize(("objective", "most"), [(MeanError(), 1.004), (MaxError(), 1.025)])
def test_it_is_near_the_least(cells, objective, most):
    """By the dual bound, above which the error of the whole numbers is."""
    sums = made(cells, objective)
    reached = objective.of(sums.variances()) * float(sums.squared_lengths().max())

    assert 1 <= reached / objective.best(Prefix(cells)).lower < most


def test_scaled_rows_and_columns_are_worth_it():
    """Without either the squared error is a tenth above the least, and without rows a fortieth."""
    cells = 1024
    least = MeanError().best(Prefix(cells)).lower
    even = ScaledConvolution.of(np.ones(cells))
    plain = ScaledConvolution(even.rows, even.falling, np.ones(cells, np.int64))
    own = [
        float(each.variances().sum() * each.squared_lengths().max() / least)
        for each in (made(cells, MeanError()), even, plain)
    ]

    assert own[0] < 1.004 and 1.02 < own[1] < 1.03 and 1.09 < own[2] < 1.12
