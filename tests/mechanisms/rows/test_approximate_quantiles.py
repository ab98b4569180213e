"""Quantiles by halving: the textbook's law, what is spent, and ties that are halved as others."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import quick_keys
from mechanisms.rows.every_list import every_list
from tacit.mechanisms.rows import approximate_quantiles
from tacit.mechanisms.rows.approximate_quantiles import ApproximateQuantiles
from tacit.mechanisms.rows.public_grid import PublicGrid

UNIT = PublicGrid(0.0, 1.0, 6)
THIRDS = (0.25, 0.5, 0.75)
KINDS = [ApproximateQuantiles.add_remove, ApproximateQuantiles.replace_one]


def textbook(shares, people, lower, upper, low, high, rates, level=0):
    """Chances of all lists of these shares, by definition; `rates` is per rank and level."""
    if not shares:
        return {(): 1.0}
    middle = (len(shares) - 1) // 2
    share = Fraction(shares[middle])
    target = (share - low) / (high - low) * len(people)
    off = {
        point: max(
            sum(x < point for x in people) - target, target - sum(x <= point for x in people), 0
        )
        for point in range(lower, upper + 1)
    }
    weights = {point: math.exp(-rates[level] * float(each)) for point, each in off.items()}
    found, total = defaultdict(float), sum(weights.values())
    for point, weight in weights.items():
        left = textbook(
            shares[:middle],
            [x for x in people if x < point],
            lower,
            point,
            low,
            share,
            rates,
            level + 1,
        )
        right = textbook(
            shares[middle + 1 :],
            [x for x in people if x >= point],
            point,
            upper,
            share,
            high,
            rates,
            level + 1,
        )
        for (one, p), (other, r) in itertools.product(left.items(), right.items()):
            found[(*one, point, *other)] += weight / total * p * r
    return found


def chances(mechanism, people, size, monkeypatch):
    """Of every list of the points 0 to `size` - 1, from the sampler's own floats."""
    ordered = np.sort(np.array(people, np.int64))
    return every_list(
        monkeypatch,
        approximate_quantiles,
        lambda: mechanism.chosen_parts(iter(()), ordered, size),
    )


def spent(mechanism, pairs, monkeypatch):
    """The largest log-likelihood ratio of any list."""
    worst = 0.0
    for one, other in pairs:
        first, second = (chances(mechanism, each, 4, monkeypatch) for each in (one, other))
        assert set(first) == set(second)
        worst = max(worst, *(abs(math.log(first[each] / second[each])) for each in first))
    return worst


@pytest.mark.parametrize("people", [[], [2], [1, 1, 1, 3], [0, 1, 2, 3, 3]])
@pytest.mark.parametrize("kind, per_rank", [(KINDS[0], 1 / 4), (KINDS[1], 1 / 8)])
def test_lists_are_those_of_the_textbook(kind, per_rank, people, monkeypatch):
    """Of three shares at an epsilon of 1 a level; in replace-one half of the rate, and no less."""
    mechanism = kind(THIRDS, 2.0, UNIT, 5)
    found = chances(mechanism, people, 4, monkeypatch)
    rates = [4 * per_rank, 4 * per_rank]
    expected = textbook(THIRDS, people, 0, 3, Fraction(0), Fraction(1), rates)

    assert set(found) == set(expected)
    for each, chance in expected.items():
        assert float(found[each]) == pytest.approx(chance, rel=2e-2)


JOINED = [
    (people, [*people, place])
    for people in ([], [3], [2, 2, 2], [0, 0, 1, 3])
    for place in (0, 2, 3)
]
MOVED = [([0, 2, 2, 2], [3, 2, 2, 2]), ([0, 0, 3], [3, 0, 3]), ([0, 1, 2, 3], [0, 1, 2, 0])]


@pytest.mark.parametrize("shares", [(0.5,), (0.2, 0.6), THIRDS])
def test_a_person_more_spends_at_most_the_budget(shares, monkeypatch):
    """Exactly, over all levels."""
    mechanism = ApproximateQuantiles.add_remove(shares, 1.0, UNIT, 5)

    assert 0.3 < spent(mechanism, JOINED, monkeypatch) <= 1.0


@pytest.mark.parametrize("shares", [(0.5,), (0.2, 0.6), THIRDS])
def test_a_person_changed_spends_at_most_the_budget(shares, monkeypatch):
    """Exactly, within a half or from one to another; with the rate of one who joins it is more."""
    mechanism = ApproximateQuantiles.replace_one(shares, 1.0, UNIT, 5)
    joined = ApproximateQuantiles.add_remove(shares, 1.0, UNIT, 5)

    assert 0.3 < spent(mechanism, MOVED, monkeypatch) <= 1.0
    assert len(shares) == 2 or spent(joined, MOVED, monkeypatch) > 1.0


# A level of two parts: of the one its middle is asked for, and of the other nearly its end.
UNEVEN, MANY = (0.3, 0.6, 0.98), 10**6
# Somebody is below two others who are at one point, and leaves them to be above twenty who are at
# another; so many points are where their coming is liked, and their going, that these have nearly
# all of the chance. The point between both parts is nobody's.
LEAVES = [MANY, *[MANY + 2] * 2, *[MANY + 4] * 20]
JOINS = [*[MANY + 2] * 2, *[MANY + 4] * 20, 2 * MANY + 5]


def of_last_level(mechanism, people, pieces, monkeypatch):
    """The log of the chance of one point of each part, by the pieces that are gone to."""
    logs, ways = [], iter(pieces)

    def chosen(_, weights):
        way = next(ways)
        logs.append(math.log(weights[way] / weights.sum()))
        return way

    def below(_, size):
        logs[-1] -= math.log(size)
        return 0

    monkeypatch.setattr(approximate_quantiles, "chosen", chosen)
    monkeypatch.setattr(approximate_quantiles, "below", below)
    mechanism.chosen_parts(iter(()), np.array(people), 2 * MANY + 6)
    return sum(logs[1:])


def test_who_leaves_a_part_and_joins_another_spends_what_both_are_moved_by(monkeypatch):
    """All of a level's part of epsilon, and no more; at rates of who stays in a part it is more,
    and at those of the part that is moved most it is less."""
    mechanism = ApproximateQuantiles.replace_one(UNEVEN, 8.0, UNIT, 5)

    def loss(rates):
        vars(mechanism)["rates"] = rates
        one = of_last_level(mechanism, LEAVES, (2, 1, 0), monkeypatch)
        return one - of_last_level(mechanism, JOINS, (1, 0, 0), monkeypatch)

    assert 3.9 < loss(mechanism.rates) <= 4.0
    for steps, least, most in ((2 * 256, 5.0, 6.0), (4 * 244, 2.0, 3.5)):
        assert least < loss(dict.fromkeys(mechanism.halvings, 4.0 / steps)) < most


@pytest.mark.parametrize("share", [1 / 3, 0.3, 0.98, 0.5, 0.0, 1.0])
def test_a_newcomer_moves_a_score_by_so_many_steps_at_most(share):
    """Of any number of people: targets are whole steps, and rise by one more or one fewer."""
    mechanism = ApproximateQuantiles.add_remove((share,), 1.0, UNIT, 5)
    targets = [math.floor(256 * Fraction(share) * people) for people in range(400)]
    moves = [max(after - one, 256 - after + one) for one, after in itertools.pairwise(targets)]
    (rate,) = mechanism.rates.values()

    assert (1.0 - 2.0**-16) * (1 - 1e-12) / (2 * rate) == pytest.approx(max(moves), rel=1e-12)


def test_a_part_of_a_step_is_paid_for_as_a_whole_one(monkeypatch):
    """Of a third, a newcomer below three others who are all at one point, with so many points
    between that these have nearly all of the chance, costs those above nearly the whole promise;
    and would more than that, with steps rounded down."""
    third, offered = math.nextafter(1 / 3, 1), []
    mechanism = ApproximateQuantiles.add_remove((third,), 5.0, UNIT, 5)
    monkeypatch.setattr(approximate_quantiles, "below", lambda *_: 0)
    monkeypatch.setattr(
        approximate_quantiles, "chosen", lambda _, weights: offered.append(weights) or 0
    )

    def above(people):
        """The log of the chance of the points above everybody."""
        mechanism.chosen_parts(iter(()), np.array(people), 10**6 + 9)
        return math.log(offered[-1][len(set(people))] / offered[-1].sum())

    loss = above([10**6] * 3) - above([0] + [10**6] * 3)

    assert 4.98 < loss <= 5.0 < loss * 171 / 170


@pytest.mark.parametrize(
    "shares, levels", [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (30, 5), (31, 5)]
)
def test_levels_are_as_many_as_a_person_takes_part_in(shares, levels):
    """floor(log2 m) + 1, of which the last is reached."""
    several = tuple((place + 1) / (shares + 1) for place in range(shares))
    mechanism = ApproximateQuantiles.add_remove(several, 1.0, UNIT, 9)

    assert mechanism.levels == levels
    assert max(each.level for each in mechanism.halvings) == levels - 1
    assert sorted(each.middle for each in mechanism.halvings) == list(range(shares))


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_are_within_the_rank_error(kind):
    """Of a thousand numbers, a third of them equal; and the bound is not idle."""
    grid, rng = PublicGrid(-100.0, 100.0, 10**6), np.random.default_rng(0)
    shares = tuple(place / 8 for place in range(1, 8))
    mechanism, worst = kind(shares, 1.0, grid, 1_000), []
    for seed in range(20):
        values = np.append(rng.normal(0, 5, 667), np.full(333, 7.5))
        found = mechanism.sample(quick_keys.key(seed), values)
        assert (np.diff(found) >= 0).all()
        below, up_to = (
            np.array([side(values, each).sum() for each in found])
            for side in (np.less, np.less_equal)
        )
        wanted = 1_000 * np.array(shares)
        worst.append(np.maximum(np.maximum(below - wanted, wanted - up_to), 0).max())

    assert 1 < np.median(worst) < max(worst) <= mechanism.rank_error(3.0) < 2_000


def test_what_everybody_has_is_every_quantile():
    """Nobody's half is empty because one number is common."""
    mechanism = ApproximateQuantiles.add_remove(THIRDS, 1.0, PublicGrid(0.0, 1.0, 10**6), 2_000)
    for seed in range(10):
        found = mechanism.sample(quick_keys.key(seed), np.full(2_000, 0.25))
        assert found.tolist() == [0.25] * 3


def test_a_number_that_many_share_is_released_itself():
    """Marks from 1 to 5 that hundreds give, of which quantiles are marks."""
    marks = np.repeat(np.arange(1.0, 6.0), [250, 500, 1000, 2000, 1250])
    grid = PublicGrid(1.0, 5.0, 400_000)
    mechanism = ApproximateQuantiles.add_remove((0.1, 0.5, 0.9), 2.0, grid, 5_000)
    for seed in range(10):
        assert mechanism.sample(quick_keys.key(seed), marks).tolist() == [2.0, 4.0, 5.0]


def test_nobody_has_quantiles():
    """In order, within the interval."""
    for kind in KINDS:
        found = kind(THIRDS, 1.0, UNIT, 5).sample(quick_keys.key(1), np.zeros(0))
        assert 0 <= found[0] <= found[1] <= found[2] <= 1


@pytest.mark.parametrize(
    "shares, epsilon, people, match",
    [
        ((), 1.0, 5, "shares must be between 0 and 1"),
        ((0.5, math.nan), 1.0, 5, "shares must be between 0 and 1"),
        ((0.5, 0.5), 1.0, 5, "shares must rise"),
        ((0.5,), math.nan, 5, "epsilon must be between"),
        (THIRDS, 0.01, 5, "epsilon must be between"),
        ((0.5,), 1.0, 0, "people must be at least 1"),
    ],
)
def test_refused_parameters(shares, epsilon, people, match):
    """NaN passes nowhere."""
    with pytest.raises(ValueError, match=match):
        ApproximateQuantiles.add_remove(shares, epsilon, UNIT, people)
