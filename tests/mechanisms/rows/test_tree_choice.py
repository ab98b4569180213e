"""A tree by the exponential mechanism: its promise, the uniform trees beside it, its error."""

import math

import numpy as np
import pytest

import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_tree import right, trees
from tacit.mechanisms.rows.tree_choice import TreeChoice, by_label

DIM, DEPTH = 2, 1
EVERY = trees(DIM, DEPTH)


def law(mechanism: TreeChoice, rows: np.ndarray) -> dict:
    """The chances of every tree, by the law of draws and uniform ones."""
    scores = np.array([right(tree, DEPTH, rows) for tree in EVERY])
    weights = mechanism.law.rate ** (scores.max() - scores) + 2.0**-40 / len(EVERY)
    return dict(zip(EVERY, weights / weights.sum(), strict=True))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(
    ("worst", "made"),
    [
        (small_people.added, TreeChoice.add_remove),
        (small_people.changed, TreeChoice.replace_one),
    ],
)
def test_the_promise_is_kept(worst, made, epsilon):
    """Over all neighbouring data sets of two people, and nearly met by some of four: a half of it
    is not enough."""
    found = worst(lambda rows: law(made(DIM, DEPTH, epsilon), rows), DIM, 2)

    assert epsilon / 2 < found <= epsilon


def test_one_person_changed_is_not_one_more():
    """The exponent of the first, under the second, is beyond epsilon where scores are far apart."""
    mechanism = TreeChoice.add_remove(DIM, DEPTH, 1.0)
    here = law(mechanism, np.array([[1, 1, 1]] * 9 + [[1, 1, 1]], np.float32))
    there = law(mechanism, np.array([[1, 1, 1]] * 9 + [[1, 1, 0]], np.float32))

    assert small_people.apart(here, there) > 1.5


def test_hopeless_trees_are_possible():
    """With ten thousand people against one, a tree is drawn uniformly with chance 2^-40, and only
    then; a far one never by its own weight."""
    rows = np.array([[1, 0, 1]] * 10_000, np.float32)
    mechanism = TreeChoice.add_remove(DIM, DEPTH, 1000.0)
    share = mechanism.law.total(by_label(rows)).share
    told = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(20)]

    assert share == sum(right(tree, DEPTH, rows) == 10_000 for tree in EVERY)
    assert all(right(tuple(tree.astype(int)), DEPTH, rows) == 10_000 for tree in told)


def test_the_error_is_a_bound_on_the_tail():
    """Of every tree further below the best than stated, the chances sum to less than .05."""
    rows = np.random.default_rng(5).integers(0, 2, (40, DIM + 1)).astype(np.float32)
    mechanism = TreeChoice.add_remove(DIM, DEPTH, 0.7)
    scores = {tree: right(tree, DEPTH, rows) for tree in EVERY}
    far = max(scores.values()) - mechanism.error(0.05)
    chances = law(mechanism, rows)

    assert sum(chances[tree] for tree in EVERY if scores[tree] < far) <= 0.05
    assert mechanism.error(0.05) == pytest.approx(math.log(8 / 0.05) / 0.7, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 1001.0, math.nan])
def test_no_other_epsilon(epsilon):
    """From 0.01 to 1000."""
    with pytest.raises(ValueError, match=r"between 0\.01 and 1000"):
        TreeChoice.add_remove(2, 1, epsilon)
