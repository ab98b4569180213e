"""scikit-learn's covariance types: their arrays, and what people are asked for each."""

import numpy as np
import pytest

from tacit.estimators.covariance_types import TYPES, covariance_type_of

ROOTS = np.array([[[2.0, 0.0], [1.0, 3.0]], [[2.0, 0.0], [1.0, 3.0]]])
ROUND = 2.0 * np.array([np.eye(2)] * 2)


@pytest.mark.parametrize(
    "name, roots, shape, numbers",
    [
        ("full", ROOTS, (2, 2, 2), 6),
        ("tied", ROOTS, (2, 2), 3),
        ("diag", ROUND, (2, 2), 4),
        ("spherical", ROUND, (2,), 2),
    ],
)
def test_a_types_arrays_are_of_its_shape(name, roots, shape, numbers):
    """And people are asked for as many numbers as it has."""
    kind = covariance_type_of(name)

    assert shape == kind.covariances(roots).shape == kind.precisions_cholesky(roots).shape
    assert numbers == kind.shapes(2, 2).numbers


def test_precisions_are_the_covariances_inverse():
    """Roots of them, as scikit-learn has them: an upper one for a matrix."""
    for name, roots in (("full", ROOTS), ("tied", ROOTS)):
        kind = TYPES[name]
        covered, upper = (
            np.reshape(each, (-1, 2, 2))[0]
            for each in (kind.covariances(roots), kind.precisions_cholesky(roots))
        )
        np.testing.assert_allclose(upper @ upper.T @ covered, np.eye(2), atol=1e-12)
        np.testing.assert_array_equal(np.tril(upper, -1), 0)
    for name in ("diag", "spherical"):
        kind = TYPES[name]
        np.testing.assert_allclose(kind.covariances(ROUND), 4.0)
        np.testing.assert_allclose(kind.precisions_cholesky(ROUND), 0.5)
