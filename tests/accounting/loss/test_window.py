"""A window: what was tilted reads as if it had not been, and each of its doubts is a bound."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.accounting.loss.window import WRAPPED, Window

INTERVAL, BOTTOM = 0.25, -3
MASSES = np.array([0.02, 0.0, 0.1, 0.3, 0.25, 0.2, 0.1, 0.02, 1e-9, 1e-12])
LOSSES = INTERVAL * (BOTTOM + np.arange(len(MASSES)))


def seen(theta: float, error: float = 0.0, above: float = 0.0) -> Window:
    """These masses, tilted and normalised."""
    tilted = MASSES * np.exp(theta * LOSSES)
    moment = float(tilted.sum())
    return Window(theta, math.log(moment), INTERVAL, BOTTOM, tilted / moment, error, above)


def delta(epsilon: float, masses: np.ndarray = MASSES) -> float:
    """By its definition."""
    return float(np.sum(masses * np.maximum(-np.expm1(epsilon - LOSSES), 0.0)))


@pytest.mark.parametrize("theta", [0.0, 3.0, 40.0])
def test_a_tilt_is_undone(theta: float) -> None:
    """Masses, losses and deltas are those of the sum itself, far out too."""
    window = seen(theta)
    assert np.array_equal(window.losses, LOSSES)
    assert window.masses == pytest.approx(MASSES, rel=1e-11, abs=0)
    for epsilon in (-1.0, 0.0, 0.3, 0.5, 1.2, 1.4, 1.5):
        assert window.delta(epsilon) == pytest.approx(delta(epsilon), rel=1e-11, abs=0)


@pytest.mark.parametrize("target", [0.15, 0.04, 1e-3, 1e-10, 1e-13])
def test_epsilon_is_where_delta_is_met(target: float) -> None:
    """And no later."""
    found = seen(6.0).epsilon(target)
    assert found > 0
    assert delta(found) == pytest.approx(target, rel=1e-9, abs=0)


def test_epsilon_is_not_below_zero_nor_below_the_window() -> None:
    """Where every delta is met, nothing is read of losses that the window does not have."""
    assert seen(2.0).epsilon(0.9) == 0.0
    high = Window(0.0, 0.0, INTERVAL, 8, np.array([0.5, 0.5]), 0.0, 0.0)
    assert high.epsilon(0.9) == 8 * INTERVAL


def test_a_negative_mass_is_rounding_and_counts_as_none() -> None:
    """A transform may leave less than nothing, and that may not be taken off delta."""
    tilted = np.array([0.6, 0.4, -1e-3])
    window = Window(0.0, 0.0, INTERVAL, 1, tilted, 1e-3, 0.0)
    assert np.array_equal(window.masses, [0.6, 0.4, 0.0])
    own = 0.6 * -np.expm1(-INTERVAL) + 0.4 * -np.expm1(-2 * INTERVAL)
    assert own <= window.delta(0.0) <= own * (1 + 1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 0.6])
@pytest.mark.parametrize("theta", [0.0, 5.0])
def test_rounding_is_the_most_that_an_error_of_its_length_takes(theta, epsilon) -> None:
    """Of all errors of one length in L2, that along what each mass counts for takes just this."""
    tilted, length = np.full(10, 0.1), 1e-3
    window = Window(theta, 0.4, INTERVAL, BOTTOM, tilted, length, 0.0)
    counts = window.untilt * np.maximum(-np.expm1(epsilon - LOSSES), 0.0)
    off = length * counts / np.linalg.norm(counts)
    less = replace(window, tilted=tilted - off).delta(epsilon)
    assert window.delta(epsilon) - less == pytest.approx(window.rounding(epsilon), rel=1e-9, abs=0)
    assert window.rounding(epsilon) > 0


def test_what_wraps_is_untilted_at_epsilon() -> None:
    """Twice the fraction that lies outside, times how much the tilt was at epsilon: as Chernoff."""
    window = seen(4.0)
    chernoff = math.exp(window.log_moment - 4.0 * 1.5)
    assert window.wrapped(1.5) == pytest.approx(2 * WRAPPED * chernoff, rel=1e-14, abs=0)
    assert math.isfinite(seen(4.0).wrapped(-1e6))


@pytest.mark.parametrize(("error", "above"), [(0.0, 0.0), (1e-7, 0.0), (0.0, 1e-3), (1e-6, 1e-4)])
def test_a_lower_epsilon_is_met_by_no_smaller_one(error: float, above: float) -> None:
    """At it the losses' own delta is above the target by all that is in doubt, and it is near."""
    window, target = seen(2.0, error, above), 0.02
    value = window.epsilon(target)
    low = window.lower(target, value)
    doubt = above + window.rounding(low) + window.wrapped(low)
    assert window.delta(low) >= target + doubt
    assert 0.8 * value < low < value


def test_a_doubt_above_all_deltas_leaves_no_lower_epsilon() -> None:
    """Then nothing is said."""
    window = seen(2.0, error=0.0, above=1.0)
    assert window.lower(0.02, window.epsilon(0.02)) == 0.0
