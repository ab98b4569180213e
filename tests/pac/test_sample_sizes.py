"""How many people are enough: the formulas, and that they are."""

import math

import numpy as np
import pytest

import quick_keys
from tacit.accounting.relation import Relation
from tacit.mechanisms.rows.concept_choice import ConceptChoice
from tacit.mechanisms.rows.concept_scores import MonotoneConjunctions
from tacit.pac.sample_sizes import agnostic_people, labelings, realisable_people
from tacit.question.line_concepts import LineInterval, LinePieces, LineThreshold


def test_sizes_are_those_of_the_theorems():
    """Both terms of each, at one's own numbers."""
    twice = math.log(2 * 1024 / 0.1)

    assert realisable_people(1024, math.inf, 0.1, 0.1) == math.ceil(80 * twice)
    assert realisable_people(1024, 0.1, 0.1, 0.1) == math.ceil(200 * twice)
    assert realisable_people(1024, 0.1, 0.1, 0.1, Relation.REPLACE_ONE) == math.ceil(400 * twice)
    assert agnostic_people(1024, 9.0, 0.1, 0.1) == math.ceil(450 * (twice + math.log(2)))
    assert agnostic_people(1024, 0.01, 0.1, 0.1) == math.ceil(3000 * twice)
    assert realisable_people(2, 0.1, 0.1, 0.1, Relation.ZERO_OUT) == math.ceil(400 * math.log(40))
    assert realisable_people(2**4096, 1.0, 0.1) == math.ceil(
        80 * (4097 * math.log(2) - math.log(0.05))
    )
    assert realisable_people(np.int64(2**62), 1.0, 0.1) == realisable_people(2**62, 1.0, 0.1)


def test_so_many_people_are_enough():
    """In 60 runs of 60 a conjunction is learnt to a tenth, with failure .001; of a twentieth of the
    people, it is not."""
    scored, numbers = MonotoneConjunctions(6), np.random.default_rng(1)

    def wrong(people: int, seed: int) -> float:
        bits = numbers.random((people, 6)) < 0.8
        label = bits[:, 0] & bits[:, 4]
        rows = np.column_stack([bits, label]).astype(np.float32)
        told = ConceptChoice(scored, 0.2, 0.5).sample(quick_keys.key(seed), rows) > 0
        fresh = numbers.random((4_000, 6)) < 0.8
        return float(np.mean((fresh | ~told).all(axis=1) != (fresh[:, 0] & fresh[:, 4])))

    people = realisable_people(64, 0.2, 0.1, 0.001)
    assert max(wrong(people, seed) for seed in range(60)) < 0.1
    assert max(wrong(people // 20, seed) for seed in range(20)) > 0.1


@pytest.mark.parametrize(
    "asked",
    [
        (0, 1.0, 0.1, 0.1),
        (4, 0.0, 0.1, 0.1),
        (4, math.nan, 0.1, 0.1),
        (4, 1.0, 0.0, 0.1),
        (4, 1.0, 0.1, 1.0),
        (4, 1.0, 0.1, math.nan),
        (4, 1e-310, 0.1, 0.1),
        (4, 1.0, 1e-200, 0.1),
        (4.5, 1.0, 0.1, 0.1),
        (True, 1.0, 0.1, 0.1),
    ],
)
@pytest.mark.parametrize("people", [realisable_people, agnostic_people])
def test_other_numbers_are_refused(people, asked):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=r"must be|positive"):
        people(*asked)


@pytest.mark.parametrize("points", [2, 3, 7, 4096])
def test_no_class_has_more_labelings_than_its_dimension_says(points):
    """Thresholds (1) and intervals (2) have as many; k pieces (k) no more; of few points, all."""
    assert labelings(points, 1) == LineThreshold(points).concepts
    assert labelings(points, 2) == LineInterval(points).concepts
    assert labelings(points, 3) >= LinePieces(points, 3).concepts
    assert labelings(5, 5) == labelings(5, 9) == 32
    assert realisable_people(labelings(points, 1), 1.0, 0.1) < realisable_people(10**6, 1.0, 0.1)


@pytest.mark.parametrize(("points", "dimension"), [(0, 1), (3, 0), (2.5, 1), (3, 10**5)])
def test_other_dimensions_are_refused(points, dimension):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=r"must be a whole number|at most 10,000"):
        labelings(points, dimension)
