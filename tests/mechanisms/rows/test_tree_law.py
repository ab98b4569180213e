"""Sums over all trees are those over a list of them, and draws follow them."""

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from mechanisms.rows.every_tree import right, trees
from tacit.mechanisms.rows.tree_choice import by_label
from tacit.mechanisms.rows.tree_law import TreeLaw
from tacit.noise.exact import stream


def people(dim: int, size: int = 15, seed: int = 0, labels: int = 2) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    rows = numbers.integers(0, 2, (size, dim + 1))
    rows[:, dim] = rows[:, dim] if labels == 2 else numbers.integers(0, labels, size)
    return rows.astype(np.float32)


@pytest.mark.parametrize(
    ("dim", "depth", "labels"), [(4, 1, 2), (3, 2, 2), (2, 3, 2), (3, 1, 3), (2, 2, 3), (1, 3, 2)]
)
@pytest.mark.parametrize("size", [0, 1, 15])
def test_the_sum_is_that_over_every_tree(dim, depth, labels, size):
    """To 1e-12, with the most people any tree is right about; of nobody it counts the trees."""
    rows = people(dim, size, labels=labels)
    scores = np.array([right(tree, depth, rows) for tree in trees(dim, depth, labels)])
    law = TreeLaw(depth, 0.5)
    most, share = law.weights.summed(law.roots(by_label(rows, labels)))

    assert most == scores.max() and law.trees(dim, labels) == len(scores)
    assert share == pytest.approx(np.sum(0.5 ** (most - scores)), rel=1e-12)


@pytest.mark.parametrize(("dim", "depth"), [(4, 1), (3, 2), (2, 3)])
def test_a_rate_of_zero_draws_the_best(dim, depth):
    """And counts them."""
    rows = people(dim)
    scores = [right(tree, depth, rows) for tree in trees(dim, depth)]
    law, at = TreeLaw(depth, 0.0), by_label(rows, 2)
    roots = law.roots(at)
    drawn = law.draw(stream(quick_keys.key(1)), at, roots)

    assert law.weights.summed(roots).share == scores.count(max(scores))
    assert right(tuple(drawn), depth, rows) == max(scores)


@pytest.mark.parametrize(("dim", "depth", "labels"), [(3, 1, 2), (2, 2, 2), (3, 1, 3)])
def test_draws_are_in_proportion(dim, depth, labels):
    """Chi-square over 2,000 draws at a tail of 1e-4, which a rate of two thirds the slope is
    beyond."""
    rows, every = people(dim, 12, 4, labels), trees(dim, depth, labels)
    scores = np.array([right(tree, depth, rows) for tree in every])
    words, draws = stream(quick_keys.key(2)), 2_000
    law, at = TreeLaw(depth, 0.6), by_label(rows, labels)
    roots = law.roots(at)
    found = dict.fromkeys(every, 0)
    for _ in range(draws):
        found[tuple(law.draw(words, at, roots))] += 1

    def tail(rate: float) -> float:
        weights = rate ** (scores.max() - scores)
        return chisquare(list(found.values()), draws * weights / weights.sum()).pvalue

    assert tail(0.6) > 1e-4
    assert tail(0.6 ** (2 / 3)) < 1e-6
