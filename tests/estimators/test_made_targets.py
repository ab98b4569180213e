"""What is foreseen for made targets behaves like what it stands for."""

import math

import numpy as np
import pytest

from tacit.estimators.made_people import SPREAD, moments
from tacit.estimators.made_targets import EXPLAINED, LEFT, MadeTargets

SQUARES = MadeTargets(people=1000, features=12, width=math.inf)
MOMENTS = moments(12)
PENALTIES = np.geomspace(1e-6, 1e3, 40)


def missed(found: np.ndarray, best: np.ndarray) -> float:
    """The share of what could be explained."""
    return float((MOMENTS * (found - best) ** 2).sum(-1).mean() / EXPLAINED)


def best_weights(draws: int) -> np.ndarray:
    size = (EXPLAINED / SPREAD) ** 0.5
    return size * np.random.default_rng(0).choice([-1.0, 1.0], (draws, 12))


@pytest.mark.parametrize("penalty, noise", [(1e-4, 0.001), (1e-2, 0.01), (0.3, 0.05)])
def test_the_share_lost_is_that_of_weights_drawn(penalty, noise):
    """Whose length counts: of squares, as the docstring draws them."""
    numbers, best = np.random.default_rng(1), best_weights(4000)
    spread = np.sqrt(noise**2 + MOMENTS * LEFT**2 / SQUARES.people)
    found = MOMENTS * best + spread * numbers.normal(size=best.shape)
    foreseen = SQUARES.lost(np.array([penalty]), noise)[0]

    assert foreseen == pytest.approx(missed(found / (MOMENTS + penalty), best), rel=0.05)


def test_more_noise_loses_more_and_asks_for_a_stronger_penalty():
    """At every penalty, and at the best one; a narrower loss bends less, and loses as much more."""
    less, more = SQUARES.lost(PENALTIES, 0.001), SQUARES.lost(PENALTIES, 0.01)
    narrow = MadeTargets(1000, 12, width=LEFT / 2).lost(PENALTIES, 0.001)

    assert (more > less).all() and narrow.min() > less.min()
    assert PENALTIES[more.argmin()] > PENALTIES[less.argmin()]
