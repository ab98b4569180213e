"""The best concept, as it is."""

import numpy as np
import pytest

import quick_keys
from tacit.pac.rules import labels_of
from tacit.question.concepts import (
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
    RuleList,
)
from tacit.question.line_concepts import LineInterval, LinePieces, LineThreshold
from tacit.server.exact_concepts import exactly

CLASSES = [
    Parity(4),
    NoisyParity(4),
    MonotoneConjunction(4),
    Conjunction(4),
    DecisionTree(4, 2),
    RuleList(4, 2),
]


@pytest.mark.parametrize("concept", CLASSES, ids=lambda each: type(each).__name__)
def test_without_privacy_the_best_concept_is_the_answer(concept):
    """Of noiseless labels of one of the class."""
    numbers = np.random.default_rng(0)
    bits = numbers.integers(0, 2, (200, 4))
    label = bits[:, 1] & bits[:, 2]
    if isinstance(concept, Parity | NoisyParity):
        label = (bits[:, 1] + bits[:, 2]) % 2
    rows = np.column_stack([bits, label]).astype(np.float32)
    told = np.asarray(exactly(concept).sample(quick_keys.key(0), rows)).astype(int)

    if isinstance(concept, DecisionTree | RuleList):
        assert np.array_equal(labels_of(concept, told.astype(float), bits > 0), label)
    else:
        assert list(told[:4]) == [0, 1, 1, 0]


def test_of_labels_that_are_of_no_parity_there_is_none():
    """One person with both labels."""
    rows = np.array([[1, 0, 0], [1, 0, 1]], np.float32)

    assert exactly(Parity(2)).sample(quick_keys.key(0), rows) is None


def test_all_of_the_best_trees_may_be_drawn():
    """Of nobody, every tree of one test: all eight within a hundred draws, by their keys."""
    nobody = np.zeros((0, 3), np.float32)
    tree = exactly(DecisionTree(2, 1))

    assert 8 == len({tuple(tree.sample(quick_keys.key(seed), nobody)) for seed in range(100)})


@pytest.mark.parametrize("concept", [LineThreshold(9), LineInterval(9), LinePieces(9, 3, 3)])
def test_without_privacy_the_best_labeling_is_the_answer(concept):
    """Of noiseless labels of one of the class, with people at every point."""
    points = np.tile(np.arange(9), 20)
    label = (points >= 3).astype(int)
    if not isinstance(concept, LineThreshold):
        label[points > 6] = 2 if isinstance(concept, LinePieces) else 0
    rows = np.column_stack([points, label]).astype(np.float32)
    told = np.asarray(exactly(concept).sample(quick_keys.key(0), rows))

    assert np.array_equal(labels_of(concept, told, rows[:, :1]), label)
    assert list(told[: len(told) // 2][:2]) == [0, 3]
