"""Products are those of whole numbers, to the last digit, at the largest sizes too."""

import random

import numpy as np
import pytest

from tacit.solve.whole_products import LARGEST, product

MOST = 2**53 - 1


def slow(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """By whole numbers of the host."""
    return matrix.astype(np.int64).astype(object) @ vector


@pytest.mark.parametrize("bits", [1, 15, 16, 17, 31, 32, 214, 273])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (40, 40)])
def test_products_are_exact(shape, bits):
    """Of any numbers below 2^53 with any others, of either sign."""
    host = random.Random(bits)
    numbers = [[host.randint(-MOST, MOST) for _ in range(shape[1])] for _ in range(shape[0])]
    matrix = np.array(numbers, float)
    vector = np.array([host.randint(-(2**bits), 2**bits) for _ in range(shape[1])], object)

    assert np.array_equal(product(matrix, vector), slow(matrix, vector))


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_largest_sums_are_exact(sign):
    """As many columns as there may be, all of the largest odd numbers, all limbs full."""
    matrix = np.full((2, LARGEST), sign * float(MOST))
    matrix[1] -= sign * 2.0 * np.arange(LARGEST)
    for number in (2**64 - 1, 2**79 - 1, -(2**80), 0):
        vector = np.array([number] * LARGEST, object)
        assert np.array_equal(product(matrix, vector), slow(matrix, vector))


def test_more_columns_are_refused():
    """By how many there may be."""
    with pytest.raises(ValueError, match="at most 512 columns, got 513"):
        product(np.ones((1, LARGEST + 1)), np.ones(LARGEST + 1, object))
