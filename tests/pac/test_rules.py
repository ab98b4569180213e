"""What a rule says of bits, and of itself."""

import itertools

import numpy as np
import pytest

from tacit.pac.rules import BitTest, in_turn, in_words, labels_of
from tacit.question.concepts import (
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
    RuleList,
)

BITS = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], bool)
NAMES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("concept", "numbers", "labels", "words"),
    [
        (Parity(3), [1, 0, 1], [0, 1, 0, 1], "the sum of a, c, modulo 2"),
        (Parity(3), [0, 0, 0], [0, 0, 0, 0], "always 0"),
        (NoisyParity(3), [1, 0, 1, 1], [1, 0, 1, 0], "1 less the sum of a, c, modulo 2"),
        (MonotoneConjunction(3), [1, 1, 0], [0, 0, 0, 1], "1 if a and b; else 0"),
        (MonotoneConjunction(3), [0, 0, 0], [1, 1, 1, 1], "always 1"),
        (Conjunction(3), [0, 1, -1], [0, 0, 0, 1], "1 if b and not c; else 0"),
        (DecisionTree(3, 1), [1, 0, 1], [0, 1, 0, 1], "b: 1\nnot b: 0"),
        (
            DecisionTree(3, 2),
            [0, 1, 2, 1, 1, 0, 1],
            [1, 1, 1, 0],
            "a:\n  c: 1\n  not c: 0\nnot a: 1",
        ),
        (
            RuleList(3, 2),
            [1, 4, 0, 1, 0],
            [1, 0, 0, 0],
            "if a: 0\nelse if not c: 1\nelse: 0",
        ),
        (RuleList(3, 2, 3), [3, 0, 2, 1, 1], [1, 2, 1, 2], "if b: 2\nelse: 1"),
        (RuleList(3, 1), [2, 1, 1], [1, 1, 1, 1], "1"),
        (DecisionTree(3, 1), [1, 0, 0], [0, 0, 0, 0], "0"),
        (DecisionTree(3, 2), [1, 0, 1, 1, 1, 0, 0], [1, 0, 1, 0], "b: 0\nnot b: 1"),
        (DecisionTree(3, 2), [1, 0, 0, 0, 1, 0, 1], [0, 0, 1, 1], "a: 1\nnot a: 0"),
    ],
)
def test_a_rule_labels_as_it_says(concept, numbers, labels, words):
    """For bits with names; a subtree of one label is that label."""
    told = np.array(numbers, float)

    assert list(labels_of(concept, told, BITS)) == labels
    assert in_words(concept, told, NAMES) == words


def test_a_list_is_tests_in_turn():
    """Whoever follows them gets the list's own label, of each list of two rules of two bits; and
    none that tells nothing is at the end."""
    for told in itertools.product(range(4), range(4), (0, 1), (0, 1), (0, 1)):
        tests, numbers = in_turn(told, 2), np.array(told, float)
        assert [followed(tests, row) for row in BITS] == list(
            labels_of(RuleList(2, 2), numbers, BITS[:, :2])
        )
    assert in_turn([1, 3, 0, 0, 0], 2) == 0
    assert in_turn([1, 2, 1, 0, 0], 2) == BitTest(0, 0, 1)


def followed(tests, row) -> int:
    while isinstance(tests, BitTest):
        tests = tests.with_it if row[tests.bit] else tests.without
    return tests
