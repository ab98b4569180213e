"""Mean deviations of lists drawn together are those of all lists, one after another."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from tacit.mechanisms.rows import rank_bridges
from tacit.mechanisms.rows.rank_bridges import FILLED, RankBridges, off_together


def enumerated(shares, rate, people, beyond=0):
    """Of every list of ranks, by its weight: R for a side's room; points of a gap are in order."""
    marks = np.round((people + beyond) * np.array(shares))
    room, total, off = (1 - FILLED) / 2 / FILLED * people, 0.0, np.zeros(len(shares))
    for ranks in combinations_with_replacement(range(people + 1), len(shares)):
        moves = np.abs(np.diff([0.0, *(np.array(ranks) - marks), -beyond])).sum()
        alike = math.prod(math.factorial(ranks.count(rank)) for rank in set(ranks))
        ends = sum(rank in (0, people) for rank in ranks)
        weight = room**ends / alike * math.exp(-rate * moves)
        apart = np.abs(np.array(ranks) - people * np.array(shares))
        total, off = total + weight, off + weight * apart
    return off / total


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8, 2.0])
@pytest.mark.parametrize("shares", [(0.5,), (0.25, 0.5, 0.75), (0.2, 0.9)])
def test_every_list_counts_by_its_weight(shares, rate):
    """From where all are drawn into the room to where nobody is off; within a twentieth."""
    found = off_together(shares, 2 * rate, 40)

    np.testing.assert_allclose(found, enumerated(shares, rate, 40), rtol=0.05, atol=0.01)
    assert np.abs(off_together(shares, rate, 40) - found).max() > 0.05 * found.max()


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("beyond", [-40, -12, 5, 20])
def test_people_who_are_miscounted_move_every_rank(rate, beyond):
    """Too few and too many, of any part of everybody: within a twentieth of every list's weight."""
    shares = (0.25, 0.5, 0.75)
    found = RankBridges(shares, rate, 40, beyond).off()

    np.testing.assert_allclose(found, enumerated(shares, rate, 40, beyond), rtol=0.05, atol=0.01)
    assert np.abs(RankBridges(shares, rate, 40).off() - found).max() > 0.05 * found.max()


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


def test_a_share_between_two_ranks_is_never_hit():
    """Of 21 people the half is between two of them: whoever is there is off by half of one."""
    assert off_together((0.5,), 100.0, 21) == pytest.approx([0.5])
    assert off_together((0.5,), 100.0, 20) == pytest.approx([0.0])


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("beyond", [-30, 0, 30])
def test_pairs_that_are_passed_over_are_unlikely(rate, beyond, monkeypatch):
    """From where most points are in the rooms to where none is: as of all pairs, to a hundredth."""
    shares = tuple(place / 10 for place in range(1, 10))
    found = RankBridges(shares, rate, 200, beyond).off()
    monkeypatch.setattr(rank_bridges, "_UNLIKELY", 1e3)

    assert found == pytest.approx(RankBridges(shares, rate, 200, beyond).off(), rel=0.01)


def test_ranks_are_off_as_far_at_any_size():
    """Of many people, who are taken together where a rate is small; and at both ends alike."""
    shares = tuple(place / 8 for place in range(1, 8))
    fine, coarse = RankBridges(shares, 0.02, 40_000), RankBridges(shares, 0.002, 400_000)
    assert coarse.off() == pytest.approx(10 * fine.off(), rel=0.02)
    assert fine.off() == pytest.approx(fine.off()[::-1], rel=1e-3)
    assert off_together(shares, 0.5, 10**4) == pytest.approx(off_together(shares, 0.5, 10**6))


@pytest.mark.parametrize("shares", [(0.0, 1.0), (0.5, 0.5), tuple(np.linspace(0, 1, 100))])
@pytest.mark.parametrize("cost", [1e-6, 0.1, 50.0, 1e4])
@pytest.mark.parametrize(
    "people, miscounted", [(1, 0.0), (7, 0.0), (10**6, 0.0), (1, 20.0), (10**6, 20.0)]
)
def test_it_is_finite_whoever_is_there(shares, cost, people, miscounted):
    """And nobody is off by more than everybody."""
    found = off_together(shares, cost, people, miscounted)

    assert np.all((found >= 0) & (found <= 1.01 * people))
