"""What a labeling of a line says of points, and of itself."""

import numpy as np
import pytest

from tacit.pac.pieces import labels_along, words_along


@pytest.mark.parametrize(
    ("told", "labels", "words"),
    [
        ([0, 3, 0, 1], [0, 0, 0, 0, 1, 1], "age below 3: 0\nage from 3 on: 1"),
        (
            [0, 1, 4, 0, 1, 0],
            [0, 0, 1, 1, 1, 0],
            "age below 1: 0\nage from 1 to 3: 1\nage from 4 on: 0",
        ),
        ([0, 5, 1, 1], [1, 1, 1, 1, 1, 1], "always 1"),
        ([0, 2, 5, 2, 0, 0], [2, 2, 2, 0, 0, 0], "age below 2: 2\nage from 2 on: 0"),
        ([0, 1], [1, 1, 1, 1, 1, 1], "always 1"),
    ],
)
def test_a_labeling_labels_as_it_says(told, labels, words):
    """Of five points; who has none is labelled as the first; pieces that are over are not told."""
    points = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])

    assert list(labels_along(np.array(told), points)) == labels
    assert words_along(told, "age") == words
