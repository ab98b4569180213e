"""Lists come in the law of their definition: ranks by brute force, sums over all lists."""

import itertools
import math
import random

import numpy as np
import pytest

from mechanisms.rows.every_list import every_list
from tacit.mechanisms.rows import joint_law
from tacit.mechanisms.rows.joint_law import JointLaw


def ranks_of(people, point):
    """All that one point may have."""
    return range(sum(x < point for x in people), sum(x <= point for x in people) + 1)


def cost(people, points, targets):
    """The least over all ranks, by definition: they need not even rise."""
    marks = 0, *targets
    steps = [other - one for one, other in itertools.pairwise(marks)]
    return min(
        sum(abs(b - a - s) for a, b, s in zip((0, *r), (*r, len(people)), steps, strict=True))
        for r in itertools.product(*(ranks_of(people, point) for point in points))
    )


def weights_of(people, top, targets, rate):
    """rate^wrong of every list."""
    lists = itertools.combinations_with_replacement(range(top + 1), len(targets) - 1)
    least = abs(len(people) - targets[-1])
    return {each: rate ** ((cost(people, each, targets) - least) / 2) for each in lists}


def law(people, top, targets, rate=0.6, reach=99):
    return JointLaw(np.array(sorted(people), np.int64), top, targets, rate, reach)


def cases(seed, many, points):
    """Few people on few points, with ties, gaps without a point, and declared wrongly."""
    drawn = random.Random(seed)
    for _ in range(many):
        top, people = drawn.randint(1, 6), drawn.randint(0, 6)
        targets = sorted(drawn.randint(0, 6) for _ in range(points + 1))
        yield [drawn.randint(0, top) for _ in range(people)], top, tuple(targets)


@pytest.mark.parametrize("points, many", [(1, 60), (2, 60), (3, 20)])
def test_the_sum_of_all_weights_is_that_of_all_lists(points, many):
    """Whatever is declared, and of nobody too."""
    for people, top, targets in cases(points, many, points):
        expected = sum(weights_of(people, top, targets, 0.6).values())
        assert law(people, top, targets).total == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "people, top, targets",
    [
        ([1, 1, 2], 3, (1, 2, 3)),
        ([0, 0, 0, 3], 3, (2, 2, 4)),
        ([2], 3, (1, 3, 4)),
        ([1, 3, 3], 3, (0, 1, 1)),
        ([], 2, (1, 2, 3)),
        ([0, 1, 2, 3], 3, (2, 3, 4)),
    ],
)
def test_every_list_has_the_chance_of_its_weight(people, top, targets, monkeypatch):
    """All the ways that a draw may go, followed with the draw's own floats."""
    asked, weights = law(people, top, targets), weights_of(people, top, targets, 0.6)
    found = every_list(monkeypatch, joint_law, lambda: asked.sample(iter(())))

    assert set(found) == set(weights)
    for each, weight in weights.items():
        assert float(found[each]) == pytest.approx(weight / asked.total, rel=1e-12)


def test_far_gaps_have_their_own_chance():
    """Of e^-60 and less, where sums by Fourier transforms have only noise."""
    asked = law([5] * 60 + [9] * 60, 30, (60, 120), rate=math.exp(-1))
    states = asked._levels[1].states * asked._ending
    ranks = asked._marks[1] + asked._least + np.arange(states.shape[1])

    # Five points are below everybody, and twenty-one above: sixty moves too many.
    assert math.log(states[joint_law.GAP, ranks == 0][0]) == pytest.approx(math.log(5) - 60)
    assert math.log(states[joint_law.GAP, ranks == 120][0]) == pytest.approx(math.log(21) - 60)


def test_one_person_more_moves_a_cost_by_one_and_one_changed_by_two():
    """All lists, all places of a newcomer, and both are attained."""
    more, changed = set(), set()
    for people, top, targets in cases(7, 25, 2):
        lists = list(itertools.combinations_with_replacement(range(top + 1), 2))
        base = [cost(people, each, targets) for each in lists]
        new = [
            [cost([*people, place], each, targets) for each in lists] for place in range(top + 1)
        ]
        more |= {a - b for one in new for a, b in zip(one, base, strict=True)}
        changed |= {a - b for one in new for other in new for a, b in zip(one, other, strict=True)}

    assert more == {-1, 1} and changed == {-2, 0, 2}


def test_only_lists_that_go_far_the_wrong_way_are_left_out():
    """A reach of one leaves all others as they are."""
    for people, top, targets in cases(3, 40, 2):
        weights, far = weights_of(people, top, targets, 0.5), 0.5**1.5
        total = law(people, top, targets, 0.5, reach=1).total
        kept = sum(weight for weight in weights.values() if weight > far)
        assert kept * (1 - 1e-12) <= total <= sum(weights.values()) * (1 + 1e-12)
