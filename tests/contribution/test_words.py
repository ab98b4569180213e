"""Every shape in words: what a person gives, with the bounds that noise is scaled to."""

import pytest

from tacit.contribution import (
    Ball,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
)
from tacit.contribution.words import in_words


@pytest.mark.parametrize(
    "shape, words",
    [
        (Interval(0, 1), "a number in [0, 1]"),
        (Interval(-2.5, 1e6), "a number in [-2.5, 1e+06]"),
        (Grid(-4, 8, 0.25), "a number in [-1, 2] in steps of 0.25"),
        (OneHot(1000), "one of 1,000 categories"),
        (Counts(10, 3, 2), "10 counts of at most 2"),
        (Ball(784, 0.1), "784 numbers of L2 norm at most 0.1"),
        (L1Ball(784, 2), "784 numbers of L1 norm at most 2"),
        (Sphere(5), "a direction of 5 numbers"),
        (Cube(5, -1, 1), "5 numbers in [-1, 1] each"),
        (Outer(5, 0.5), "the squares of 5 numbers of L2 norm at most 0.5"),
        (
            Product(Ball(3, 1), Interval(0, 1)),
            "3 numbers of L2 norm at most 1 and a number in [0, 1]",
        ),
    ],
)
def test_a_shape_is_said_with_its_bounds(shape, words):
    """One line, numbers in six digits."""
    assert words == in_words(shape)


def test_a_shape_of_somebody_s_own_is_said_by_name():
    """What it is, its type may say."""

    class Halves:
        pass

    assert "a Halves" == in_words(Halves())
