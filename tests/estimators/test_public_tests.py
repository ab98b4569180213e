"""Features as bits: thresholds and categories as they are declared, and nothing else."""

import math

import numpy as np
import pytest

from tacit.estimators.declared import Box
from tacit.estimators.public_tests import AtLeast, Declared, IsCategory, place_of

BOX = Box(np.array([0.0, -1.0, 0.0]), np.array([8.0, 1.0, 2.0]))
NAMES = ("age", "kind", "ward")


def test_thresholds_are_evenly_between_the_bounds():
    """As many as are asked for; the bounds themselves tell nobody from another."""
    tests = Declared(3, None, None).tests(BOX, None)

    assert [AtLeast(0, 2.0), AtLeast(0, 4.0), AtLeast(0, 6.0)] == list(tests[:3])
    assert [AtLeast(1, -0.5), AtLeast(1, 0.0), AtLeast(1, 0.5)] == list(tests[3:6])


def test_features_have_thresholds_of_their_own_and_categories():
    """By place or by name; of two categories one test says all."""
    tests = Declared(1, {"age": [3, 5]}, ["kind", 2]).tests(BOX, NAMES)

    assert [AtLeast(0, 3.0), AtLeast(0, 5.0)] == list(tests[:2])
    assert [IsCategory(1, each) for each in (-1, 0, 1)] == list(tests[2:5])
    assert [IsCategory(2, each) for each in (0, 1, 2)] == list(tests[5:])
    named = Declared(1, None, {"kind": ["car", "bus", "bike"]}).tests(BOX, NAMES)
    assert "kind is bus" == named[2].named(NAMES) and 1 == named[2].value
    two = Declared(1, None, [0]).tests(Box(np.zeros(1), np.ones(1)), None)
    assert (IsCategory(0, 1),) == two


def test_a_test_says_what_it_tells():
    """At a threshold it is passed; a category that was never declared passes none."""
    rows = np.array([[1.9], [2.0], [9.0]])

    assert [False, True, True] == list(AtLeast(0, 2.0).bits(rows))
    assert [False, True, False] == list(IsCategory(0, 2).bits(rows))
    assert "age >= 2.5" == AtLeast(0, 2.5).named(NAMES)
    assert "kind is 3" == IsCategory(1, 3).named(NAMES)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Declared(0, None, None), "cuts must be a positive whole number, got 0"),
        (lambda: Declared(2.5, None, None), "cuts must be a positive whole number"),
        (lambda: Declared(1, [1, 2], None), "thresholds must be a dictionary of features"),
        (lambda: Declared(1, {0: []}, None).tests(BOX, None), "finite and increasing"),
        (lambda: Declared(1, {0: [2, 1]}, None).tests(BOX, None), "finite and increasing"),
        (lambda: Declared(1, {0: [math.nan]}, None).tests(BOX, None), "finite and increasing"),
        (lambda: Declared(1, {3: [1]}, None).tests(BOX, None), "whole number from 0 to 2"),
        (lambda: Declared(1, {"town": [1]}, None).tests(BOX, NAMES), "or a column's name"),
        (
            lambda: Declared(1, {"0": [1]}, None).tests(BOX, None),
            "as columns have no names, got '0'",
        ),
        (lambda: Declared(1, {"age": [1], 0: [2]}, None).tests(BOX, NAMES), "declared once"),
        (lambda: Declared(1, None, {"age": ["a"], 0: ["b"]}).tests(BOX, NAMES), "declared once"),
        (lambda: Declared(1, None, "age").tests(BOX, NAMES), "categorical_features must be a list"),
        (lambda: Declared(1, {0: [1]}, [0]).tests(BOX, None), "thresholds or be categorical"),
        (
            lambda: Declared(1, None, [0]).tests(Box(np.zeros(1), np.full(1, 1e6)), None),
            "from 1 to 4,096 whole numbers",
        ),
        (
            lambda: Declared(1, None, [0]).tests(Box(np.full(1, 0.2), np.full(1, 0.8)), None),
            "from 1 to 4,096 whole numbers",
        ),
        (lambda: Declared(1, None, {0: ["a", "a"]}).tests(BOX, None), "must be different texts"),
        (lambda: Declared(1, None, {0: []}).tests(BOX, None), "must be different texts"),
        (lambda: Declared(1, None, {0: [1, 2]}).tests(BOX, None), "must be different texts"),
        (lambda: place_of(True, 3, None), "whole number from 0 to 2"),
    ],
)
def test_what_is_declared_otherwise_is_refused(made, said):
    """With what is allowed."""
    with pytest.raises(ValueError, match=said):
        made()


def test_a_threshold_is_said_to_nine_digits():
    """Two that are a unit apart at a million are two; a plain one stays plain."""
    said = [AtLeast(0, value).named(["x"]) for value in (1000000.25, 1000001.5, 0.5, 226 / 9)]

    assert ["x >= 1000000.25", "x >= 1000001.5", "x >= 0.5", "x >= 25.1111111"] == said
