"""Descent reaches a minimum in a convex set, in fewer steps than plain steps do."""

import itertools

import numpy as np

from tacit.solve.accelerated import descent, step_for_squares

CURVES = np.array([1.0, 1e-2, 1e-3])
TARGET = np.array([2.0, -3.0, 5.0])


def slope(x: np.ndarray) -> np.ndarray:
    return CURVES * (x - TARGET)


def test_it_reaches_the_minimum_within_the_set():
    """No coordinate below zero: each at its own minimum, or at zero."""
    points = descent(slope, lambda x: np.maximum(x, 0.0), np.ones(3), 1.0)
    found = next(itertools.islice(points, 400, None))

    np.testing.assert_allclose(found, [2.0, 0.0, 5.0], atol=1e-3)
    plain = np.ones(3)
    for _ in range(400):
        plain = np.maximum(plain - slope(plain), 0.0)
    assert abs(plain[2] - 5.0) > 1


def test_a_step_is_about_one_over_the_largest_eigenvalue():
    """And less."""
    matrix = np.random.default_rng(0).normal(size=(30, 20))
    step = step_for_squares(lambda y: matrix @ (matrix.T @ y), 30)
    largest = np.linalg.eigvalsh(matrix @ matrix.T)[-1]

    assert 0.9 < step * largest < 1
