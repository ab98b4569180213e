"""How large a class of concepts may be."""

import numpy as np
import pytest

from tacit.question.concepts import Conjunction, DecisionTree


def test_whole_numbers_of_any_kind_are_ints():
    """A NumPy integer is a plain one from then on, so that a receipt can hold it."""
    tree = DecisionTree(np.int64(5), np.int32(2))

    assert (tree.dim, tree.depth) == (5, 2) and type(tree.dim) is type(tree.depth) is int


def test_the_refusal_names_what_is_allowed():
    """The field, its range and what was given."""
    with pytest.raises(ValueError, match=r"dim must be a whole number from 2 to 13, got 14"):
        Conjunction(14)
