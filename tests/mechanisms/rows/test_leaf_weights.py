"""Weights of leaves: powers of a rate, without overflow; counts that are whole."""

import numpy as np
import pytest

from tacit.mechanisms.rows.leaf_weights import LeafWeights, TreeSums, counted, ones_of, product


def test_leaves_weigh_what_their_labels_do():
    """Of three labels, two leaves; ten thousand people are no overflow."""
    sizes = np.array([[3, 10_000], [1, 0], [3, 9_999]])
    most, share = LeafWeights(0.5).leaf(sizes)

    assert [3, 10_000] == most.tolist() and [2.25, 1.5] == share.tolist()


def test_sums_and_products_are_those_of_weights():
    """Of rate^-3 times 2 and rate^-1 times 4."""
    weights, pair = LeafWeights(0.5), TreeSums(np.array([3, 1]), np.array([2.0, 4.0]))

    assert weights.summed(pair) == (3, 3.0)
    both = product(pair, pair)
    assert [6, 2] == both.most.tolist() and [4.0, 16.0] == both.share.tolist()


def test_powers_end_at_zero():
    """Below 2^-1022; a rate of zero counts the best alone."""
    steps = np.array([0, 1, 2_000])

    assert [1.0, 0.5, 0.0] == LeafWeights(0.5).power(steps).tolist()
    assert [1.0, 0.0, 0.0] == LeafWeights(0.0).power(steps).tolist()
    with pytest.raises(ValueError, match="rate must be at least 0 and below 1"):
        LeafWeights(1.0)


def test_pairs_are_counted_by_label():
    """Each bit with itself as often as it is there."""
    people = np.array([[1, 1], [1, 0]], np.float32), np.zeros((0, 2), np.float32)
    counts = counted(people)

    assert [2, 0] == counts.people.tolist()
    assert [[2, 1], [1, 1]] == counts.pairs[0].tolist() and not counts.pairs[1].any()
    assert [[2, 1], [0, 0]] == ones_of(people).tolist()
