"""A tree by the exponential mechanism: its promise, the uniform trees beside it, its shortfall."""

import math
from itertools import chain

import numpy as np
import pytest

import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_tree import right, trees
from tacit.mechanisms.rows import tree_choice
from tacit.mechanisms.rows.tree_choice import TreeChoice, by_label
from tacit.mechanisms.selection.exponential import SPARE

DIM, DEPTH = 2, 1
EVERY, OF_THREE = trees(DIM, DEPTH), trees(1, DEPTH, 3)


def law(mechanism: TreeChoice, rows: np.ndarray, every=EVERY) -> dict:
    """The chances of every tree, by the law of draws and uniform ones."""
    scores = np.array([right(tree, DEPTH, rows) for tree in every])
    weights = mechanism.law.rate ** (scores.max() - scores) + 2.0**-40 / len(every)
    return dict(zip(every, weights / weights.sum(), strict=True))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("worst", "moved"), [(small_people.added, 1), (small_people.changed, 2)])
def test_the_promise_is_kept(worst, moved, epsilon):
    """Over all neighbouring data sets of two people, and nearly met by some of four: a half of it
    is not enough."""
    found = worst(lambda rows: law(TreeChoice(DIM, DEPTH, epsilon, moved), rows), DIM, 2)

    assert epsilon / 2 < found <= epsilon


@pytest.mark.parametrize(("worst", "moved"), [(small_people.added, 1), (small_people.changed, 2)])
def test_the_promise_is_kept_of_three_labels(worst, moved):
    """The same of one bit, and labels 0, 1 and 2."""

    def of_three(rows: np.ndarray) -> dict:
        return law(TreeChoice(1, DEPTH, 1.0, moved, 3), rows, OF_THREE)

    assert 0.5 < worst(of_three, 1, 2, 3) <= 1.0


def test_one_person_changed_is_not_one_more():
    """The exponent of the first, under the second, is beyond epsilon where scores are far apart."""
    mechanism = TreeChoice(DIM, DEPTH, 1.0, 1)
    here = law(mechanism, np.array([[1, 1, 1]] * 9 + [[1, 1, 1]], np.float32))
    there = law(mechanism, np.array([[1, 1, 1]] * 9 + [[1, 1, 0]], np.float32))

    assert small_people.apart(here, there) > 1.5


def test_hopeless_trees_are_possible(monkeypatch):
    """With ten thousand people against one, the highest of all words draws a uniform tree: each bit
    and label of it is uniform; other words a best one."""
    rows = np.array([[1, 0, 1]] * 10_000, np.float32)
    mechanism = TreeChoice(DIM, DEPTH, 1000.0, 1)
    best = [tree for tree in EVERY if right(tree, DEPTH, rows) == 10_000]
    told = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(20)]
    law = mechanism.law
    assert law.weights.summed(law.roots(by_label(rows, 2))).share == len(best)
    assert {tuple(tree.astype(int)) for tree in told} <= set(best)

    own = tree_choice.stream
    monkeypatch.setattr(tree_choice, "stream", lambda key: chain([2**64 - 1], own(key)))
    drawn = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(100)]
    assert {tuple(tree.astype(int)) for tree in drawn} == set(EVERY)


def test_what_rounding_may_cost_is_kept_back():
    """Of epsilon, for both data sets; and the rate is never below e^-a."""
    for moved in (1, 2):
        spent = -moved * math.log(TreeChoice(DIM, DEPTH, 0.7, moved).law.rate)
        assert 0.7 - 2 * SPARE < spent <= 0.7 - SPARE


def test_other_exponents_are_refused():
    """Scores of one person more move by one, of one changed by two."""
    for moved in (0, 0.25, 3):
        with pytest.raises(ValueError, match="moved must be 1 or 2"):
            TreeChoice(2, 1, 1.0, moved)


def test_a_bit_is_a_bit():
    """Whatever number is in a row, one person is one."""
    rows = np.array([[5, -3, 1], [0.5, np.nan, 0]], np.float32)
    one, other = by_label(rows, 2)

    assert np.array_equal(one, [[1, 0]]) and np.array_equal(other, [[1, 0]])
    assert [0, 1, 0] == [len(each) for each in by_label(np.array([[1, 0, 1]]), 3)]


def test_any_label_may_stand_at_an_end(monkeypatch):
    """Also of uniform trees, which the highest of all words draws."""
    own = tree_choice.stream
    monkeypatch.setattr(tree_choice, "stream", lambda key: chain([2**64 - 1], own(key)))
    rows = np.array([[1, 0]] * 1_000, np.float32)
    mechanism = TreeChoice(1, DEPTH, 100.0, 1, 3)
    drawn = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(60)]

    assert {tuple(tree.astype(int)) for tree in drawn} == set(OF_THREE)


def test_the_shortfall_is_a_bound_on_the_tail():
    """Of every tree further below the best than stated, the chances sum to less than .05."""
    rows = np.random.default_rng(5).integers(0, 2, (40, DIM + 1)).astype(np.float32)
    mechanism = TreeChoice(DIM, DEPTH, 0.7, 1)
    scores = {tree: right(tree, DEPTH, rows) for tree in EVERY}
    far = max(scores.values()) - mechanism.shortfall(0.05)
    chances = law(mechanism, rows)

    assert sum(chances[tree] for tree in EVERY if scores[tree] < far) <= 0.05
    assert mechanism.shortfall(0.05) == pytest.approx(math.log(8 / 0.05) / 0.7, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 1001.0, math.nan])
def test_no_other_epsilon(epsilon):
    """From 0.01 to 1000."""
    with pytest.raises(ValueError, match=r"between 0\.01 and 1000"):
        TreeChoice(2, 1, epsilon, 1)
