"""The tail of weighted Laplace noise: never below the exact one, and hardly above."""

import math

import numpy as np
import pytest

from tacit.server.laplace_sum import LaplaceSum

SUMS = [(1.0, 1.0, 1.0), (1.0, 0.5, 0.25), (1.0, 0.01, 0.01), (0.25, -0.75, 0.25), (1.0,) * 20]


def exact(weights, t):
    """By partial fractions, of weights made different by less than shows; of equal ones by the
    gamma law of their two sums."""
    if len(set(map(abs, weights))) == 1 and len(weights) > 3:
        rng = np.random.default_rng(0)
        sums = rng.gamma(len(weights), size=(2, 2_000_000))
        return np.mean(np.abs(sums[0] - sums[1]) * abs(weights[0]) > t)
    apart = np.abs(weights) * (1 + 1e-3 * np.arange(len(weights)))
    squares = apart**2
    parts = [
        w
        / np.prod([w - other for j, other in enumerate(squares) if j != i])
        * w ** (len(apart) - 2)
        for i, w in enumerate(squares)
    ]
    return float(np.sum(np.array(parts) * np.exp(-t / apart)))


@pytest.mark.parametrize("weights", SUMS, ids=str)
@pytest.mark.parametrize("times", [0.3, 1.0, 2.0, 4.0])
def test_a_tail_is_the_exact_one(weights, times):
    """By its closed form; within what its weights were moved for that, and sampling."""
    t = times * math.sqrt(2) * math.hypot(*weights)

    assert exact(weights, t) == pytest.approx(LaplaceSum.of(weights).tail(t), rel=0.02, abs=4e-4)


def test_the_order_of_weights_is_no_part_of_it():
    """What is summed in another order would be off by the last bit, on some machines only."""
    weights = 0.3, -1.0, 0.7

    assert LaplaceSum.of(weights) == LaplaceSum.of(weights[::-1]) == LaplaceSum((0.3, 0.7, 1.0))


def test_far_out_it_is_a_bound_that_falls():
    """Beyond what inversion sees, by Chernoff's; at zero, and below, all is beyond."""
    one = LaplaceSum.of((1.0, 0.0, 2.0, -1.0))
    far = [one.tail(t) for t in (30.0, 60.0, 120.0)]

    assert far[0] > far[1] > far[2] > 0 and far[2] < 1e-22
    assert [1.0, 1.0] == [one.tail(0.0), one.tail(-3.0)]


@pytest.mark.parametrize("rate", [1.5, 0.2])
def test_on_whole_numbers_it_is_never_below_the_enumerated_one(rate):
    """Of three numbers; and of no more than a step or two less."""
    weights, most = (1.0, -0.5, 0.3), math.ceil(14 / rate)
    k = np.arange(-most, most + 1)
    mass = np.exp(-rate * np.abs(k)) / np.exp(-rate * np.abs(k)).sum()
    sums = abs(weights[0] * k[:, None, None] + weights[1] * k[:, None] + weights[2] * k).ravel()
    masses = (mass[:, None, None] * mass[:, None] * mass).ravel()
    one = LaplaceSum.of(weights)
    for t in (0.5 / rate, 2.0 / rate, 6.0 / rate):
        assert masses[sums > t].sum() <= one.grid_tail(rate, t)
        assert one.grid_tail(rate, t) <= masses[sums > 0.8 * t - 2].sum() + 1e-9
