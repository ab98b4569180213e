"""Penalties have the proximal points and the constants they state."""

import math

import numpy as np
import pytest

from tacit.solve.regularisers import L1, L2, Elastic

PENALTIES = [L2(0.7), L1(0.4), Elastic(0.7, 0.4)]


@pytest.mark.parametrize("penalty", PENALTIES)
def test_proximal_points_are_the_least(penalty):
    """No point near a proximal point, or elsewhere, has a lower penalty and distance."""
    numbers = np.random.default_rng(0)
    v, step = numbers.normal(size=5), 0.6
    found = penalty.proximal(v, step)

    def total(w):
        return penalty.value(w) + ((w - v) ** 2).sum() / (2 * step)

    others = found + numbers.normal(size=(2000, 5)) * np.geomspace(1e-6, 3, 2000)[:, None]
    assert all(total(w) > total(found) for w in others)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_strong_convexity_is_what_is_left_convex(penalty):
    """Less m|w|²/2 the penalty is convex along random chords, and less a bit more it is not."""
    numbers = np.random.default_rng(1)

    def bend(m):
        ends = numbers.normal(size=(2, 500, 4)) + 3

        def left(w):
            return penalty.value(w) - m / 2 * (w**2).sum()

        return min(left(a) + left(b) - 2 * left((a + b) / 2) for a, b in zip(*ends, strict=True))

    assert bend(penalty.strong_convexity) >= -1e-9
    assert bend(penalty.strong_convexity + 0.1) < 0


def test_lasso_shrinks_to_zero():
    """Weights below the threshold become exactly zero."""
    assert L1(1.0).proximal(np.array([0.3, -2.0, 0.5]), 0.5).tolist() == [0.0, -1.5, 0.0]


@pytest.mark.parametrize("penalty", [L1(1.0), Elastic(1.0, 1.0)])
def test_refuses_smoothness(penalty):
    """A penalty with a corner has none, and says its name."""
    with pytest.raises(ValueError, match=f"{type(penalty).__name__} penalty has no smoothness"):
        _ = penalty.smoothness


@pytest.mark.parametrize("make", [L2, L1, lambda x: Elastic(x, 1), lambda x: Elastic(1, x)])
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_refused_parameters(make, bad):
    """Only positive finite penalties are."""
    with pytest.raises(ValueError, match="must be positive and finite"):
        make(bad)
