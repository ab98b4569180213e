"""Classes of concepts: how many there are, what they are asked of, what is refused."""

import pytest

from tacit.contribution import Ball, Counts, OneHot, Product
from tacit.question.concepts import (
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
    RuleList,
    examples,
    labels_of,
)
from tacit.question.line_concepts import LineInterval
from tacit.question.rows import OfRows


@pytest.mark.parametrize(
    ("concept", "concepts", "size"),
    [
        (NoisyParity(3), 16, 4),
        (MonotoneConjunction(3), 8, 3),
        (Conjunction(3), 27, 3),
        (DecisionTree(3, 2), 27 * 16, 7),
        (DecisionTree(5, 1), 20, 3),
        (DecisionTree(5, 1, 3), 45, 3),
        (RuleList(3, 2), 36 * 8, 5),
        (RuleList(3, 1, 3), 54, 3),
    ],
)
def test_how_many_concepts_and_numbers_there_are(concept, concepts, size):
    """As the class states them."""
    question = OfRows(examples(concept), 100, concept)

    assert concept.concepts == concepts and concept.size == question.size == size
    labels = OneHot(labels_of(concept))
    assert question.contribution == Product(Counts(concept.dim, concept.dim, 1), labels)


@pytest.mark.parametrize("dim", [0, 1, 2.5, True, "3", float("nan"), 10_000])
@pytest.mark.parametrize("made", [Parity, NoisyParity, MonotoneConjunction, Conjunction])
def test_other_numbers_of_bits_are_refused(made, dim):
    """From 2 on, as far as the class goes."""
    with pytest.raises(ValueError, match="dim must be a whole number from 2 to"):
        made(dim)


@pytest.mark.parametrize(
    "made",
    [
        lambda: DecisionTree(3, 0),
        lambda: DecisionTree(3, 4),
        lambda: DecisionTree(3, 1.5),
        lambda: DecisionTree(1, 2),
        lambda: DecisionTree(3, 2, 1),
        lambda: DecisionTree(3, 2, 33),
        lambda: DecisionTree(2_000, 2),
        lambda: DecisionTree(500, 3),
        lambda: RuleList(3, 0),
        lambda: RuleList(3, 4),
        lambda: RuleList(500, 3),
        lambda: RuleList(3, 2, 1),
    ],
)
def test_other_trees_are_refused(made):
    """Deeper ones, longer lists, and of so many bits that their counts take no memory there is."""
    with pytest.raises(ValueError, match="must be a whole number from"):
        made()


@pytest.mark.parametrize("failure", [0.0, 1.0, float("nan"), "0.05"])
def test_other_chances_are_refused(failure):
    """Above zero and below one."""
    with pytest.raises(ValueError, match="failure must be in"):
        Parity(3, failure)


def test_other_examples_are_refused():
    """Concepts are about bits and a label, as many as they have."""
    for shape in (Ball(3, 1.0), examples(Parity(4)), examples(LineInterval(3))):
        with pytest.raises(ValueError, match="about 3 bits and a label"):
            OfRows(shape, 10, Parity(3))
    with pytest.raises(ValueError, match="about 3 points and a label"):
        OfRows(examples(Parity(3)), 10, LineInterval(3))
