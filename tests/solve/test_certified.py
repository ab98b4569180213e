"""Certificates hold in rational numbers at every point; derivatives are derivatives."""

import math
from fractions import Fraction

import numpy as np
import pytest

from solve.linear import data, objective
from tacit.solve.certified import State, Summed
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial
from tacit.solve.minimise import minimise
from tacit.solve.objective import cut
from tacit.solve.passes import threads


def exact_gradient(aim, examples, point):
    """Of the Huberised hinge, in rational numbers."""
    width, w = Fraction(aim.loss.width), [Fraction(float(x)) for x in point]
    total = [Fraction(aim.strength) * x for x in w]
    for row, label in zip(examples.rows, examples.labels, strict=True):
        x, y = [Fraction(float(each)) for each in row], int(label)
        margin = y * sum(a * b for a, b in zip(x, w, strict=True))
        slope = -y * min(max((1 + width - margin) / (2 * width), Fraction(0)), Fraction(1))
        total = [t + slope * each for t, each in zip(total, x, strict=True)]
    return math.sqrt(sum(t * t for t in total))


@pytest.mark.parametrize("people", [300, 4000])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-8])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_certificate_covers_the_exact_gradient(tolerance, kind, people):
    """In rational numbers the gradient is below the certificate, with and without a sample."""
    rows, signs = data(people, 3, kind=kind)
    aim = objective(HuberisedHinge(0.5), people, 3, ridge=0.125)
    examples = cut(aim, rows, signs)
    found = minimise(aim, examples, tolerance)

    assert exact_gradient(aim, examples, found.point) <= found.gradient <= tolerance


def summed(aim, examples, weights, kind=np.float64) -> State:
    """What is known of a point, on all rows."""
    with threads() as pool:
        return Summed(aim, examples, np.zeros(aim.shape), 1, pool).state(weights, kind)


def test_a_point_anywhere_has_a_certificate_that_holds():
    """Not at a minimum alone, and hardly above the gradient itself; float32 proves nothing."""
    rows, signs = data(300, 3)
    aim = objective(HuberisedHinge(0.5), 300, 3, ridge=0.125)
    examples, weights = cut(aim, rows, signs), np.array([3.0, -2.0, 0.5])
    found, exact = summed(aim, examples, weights), exact_gradient(aim, examples, weights)

    assert exact <= found.certified < 1.001 * exact
    assert summed(aim, examples, weights.astype(np.float32), np.float32).certified == math.inf


@pytest.mark.parametrize("loss", [Logistic(), Huber(0.5), Multinomial(3)])
def test_gradient_and_hessian_are_the_derivatives(loss):
    """Of the value and of the gradient, by differences along a line."""
    rows, signs = data(400, 5)
    aim = objective(loss, 400, 5)
    examples = cut(aim, rows, signs + 1 if isinstance(loss, Multinomial) else signs)
    numbers, small = np.random.default_rng(2), 1e-5
    at, way = numbers.normal(size=(2, *aim.shape))
    with threads() as pool:
        problem = Summed(aim, examples, np.zeros(aim.shape), 1, pool)
        before, here, after = (problem.state(at + step * way) for step in (-small, 0.0, small))
        slope = (problem.value(after) - problem.value(before)) / (2 * small)
        bend = (after.gradient - before.gradient) / (2 * small)

        assert slope == pytest.approx(float(np.vdot(here.gradient, way)), rel=1e-6)
        np.testing.assert_allclose(problem.hessian_times(here, way), bend, rtol=1e-3, atol=1e-2)
