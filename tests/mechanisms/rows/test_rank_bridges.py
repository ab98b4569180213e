"""Mean deviations of lists drawn together are those of all lists, one after another."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from tacit.mechanisms.rows.rank_bridges import FILLED, RankBridges, off_together


def enumerated(shares, rate, people):
    """Of every list of ranks, by its weight: R for a side's room; points of a gap are in order."""
    marks = np.round(people * np.array(shares))
    room, total, off = (1 - FILLED) / 2 / FILLED * people, 0.0, np.zeros(len(shares))
    for ranks in combinations_with_replacement(range(people + 1), len(shares)):
        apart = np.array(ranks) - marks
        moves = np.abs(np.diff([0.0, *apart, 0.0])).sum()
        alike = math.prod(math.factorial(ranks.count(rank)) for rank in set(ranks))
        ends = sum(rank in (0, people) for rank in ranks)
        weight = room**ends / alike * math.exp(-rate * moves)
        total, off = total + weight, off + weight * np.abs(apart)
    return off / total


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8, 2.0])
@pytest.mark.parametrize("shares", [(0.5,), (0.25, 0.5, 0.75), (0.2, 0.9)])
def test_every_list_counts_by_its_weight(shares, rate):
    """From where all are drawn into the room to where nobody is off; within a twentieth."""
    found = off_together(shares, 2 * rate, 40)

    np.testing.assert_allclose(found, enumerated(shares, rate, 40), rtol=0.05, atol=0.01)
    assert np.abs(off_together(shares, rate, 40) - found).max() > 0.05 * found.max()


def test_ranks_are_off_as_far_at_any_size():
    """Of many people, who are taken together where a rate is small; and at both ends alike."""
    shares = tuple(place / 8 for place in range(1, 8))
    fine, coarse = RankBridges(shares, 0.02, 40_000), RankBridges(shares, 0.002, 400_000)
    assert coarse.off() == pytest.approx(10 * fine.off(), rel=0.02)
    assert fine.off() == pytest.approx(fine.off()[::-1], rel=1e-3)
    assert off_together(shares, 0.5, 10**4) == pytest.approx(off_together(shares, 0.5, 10**6))


@pytest.mark.parametrize("shares", [(0.0, 1.0), (0.5, 0.5), tuple(np.linspace(0, 1, 100))])
@pytest.mark.parametrize("cost", [1e-6, 0.1, 50.0, 1e4])
@pytest.mark.parametrize("people", [1, 7, 10**6])
def test_it_is_finite_whoever_is_there(shares, cost, people):
    """And nobody is off by more than everybody."""
    found = off_together(shares, cost, people)

    assert np.all((found >= 0) & (found <= 1.01 * people))
