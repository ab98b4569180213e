"""Classes of concepts along a line: how many there are, what they are asked of, what is refused."""

import pytest

from tacit.contribution import OneHot, Product
from tacit.question.concepts import examples
from tacit.question.line_concepts import LineInterval, LinePieces, LineThreshold
from tacit.question.rows import OfRows
from tacit.question.words import in_words


@pytest.mark.parametrize(
    ("concept", "concepts", "size", "labels"),
    [
        (LineThreshold(10), 11, 4, 2),
        (LineInterval(10), 56, 6, 2),
        (LinePieces(10, 1), 2, 2, 2),
        (LinePieces(10, 3), 2 + 18 + 72, 6, 2),
        (LinePieces(4, 2, 3), 3 + 3 * 3 * 2, 4, 3),
    ],
)
def test_how_many_concepts_and_numbers_there_are(concept, concepts, size, labels):
    """As the class states them; a person has one point and one label."""
    question = OfRows(examples(concept), 100, concept)

    assert concept.concepts == concepts and concept.size == question.size == size
    assert question.contribution == Product(OneHot(concept.points), OneHot(labels))
    assert f"of {concept.points} points that labels most" in in_words(question)


@pytest.mark.parametrize("points", [1, 2.5, True, "3", float("nan"), 4_097])
@pytest.mark.parametrize(
    "made", [LineThreshold, LineInterval, lambda points: LinePieces(points, 2)]
)
def test_other_lines_are_refused(made, points):
    """Of one point, or of more than are summed in no time."""
    with pytest.raises(ValueError, match="points must be a whole number from 2 to 4,096"):
        made(points)


@pytest.mark.parametrize(
    ("pieces", "labels", "said"),
    [
        (0, 2, "pieces .* from 1 to 32"),
        (33, 2, "pieces must be"),
        (2, 1, "labels .* from 2 to 32"),
        (8, 9, "labels .* from 2 to 8"),
        (32, 3, "labels .* from 2 to 2"),
    ],
)
def test_other_pieces_are_refused(pieces, labels, said):
    """None, and so many with so many labels that walks have more than 64 states."""
    with pytest.raises(ValueError, match=said):
        LinePieces(100, pieces, labels)
