"""The nearest point with no negative sum, as near as is said."""

import numpy as np
import pytest
from scipy import optimize

from tacit.solve.nonnegative import nearest

RNG = np.random.default_rng(0)
MATRIX, HELD, GIVEN = RNG.normal(size=(40, 12)), RNG.random(40), 3 * RNG.normal(size=12)


class Dense:
    def forward(self, numbers):
        return MATRIX @ numbers

    def backward(self, prices):
        return MATRIX.T @ prices


def exact() -> np.ndarray:
    """By the dual in its standard form, with SciPy's active sets: |v + T'x|²/2 + h'x least."""
    # One more number, of which a price's share is h/1e4, and its target far away: + h'x.
    tall = np.vstack([MATRIX.T, HELD[None] * 1e-4])
    target = np.concatenate([-GIVEN, [-1e4]])
    prices, _ = optimize.nnls(tall, target, maxiter=10_000)
    return GIVEN + MATRIX.T @ prices


@pytest.mark.parametrize("most", [10, 30, 3_000])
def test_it_is_allowed_and_as_near_as_is_said(most):
    """However early it ends: no sum is negative, and the nearest is within the distance."""
    found = nearest(Dense(), HELD, GIVEN, 1e-5, most)

    assert (MATRIX @ found.numbers + HELD >= -1e-12).all()
    assert np.linalg.norm(found.numbers - exact()) <= found.distance + 1e-3
    assert most < 100 or found.distance <= 1e-5


def test_what_is_allowed_stays():
    """At no distance."""
    inside = nearest(Dense(), HELD + 100, GIVEN, 0.0, 10)

    np.testing.assert_array_equal(inside.numbers, GIVEN)
    assert inside.distance == 0


def test_no_room_is_zero():
    """Where all sums are zero at zero and rise nowhere together."""
    sums = np.array([[1.0], [-1.0]])

    class Both:
        def forward(self, numbers):
            return sums @ numbers

        def backward(self, prices):
            return sums.T @ prices

    found = nearest(Both(), np.zeros(2), np.array([3.0]), 1e-9, 500)
    np.testing.assert_allclose(found.numbers, [0.0], atol=1e-9)
