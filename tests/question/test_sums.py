"""A question is refused before anything is spent if it cannot be answered."""

import pytest

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.contribution import Interval
from tacit.question.participation import Everyone, Fixed, Once, Poisson
from tacit.question.sums import Mean

SHAPE = Interval(0.0, 1.0)


@pytest.mark.parametrize(
    "participation, relation",
    [
        (Poisson(0.1), Relation.REPLACE_ONE),
        (Fixed(3), Relation.ADD_REMOVE),
        (Fixed(3), Relation.ZERO_OUT),
        (Once(), Relation.ADD_REMOVE),
    ],
)
def test_a_pair_without_a_proof_is_refused_by_name(participation, relation):
    """The sentence names the participation and the relation."""
    question = Mean(SHAPE, participation, 2, 10)
    with pytest.raises(ValueError, match=f"not for {relation.value}"):
        question.event(events.gaussian(1.0), relation)


def test_the_divisor_is_the_expected_cohort():
    """Not the declared number of people, and never a count of who turned up."""
    assert 5.0 == Mean(SHAPE, Poisson(0.1), 2, 50).cohort
    assert 50.0 == Mean(SHAPE, Everyone(), 2, 50).cohort


@pytest.mark.parametrize(
    "rounds, people, who, sentence",
    [
        (0, 10, Everyone(), "at least one round"),
        (1, 0, Everyone(), "at least one person"),
        (1, 4, Fixed(5), "at least as many people"),
    ],
)
def test_unusable_questions_are_refused(rounds, people, who, sentence):
    """The sentence names the value allowed."""
    with pytest.raises(ValueError, match=sentence):
        Mean(SHAPE, who, rounds, people)
