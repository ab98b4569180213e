"""Noise on squares: symmetric, half of its variance off the diagonal, the same in every basis."""

import numpy as np
import pytest

from measured import answers, deviation
from tacit.contribution import Outer
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.server.symmetric import SymmetricMean, edge_of
from tacit.trust.central import Central

SQUARES = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [-0.5, 0.5, 0.0], [0.25, 0.25, 0.25]])


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-5), (1.0, 0.0), (200.0, 0.0)])
def test_noise_on_squares_is_symmetric_and_has_the_predicted_error(epsilon, delta):
    """Gaussian, Wishart and Laplace: half of the variance is off the diagonal."""
    plan = Central(epsilon, max(delta, 1e-9 * (epsilon > 99))).plan(
        Mean(Outer(3, 1.0), Everyone(), 1, 4)
    )
    total = SQUARES.T @ SQUARES
    drawn = answers(plan, SQUARES, 20_000, 0).astype(np.float64) - total / 4
    variances = 16 * (drawn**2).mean(axis=0)

    assert abs(deviation(plan, SQUARES, 20_000, 0, total=total)) < 5
    assert deviation(plan, SQUARES, 20_000, 0, error=plan.error * 1.5, total=total) < -5
    assert np.array_equal(drawn, np.swapaxes(drawn, 1, 2))
    stated = plan.server.facts.noise**2
    assert np.diag(variances) == pytest.approx(np.full(3, stated), rel=0.1)
    off = variances[np.triu_indices(3, 1)]
    assert off == pytest.approx(np.full(3, stated / 2), rel=0.1)


def test_gaussian_noise_on_squares_is_the_same_in_every_basis():
    """Turned by any rotation it keeps its variances: so of a matrix as wide as that of all numbers
    one half is left."""
    plan = Central(1.0, 1e-5).plan(Mean(Outer(3, 1.0), Everyone(), 1, 4))
    drawn = answers(plan, np.zeros((4, 3)), 20_000, 1).astype(np.float64) * 4
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned = ((turn @ drawn @ turn.T) ** 2).mean(axis=0)
    wanted = plan.server.facts.noise**2 * (0.5 + 0.5 * np.eye(3))

    assert isinstance(plan.server, SymmetricMean)
    assert turned == pytest.approx(wanted, rel=0.06)


def test_the_samplers_of_all_numbers_are_paid_for():
    """Both halves are drawn, though one number comes of two."""
    server = Central(1.0, 1e-5).plan(Mean(Outer(3, 1.0), Everyone(), 1, 4)).server

    assert 0 < server.mechanism.tv_distance(9) == server.facts.tv_distance


@pytest.mark.parametrize("delta, edge", [(1e-5, 2.0), (0.0, 2.3548)])
def test_the_largest_eigenvalue_of_noise_is_as_told(delta, edge):
    """As it is drawn, of 40 rows, over the deviation of a row: of thirty matrices few are beyond
    it, and none by much; of Wisharts it is a sixth more than of Gaussian noise."""
    size = 40
    plan = Central(1.0, delta).plan(Mean(Outer(size, 1.0), Everyone(), 1, 4))
    drawn = answers(plan, np.zeros((4, size)), 30, 2).astype(np.float64) * 4
    row = plan.server.facts.noise * ((size + 1) / 2) ** 0.5
    tops = np.linalg.eigvalsh(drawn)[:, -1] / row

    assert edge_of(plan.server) == pytest.approx(edge, rel=1e-4)
    assert (tops > edge).sum() <= 9 and tops.max() < 1.25 * edge and tops.mean() > 0.88 * edge
