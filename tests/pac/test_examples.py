"""Bits and labels as people have them."""

import math

import numpy as np
import pandas as pd

from tacit.pac.examples import read, rows_of
from tacit.question.concepts import DecisionTree, Parity
from tacit.question.line_concepts import LinePieces, LineThreshold


def test_what_is_no_bit_is_one_all_the_same():
    """Above one is one; below one, NaN and missing are none."""
    frame = pd.DataFrame({"a": [True, False, True], "b": [2.0, math.nan, 0.7]})
    names, rows = rows_of(frame, [1, None, 0], Parity(2))

    assert names == ("a", "b")
    assert np.array_equal(rows[:, :2], [[1, 1], [0, 0], [1, 0]])
    assert list(rows[:, 2]) == [1, -1, 0]


def test_arrays_have_numbered_columns():
    """And lists of rows are read like them."""
    for rows in (np.eye(2), [[1, 0], [0, 1]]):
        names, bits = read(rows, Parity(2))
        assert len(names) == 2 and np.array_equal(bits, np.eye(2))


def test_nobody_is_warned_of_ones_label():
    """A label that is neither 0 nor 1, by however much or little, is nobody's."""
    labels = [1e300, 1 + 1e-9, -1, 2, math.inf, True, 0]
    _, rows = rows_of(np.zeros((7, 2)), labels, Parity(2))

    assert list(rows[:, 2]) == [-1, -1, -1, -1, -1, 1, 0]


def test_a_tree_has_as_many_labels_as_it_says():
    """Whole numbers from 0; any other is nobody's."""
    _, rows = rows_of(np.zeros((5, 2)), [0, 2, 3, 1.5, 1], DecisionTree(2, 1, 3))

    assert list(rows[:, 2]) == [0, 2, -1, -1, 1]


def test_a_point_is_the_whole_part_between_the_ends():
    """Of a column or of numbers alone; who has none has no point."""
    ages, points = [-3.0, 0.0, 1.9, 4.0, 5e9, math.inf, math.nan], [0, 0, 1, 4, 4, 4, -1]
    for given, name in ((ages, "column 0"), (pd.DataFrame({"age": ages}), "age")):
        names, rows = rows_of(given, [2] * 7, LinePieces(5, 2, 3))
        assert list(rows[:, 0]) == points and len(names) == 1
        assert name == "column 0" or names == ("age",)
    assert rows_of(ages, [2] * 7, LineThreshold(5))[1][:, 1].tolist() == [-1] * 7
