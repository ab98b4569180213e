"""How far symmetric noise reaches: the tail of its law, and no less where weights are unknown."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import tacit
from tacit.contribution import Outer
from tacit.server.symmetric_reach import symmetric_reach
from tacit.statistics.one_round import one_round

CHANCE = 0.05
PURE, DELTA = tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6)


def plan(trust, dim: int = 3) -> tacit.Plan:
    return one_round(trust, Outer(dim, 1.0), 1_000)


def tail(variances: list[float], degrees: int, far: float) -> float:
    """P(|L| > far), L normal given that its variance is the sum of these times chi squares."""
    law = stats.chi2(degrees)
    if len(variances) == 1:
        own = lambda x: law.pdf(x) * math.erfc(far / math.sqrt(2 * variances[0] * x))  # noqa: E731
        return integrate.quad(own, 0, 200)[0]
    first, second = variances

    def two(x, y):
        return law.pdf(x) * law.pdf(y) * math.erfc(far / math.sqrt(2 * (first * x + second * y)))

    return integrate.dblquad(two, 0, 60, 0, 60, epsabs=1e-6)[0]


@pytest.mark.parametrize("dim", [2, 3, 30])
@pytest.mark.parametrize("chance", [0.3, CHANCE, 1e-4])
def test_the_tail_of_wisharts_is_met(dim, chance):
    """By quadrature over what is known of U: no more than was allowed, and hardly less."""
    asked = plan(PURE, dim)
    noise = asked.server.mechanism
    far = symmetric_reach(asked, np.diag([2.0, 0.0, 0.0])[None], chance)[0]
    found = tail([2 * (noise.sensitivity / noise.epsilon) ** 2], dim + 1, far - 3 * noise.step)

    assert chance * (1 - 0.01) < found < chance * (1 + 0.01)


def test_two_eigenvalues_are_two(dim=3):
    """Of one as large as both together the tail is another."""
    asked = plan(PURE, dim)
    noise = asked.server.mechanism
    both, whole = (np.diag(own)[None] for own in ([1.5, 0.5, 0.0], [2.0, 0.0, 0.0]))
    far = symmetric_reach(asked, both, CHANCE)[0]
    unit = (noise.sensitivity / noise.epsilon) ** 2

    assert tail([1.5 * unit, 0.5 * unit], dim + 1, far) == pytest.approx(CHANCE, rel=0.02)
    assert symmetric_reach(asked, whole, 1e-3)[0] > 1.01 * symmetric_reach(asked, both, 1e-3)[0]


def test_normal_noise_is_normal():
    """With half of the variance off the diagonal."""
    asked = plan(DELTA)
    weights = np.array([[1.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    sigma, step = asked.server.mechanism.sigma, asked.server.grid
    far = symmetric_reach(asked, (weights @ weights)[None], CHANCE)[0]
    # One number of the diagonal, and one off it.
    deviation = sigma * math.sqrt(1 + 0.5)

    assert far == pytest.approx(1.959964 * deviation, rel=1e-4, abs=6 * step)
    assert far > 1.9599639 * deviation


def test_what_nothing_is_known_of_says_so():
    """Reports have noise that no server knows; without a promise there is none."""
    one = np.eye(3)[None]

    assert symmetric_reach(plan(tacit.Local(4.0)), one, CHANCE) is None
    assert symmetric_reach(plan(tacit.NonPrivate()), one, CHANCE).tolist() == [0.0]
    assert symmetric_reach(plan(PURE), one, 1e-9)[0] == math.inf
    assert symmetric_reach(plan(DELTA), 0 * one, CHANCE)[0] == 0.0
