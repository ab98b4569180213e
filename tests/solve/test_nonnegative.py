"""The nearest point with no negative sum, as near as is said."""

import numpy as np
import pytest
from scipy import optimize

from tacit.solve.nonnegative import nearest

RNG = np.random.default_rng(0)
MATRIX, HELD, GIVEN = RNG.normal(size=(40, 12)), RNG.random(40), 3 * RNG.normal(size=12)


class Dense:
    """T, which keeps the prices it was asked about."""

    def __init__(self):
        self.prices = []

    def forward(self, numbers):
        return MATRIX @ numbers

    def backward(self, prices):
        self.prices.append(prices)
        return MATRIX.T @ prices


def exact() -> np.ndarray:
    """By SciPy's sequential quadratic programming, which is far from what is tested here."""
    found = optimize.minimize(
        lambda y: ((y - GIVEN) ** 2).sum() / 2,
        np.zeros(12),
        jac=lambda y: y - GIVEN,
        constraints={"type": "ineq", "fun": lambda y: MATRIX @ y + HELD, "jac": lambda _: MATRIX},
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert found.success and (MATRIX @ found.x + HELD > -1e-9).all()
    return found.x


def gap(numbers: np.ndarray, prices: np.ndarray) -> float:
    """Of half the squared distance from what is given, by the dual."""
    moved = GIVEN + MATRIX.T @ prices
    dual = (GIVEN @ GIVEN - moved @ moved) / 2 - prices @ HELD
    return float(((numbers - GIVEN) ** 2).sum() / 2 - dual)


@pytest.mark.parametrize("most", [10, 30, 3_000])
def test_it_is_allowed_and_as_near_as_is_said(most):
    """However early it ends: no sum is negative, and the nearest is within the distance."""
    found = nearest(Dense(), HELD, GIVEN, 1e-5, most)

    assert (MATRIX @ found.numbers + HELD >= -1e-12).all()
    assert np.linalg.norm(found.numbers - exact()) <= found.distance + 1e-7
    assert most < 100 or found.distance <= 1e-5


@pytest.mark.parametrize("most", [10, 30])
def test_the_distance_is_that_of_the_gap_of_its_prices(most):
    """The root of twice it: neither more, nor less, for prices that were tried."""
    sums = Dense()
    found = nearest(sums, HELD, GIVEN, 0.0, most)
    tried = [each for each in sums.prices if (each >= 0).all()]
    distances = np.sqrt([2 * gap(found.numbers, each) for each in tried])

    assert 1e-3 < found.distance and np.abs(distances - found.distance).min() < 1e-7


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
