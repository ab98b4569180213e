"""Predictions are near what is measured, of people who are as they are made for."""

import math

import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.rows.approximate_quantiles import ApproximateQuantiles
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.predicted_ranks import off_together
from tacit.mechanisms.rows.public_grid import PublicGrid
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.rows.quantiles import ExponentialQuantiles
from tacit.mechanisms.rows.rank_bridges import RankBridges

GRID, PEOPLE, SEVEN = PublicGrid(-100.0, 100.0, 10**6), 1_000, tuple(k / 8 for k in range(1, 8))
# The middle eighth, at equal distances.
EVENLY = ((np.arange(PEOPLE) + 0.5) / PEOPLE * 25 - 12.5).astype(np.float32)


def apart(shares, epsilon):
    """Each on its own."""
    own = epsilon / len(shares)
    bounds = (own, -100.0, 100.0, 10**6)
    return ExponentialQuantiles(tuple(ExponentialQuantile.add_remove(q, *bounds) for q in shares))


def measured(mechanism, shares, rows, seeds):
    """The mean rank error over seeds, and its standard error."""
    off = []
    for seed in range(seeds):
        found = np.asarray(mechanism.sample(quick_keys.key(seed), rows))
        below = (rows[:, None] < found).sum(axis=0)
        off.append(np.abs(below - len(rows) * np.array(shares)).mean())
    return np.mean(off), np.std(off) / np.sqrt(seeds)


@pytest.mark.parametrize(
    "mechanism",
    [
        apart(SEVEN, 1.0),
        ApproximateQuantiles.add_remove(SEVEN, 1.0, GRID, PEOPLE),
        ApproximateQuantiles.replace_one(SEVEN, 1.0, GRID, PEOPLE),
        JointQuantiles.declared(SEVEN, 1.0, GRID, PEOPLE),
        JointQuantiles.counted(SEVEN, 1.0, GRID),
        JointQuantiles.replace_one(SEVEN, 1.0, GRID),
    ],
)
def test_the_mean_rank_error_is_near_its_prediction(mechanism):
    """Within a tenth of it, and four standard errors."""
    (off, error), predicted = measured(mechanism, SEVEN, EVENLY, 30), mechanism.predicted(PEOPLE)

    assert abs(off - predicted) <= predicted / 10 + 4 * error
    assert abs(off - 2 * predicted) > 4 * error


@pytest.mark.parametrize("m", [7, 15])
def test_people_who_are_asked_for_are_within_a_twentieth_of_their_prediction(m):
    """Where few are miscounted and nobody is far off, so a rank's half counts; and two standard
    errors, where three are an eighth."""
    shares = tuple(k / (m + 1) for k in range(1, m + 1))
    mechanism = JointQuantiles.counted(shares, 3.0, GRID)
    (off, error), predicted = measured(mechanism, shares, EVENLY, 400), mechanism.predicted(PEOPLE)

    assert abs(off - predicted) <= predicted / 20 + 2 * error
    assert 3 * error < predicted / 8


def test_predictions_are_worse_where_people_are_few_for_them():
    """Beside people there is room: quantiles that it draws away are people's number off."""
    many = tuple(k / 32 for k in range(1, 32))
    small, large = (JointQuantiles.counted(many, 0.1, GRID).predicted(n) for n in (500, 100_000))

    assert small > 1.7 * large and small < 250
    rows = ((np.arange(500) + 0.5) / 500 * 25 - 12.5).astype(np.float32)
    off, error = measured(JointQuantiles.counted(many, 0.1, GRID), many, rows, 15)
    assert abs(off - small) <= small / 10 + 4 * error
    assert abs(off - 2 * small) > 4 * error


@pytest.mark.parametrize("shares, cost", [((0.25, 0.5, 0.75), 0.5), ((0.3, 0.45), 2.0)])
def test_few_numbers_miscounted_stand_for_all(shares, cost):
    """The average over six is that over Laplace noise, floored, within a fiftieth; without noise,
    as with half of it, it is another."""
    scale, ends = 6.0, np.arange(-60, 60)
    below = [
        0.5 * math.exp(end / scale) if end < 0 else 1 - 0.5 * math.exp(-end / scale)
        for end in (*ends, 60)
    ]
    off = [RankBridges(shares, cost / 2, 200, int(end)).off() for end in ends]
    exact = np.average(off, axis=0, weights=np.diff(below))

    assert off_together(shares, cost, 200, scale) == pytest.approx(exact, rel=0.02)
    for other in (0.0, scale / 2):
        assert np.all(off_together(shares, cost, 200, other) < 0.95 * exact)
