"""Concepts under the trust models: which mechanism, which promise, what the page says."""

import pytest

from tacit.accounting.relation import Relation
from tacit.mechanisms.rows.concept_choice import ConceptChoice
from tacit.mechanisms.rows.line_choice import LineChoice
from tacit.mechanisms.rows.parity_elimination import ParityElimination
from tacit.mechanisms.rows.rule_list_choice import RuleListChoice
from tacit.mechanisms.rows.tree_choice import TreeChoice
from tacit.question.concepts import (
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
    RuleList,
    about,
    examples,
)
from tacit.question.line_concepts import LineInterval, LinePieces, LineThreshold
from tacit.question.rows import OfRows
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled

CLASSES = [
    Parity(4),
    NoisyParity(4),
    MonotoneConjunction(4),
    Conjunction(4),
    DecisionTree(4, 2),
    RuleList(4, 2, 3),
    LineThreshold(9),
    LineInterval(9),
    LinePieces(9, 3, 3),
]
PEOPLE = 500


def plan(concept, trust):
    return trust.plan(OfRows(examples(concept), PEOPLE, concept))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("concept", CLASSES, ids=lambda each: type(each).__name__)
def test_the_promise_is_the_whole_epsilon(concept, relation):
    """Pure, with nothing reserved, under every relation; its delta is never spent."""
    (promise,) = plan(concept, Central(0.7, 1e-6, relation)).guarantees

    assert promise.epsilon == 0.7 and promise.delta == 0.0 and promise.relation is relation


@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, Relation.ZERO_OUT])
def test_one_person_changed_costs_more_than_one_more(relation):
    """Half the slope of scores, and fewer coins that keep."""
    other = Central(1.0, 0.0, relation)
    mine, theirs = (
        [plan(each, trust).server.mechanism for each in CLASSES]
        for trust in (Central(1.0, 0.0), other)
    )

    for one, two in zip(mine, theirs, strict=True):
        if isinstance(one, ParityElimination):
            assert two.kept < one.kept
        elif isinstance(one, TreeChoice | RuleListChoice | LineChoice):
            assert (one.moved, two.moved) == (1, 2)
        else:
            assert isinstance(one, ConceptChoice)
            assert (one.sensitivity, two.sensitivity) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("concept", "said"),
    [
        (
            DecisionTree(4, 2),
            "95% sure to label at most 10 people fewer right than the best of 1,024",
        ),
        (Conjunction(4), "95% sure to label at most 8 people fewer right than the best of 81"),
        (Parity(4), "with a chance of at most 0.01946"),
        (LineInterval(9), "95% sure to label at most 7 people fewer right than the best of 46"),
    ],
)
def test_a_page_says_how_wrong_the_answer_may_be(concept, said):
    """In people, and how often a parity is not found."""
    page = " ".join(str(plan(concept, Central(1.0, 0.0))).split())

    assert said in page and about(concept) in page


@pytest.mark.parametrize(
    "trust", [Local(1.0), Shuffled(1.0, 1e-6), Federated(8.0, Central(1.0, 1e-6))]
)
def test_only_a_curator_can_be_asked(trust):
    """Its rows are needed at once."""
    with pytest.raises(ValueError):
        plan(DecisionTree(4, 2), trust)
