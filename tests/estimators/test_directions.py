"""Directions of a matrix: the largest first, with a sign of their own."""

import numpy as np

from tacit.estimators.directions import components_of, largest, shares_of


def test_directions_are_those_of_the_largest_eigenvalues():
    """In their order, each with its largest number positive; negative eigenvalues are zero."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    rows, values = largest(turn @ np.diag([5.0, -1.0, 2.0]) @ turn.T, 3)

    assert np.allclose(values, [5.0, 2.0, 0.0])
    assert np.allclose(np.abs(rows @ turn), np.eye(3)[[0, 2, 1]])
    assert (rows[np.arange(3), np.abs(rows).argmax(axis=1)] > 0).all()


def test_shares_are_of_the_trace_or_of_what_was_found():
    """Noise may leave less of a trace than its largest eigenvalues; without one, nothing."""
    assert shares_of(np.array([2.0]), np.diag([2.0, 2.0])).tolist() == [0.5]
    assert shares_of(np.array([2.0]), np.diag([2.0, -3.0])).tolist() == [1.0]
    assert shares_of(np.array([0.0]), np.zeros((2, 2))).tolist() == [0.0]
    assert (4, 2) == (components_of(None, 4), components_of(2.0, 4))
