"""Ranks that are chosen one after another are off as their mechanism's are."""

import math

import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.rows.approximate_quantiles import STEPS, ApproximateQuantiles
from tacit.mechanisms.rows.halving import halvings_of
from tacit.mechanisms.rows.public_grid import PublicGrid
from tacit.mechanisms.rows.rank_halvings import RankHalvings

GRID = PublicGrid(-100.0, 100.0, 10**6)


def evenly(people):
    """Numbers in the middle eighth, at equal distances."""
    return ((np.arange(people) + 0.5) / people * 25 - 12.5).astype(np.float32)


def measured(mechanism, people, runs):
    """Each quantile's mean rank error."""
    rows, wanted = evenly(people), people * np.array(mechanism.shares)
    found = [np.asarray(mechanism.sample(quick_keys.key(seed), rows)) for seed in range(runs)]
    return np.abs(np.searchsorted(rows, np.array(found)) - wanted).mean(axis=0)


def predicted(mechanism, people):
    """As the mechanism asks for it, of each quantile."""
    rates = [STEPS * mechanism.rates[each] for each in mechanism.halvings]
    return RankHalvings(mechanism.shares, mechanism.halvings, rates, people).off()


@pytest.mark.parametrize(
    "made", [ApproximateQuantiles.add_remove, ApproximateQuantiles.replace_one]
)
def test_the_mean_of_many_is_within_a_twentieth(made):
    """Both ends of a part are off together: as if each were by itself it would be 8% less."""
    mechanism = made(tuple(place / 32 for place in range(1, 32)), 1.0, GRID, 1_000)

    assert measured(mechanism, 1_000, 400).mean() == pytest.approx(
        predicted(mechanism, 1_000).mean(), rel=0.05
    )


def test_each_level_is_off_by_its_own():
    """The middle one least, and those between two others more."""
    mechanism = ApproximateQuantiles.add_remove(
        tuple(place / 8 for place in range(1, 8)), 3.0, GRID, 200
    )
    found = measured(mechanism, 200, 400)

    np.testing.assert_allclose(found, predicted(mechanism, 200), rtol=0.15)
    assert found[3] < 0.9 * found[1] and found[1] < 0.9 * found[0]


@pytest.mark.parametrize("rate", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("share", [0.0, 0.31, 0.5, 1.0])
def test_one_choice_is_off_as_its_weights_say(rate, share):
    """Of 40 people, gap by gap, with a side's 7/16 of the bounds at both ends."""
    ranks, lengths = np.arange(41), np.ones(41)
    lengths[[0, -1]] = 0.5 + 3.5 * 40
    weights = lengths * np.exp(-rate * np.abs(ranks - 40 * share))
    exactly = (weights * np.abs(ranks - 40 * share)).sum() / weights.sum()

    found = RankHalvings((share,), halvings_of((share,)), [rate], 40).off()
    assert found == pytest.approx([exactly], rel=0.01, abs=0.01)


@pytest.mark.parametrize("shares", [(0.0, 1.0), (0.1, 0.1001, 0.5), tuple(np.linspace(0, 1, 100))])
@pytest.mark.parametrize("rate", [1e-6, 0.1, 50.0, 1e4])
@pytest.mark.parametrize("people", [1, 7, 10**6])
def test_it_is_finite_whoever_is_there(shares, rate, people):
    """And nobody is off by more than everybody."""
    halvings = halvings_of(shares)
    found = RankHalvings(shares, halvings, [rate] * len(halvings), people).off()

    assert np.all((found >= 0) & (found <= people)) and not math.isnan(found.sum())


def test_nobody_is_off_where_a_rank_costs_enough():
    """But by half a person, where a target is between two."""
    shares = tuple(place / 8 for place in range(1, 8))
    found = RankHalvings(shares, halvings_of(shares), [300.0] * 7, 804).off()

    np.testing.assert_allclose(found, [0.5, 0, 0.5, 0, 0.5, 0, 0.5], atol=1e-9)
