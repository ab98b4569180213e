"""The nearest positive semi-definite matrix, against what else there is."""

import numpy as np
import pytest

from tacit.solve.semidefinite import semidefinite

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_it_is_semidefinite_and_nothing_of_that_kind_is_nearer(dim):
    """Nor is any further from it than from what was given."""
    given = RNG.normal(size=(dim, dim))
    given = given + given.T
    found = semidefinite(given)

    assert np.array_equal(found, found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-12
    for _ in range(200):
        root = RNG.normal(size=(dim, dim))
        other = found + RNG.uniform(0, 0.1) * (root @ root.T - found)
        assert np.linalg.norm(given - found) <= np.linalg.norm(given - other) + 1e-12
        assert np.linalg.norm(other - found) <= np.linalg.norm(other - given) + 1e-12


def test_one_that_is_semidefinite_stays():
    """But for rounding."""
    root = RNG.normal(size=(5, 3))

    assert np.allclose(root @ root.T, semidefinite(root @ root.T), atol=1e-13)
    assert np.array_equal(np.zeros((3, 3)), semidefinite(np.zeros((3, 3))))
