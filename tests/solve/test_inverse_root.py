"""The diagonal of an inverse square root is what eigenvectors give."""

import numpy as np
import pytest

from tacit.solve.inverse_root import Tridiagonal, terms


@pytest.mark.parametrize(
    ("ratio", "error"), [(1.0, 1e-14), (10.0, 1e-14), (1e8, 1e-13), (1e15, 1e-11)]
)
def test_the_sum_is_the_inverse_root_between_its_ends(ratio, error):
    """Relatively, at 2,001 places from the least eigenvalue to the largest."""
    places = np.geomspace(1e-3, 1e-3 * ratio, 2001)
    found = sum(weight / (places + shift) for weight, shift in terms(1e-3, 1e-3 * ratio))

    assert np.abs(found * np.sqrt(places) - 1).max() < error


def test_the_diagonal_is_that_of_eigenvectors():
    """Of a matrix with no two equal entries, whose own least eigenvalue is far above the bound."""
    rng = np.random.default_rng(0)
    main, beside = 2.1 + rng.random(40), -rng.random(39)
    whole = np.diag(main) + np.diag(beside, 1) + np.diag(beside, -1)
    values, vectors = np.linalg.eigh(whole)
    scales = rng.random(40) + 0.5

    found = Tridiagonal(main, beside).inverse_root_diagonal(values[0] / 10)
    np.testing.assert_allclose(found, (vectors**2) @ values**-0.5, rtol=1e-12)
    scaled = Tridiagonal(main, beside).scaled(scales)
    np.testing.assert_allclose(scaled.main, (whole * scales * scales[:, None]).diagonal())
    np.testing.assert_allclose(scaled.beside, (whole * scales * scales[:, None]).diagonal(1))


@pytest.mark.parametrize(("least", "most"), [(0.0, 1.0), (2.0, 1.0), (1.0, np.inf), (np.nan, 1.0)])
def test_bounds_that_are_none_are_refused(least, most):
    """An inverse root is of positive numbers."""
    with pytest.raises(ValueError, match="eigenvalues must be positive and finite, in order"):
        terms(least, most)


def test_a_matrix_that_is_not_positive_definite_is_refused():
    """Its pivots say so."""
    with pytest.raises(ValueError, match="must be positive definite"):
        Tridiagonal(np.array([1.0, -5.0]), np.zeros(1)).inverse_root_diagonal(0.1)
