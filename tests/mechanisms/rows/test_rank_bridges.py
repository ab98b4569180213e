"""Mean deviations of lists drawn together are those of all lists, one after another."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from tacit.mechanisms.rows import rank_bridges
from tacit.mechanisms.rows.predicted_ranks import off_together
from tacit.mechanisms.rows.rank_bridges import FILLED, RankBridges


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


@pytest.mark.parametrize(
    "shares, people", [((0.5, 0.5), 40), ((0.8, 0.82, 0.85), 40), ((0.48, 0.5, 0.52), 25)]
)
@pytest.mark.parametrize("rate", [0.1, 0.4, 1.0])
def test_close_shares_count_by_the_weight_of_every_list(shares, people, rate):
    """Two in a gap are in order half as often; of three, as far as is said: within a hundredth."""
    found = RankBridges(shares, rate, people).off()

    assert found == pytest.approx(enumerated(shares, rate, people), rel=0.01)


@pytest.mark.parametrize(
    "shares, rate, part",
    [
        ((0.5,) * 3, 1.0, 0.92),
        ((0.5,) * 5, 1.0, 0.73),
        ((0.5,) * 5, 3.0, 0.34),
        ((0.45, 0.47, 0.5, 0.53, 0.55), 1.0, 0.99),
    ],
)
def test_ranks_of_several_with_one_target_come_out_too_near(shares, rate, part):
    """So far as is said, beside the weights of all lists."""
    found, exact = RankBridges(shares, rate, 20).off(), enumerated(shares, rate, 20)

    assert found.mean() / exact.mean() == pytest.approx(part, abs=0.01)


@pytest.mark.parametrize("rate", [0.15, 0.225, 0.6])
@pytest.mark.parametrize("first, last, many", [(0.8, 0.85, 10), (0.6, 0.69, 30), (0.05, 0.3, 12)])
def test_mirrored_shares_are_off_as_far(first, last, many, rate):
    """From the other end, however uneven they are."""
    shares = np.round(np.linspace(first, last, many), 4)
    found = RankBridges(tuple(shares), rate, 400).off()

    assert found == pytest.approx(RankBridges(tuple(1 - shares[::-1]), rate, 400).off()[::-1])


@pytest.mark.parametrize(
    "shares, rate, people, off",
    [
        (np.linspace(0.8, 0.85, 10), 0.225, 400, (42.210, 64.341)),
        (np.linspace(0.6, 0.69, 30), 0.15, 400, (33.04, 130.225)),
        (np.linspace(0.4, 0.6, 90), 0.4, 150, (60.0, 61.654)),
        (np.linspace(0.075, 0.09, 30), 0.4, 2_000, (150.0, 160.08)),
    ],
)
def test_many_close_shares_are_drawn_into_one_room_together(shares, rate, people, off):
    """The first one and the mean, as every list's weight says (summed rank by rank)."""
    found = RankBridges(tuple(shares), rate, people).off()

    assert (found[0], found.mean()) == pytest.approx(off, rel=1e-3)


@pytest.mark.parametrize("rate", [0.01, 1e-4])
@pytest.mark.parametrize(
    "shares, within",
    [((0.3, 0.7), 1e-3), (np.linspace(0.1, 0.9, 9), 1e-3), (np.linspace(0.8, 0.85, 10), 0.01)],
)
def test_units_of_ranks_are_as_good_as_ranks(shares, within, rate, monkeypatch):
    """Within a thousandth of single ranks' where they are as large as they get, too; a hundredth
    where shares are close."""
    asked = tuple(shares), rate, 400
    found = RankBridges(*asked).off()
    monkeypatch.setattr(rank_bridges, "_RATE", 0.0)

    assert found == pytest.approx(RankBridges(*asked).off(), rel=within)


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
