"""The parts of a fast projection: the shrinkage of a norm, and Hadamard's matrix."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from tacit.mechanisms.local.projection import shrink, transform


def test_the_shrinkage_is_that_of_a_random_rotation():
    """c is the mean norm of k coordinates of a random unit vector, and near 1 - 1/4k."""
    drawn = np.random.default_rng(0).normal(size=(200_000, 16))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    norms = 2 * np.linalg.norm(drawn[:, :4], axis=1)

    assert norms.mean() == pytest.approx(shrink(16, 4), abs=4.5 * norms.std() / 447)
    assert shrink(2**20, 1024) == pytest.approx(1 - 1 / 4096, abs=1e-6)
    assert shrink(64, 64) == pytest.approx(1, 1e-12)


@pytest.mark.parametrize("size", [2, 8, 64, 2048])
def test_the_transform_is_the_hadamard_matrix(size):
    """It agrees with SciPy's matrix, and on a leading part with the Kronecker product."""
    vector = np.random.default_rng(1).normal(size=size).astype(np.float32)
    part = np.kron(hadamard(size // 2), np.eye(2)) @ vector

    assert np.allclose(transform(vector, size), hadamard(size) @ vector, atol=1e-3)
    assert np.allclose(transform(vector, size // 2), part, atol=1e-3)
