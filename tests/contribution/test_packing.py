"""Symmetric matrices as vectors."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.contribution.packing import packed, unpacked

TOTAL = np.array([[1.5, -0.2, 0.0], [-0.2, 0.7, 0.3], [0.0, 0.3, 0.4]])


def test_packing_keeps_norms_and_comes_back():
    """A matrix and its vector are as long."""
    matrix = jnp.asarray(TOTAL, jnp.float32)
    assert jnp.linalg.norm(packed(matrix)) == pytest.approx(float(jnp.linalg.norm(matrix)))
    assert np.allclose(unpacked(packed(matrix)), matrix, rtol=1e-6)
