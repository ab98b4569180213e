"""A question is refused before anything is spent if it cannot be answered."""

import math

import numpy as np
import pytest

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.contribution import Interval, OneHot
from tacit.question.participation import AtMost, Everyone, Fixed, Once, Poisson
from tacit.question.running import Running
from tacit.question.sums import Above, Mean, Select
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

SHAPE = Interval(0.0, 1.0)


@pytest.mark.parametrize(
    "participation, relation, said",
    [
        (Poisson(0.1), Relation.REPLACE_ONE, "Poisson.*add/remove and zero-out.*ADD_REMOVE"),
        (Fixed(3), Relation.ADD_REMOVE, "Fixed.*replace-one.*REPLACE_ONE"),
        (Fixed(3), Relation.ZERO_OUT, "Fixed.*replace-one.*REPLACE_ONE"),
        (Once(), Relation.ADD_REMOVE, "Once.*replace-one and zero-out.*REPLACE_ONE"),
        (AtMost(2), Relation.ADD_REMOVE, "AtMost.*replace-one and zero-out.*REPLACE_ONE"),
    ],
)
def test_a_pair_without_a_proof_is_refused_by_name(participation, relation, said):
    """By the name that was written; the sentence says which budget has a proof."""
    question = Mean(SHAPE, participation, 2, 10)
    with pytest.raises(ValueError, match=f"^{said}") as refused:
        question.event(events.gaussian(1.0), relation)

    assert f"not for {relation.value}: promise Central(" in str(refused.value)


def test_the_divisor_is_the_expected_cohort():
    """Not the declared number of people, and never a count of who turned up."""
    assert 5.0 == Mean(SHAPE, Poisson(0.1), 2, 50).cohort
    assert 50.0 == Mean(SHAPE, Everyone(), 2, 50).cohort


@pytest.mark.parametrize(
    "rounds, people, who, sentence",
    [
        (0, 10, Everyone(), "at least one round"),
        (1, 0, Everyone(), "at least one person"),
        (1, 10**308, Everyone(), r"fewer than 2\^48, about 2.8e14, got people=a whole number of"),
        (1, 4, Fixed(5), "at least as many people"),
        (1.5, 10, Everyone(), "a whole number of rounds, at least one round, got rounds=1.5"),
        ("2", 10, Everyone(), "a whole number of rounds, .* got rounds='2'"),
        (1, 1.5, Everyone(), "a whole number of people, at least one person, got people=1.5"),
        (1, True, Everyone(), "a whole number of people, .* got people=True"),
        (1, None, Everyone(), "a whole number of people, .* got people=None"),
        (1, 10, Everyone, r"got Everyone without parentheses: write Everyone\(\)"),
        (1, 10, Once, r"got Once without parentheses: write Once\(\)"),
        (1, 10, Poisson, r"got Poisson without parentheses: write Poisson\(rate\)"),
        (1, 10, "everyone", r"participation must be Everyone\(\), .* got 'everyone'"),
        (1, 10, 0.1, r"participation must be Everyone\(\), .* got 0.1"),
    ],
)
def test_unusable_questions_are_refused(rounds, people, who, sentence):
    """The sentence names the value allowed."""
    with pytest.raises(ValueError, match=sentence):
        Mean(SHAPE, who, rounds, people)


@pytest.mark.parametrize(
    "shape, said",
    [
        (Interval, r"Interval without parentheses: write Interval\(lower, upper\)"),
        (OneHot, r"OneHot without parentheses: write OneHot\(categories\)"),
        ((0.0, 1.0), "tuple"),
        ("Interval", "'Interval'"),
        (3, "3"),
        (None, "None"),
    ],
)
def test_what_is_no_shape_is_refused(shape, said):
    """The sentence names the shapes there are."""
    with pytest.raises(ValueError, match=f"contribution must be an Interval, .* got {said}"):
        Mean(shape, Everyone(), 1, 10)


def test_numpys_counts_are_kept_as_pythons():
    """The questions are equal, and the same to a ledger that writes them down."""
    question = Mean(SHAPE, Once(), np.int8(4), np.int32(100))

    assert Mean(SHAPE, Once(), 4, 100) == question
    assert {int} == {type(question.rounds), type(question.people)}
    assert int is type(Above(question, 0, 1.0).positives)


@pytest.mark.parametrize(
    "make", [Select, lambda sums: Above(sums, 0.5, 1), lambda s: Running(s, 1)]
)
@pytest.mark.parametrize("sums", [SHAPE, Mean, None, 0.5], ids=str)
def test_other_questions_are_about_a_mean(make, sums):
    """One sentence says so."""
    with pytest.raises(ValueError, match="sums must be a Mean, got "):
        make(sums)


@pytest.mark.parametrize("threshold", [math.nan, math.inf, "0.5", None])
def test_a_threshold_is_a_finite_number(threshold):
    """The sentence says so."""
    with pytest.raises(ValueError, match="a threshold must be finite, got"):
        Above(Mean(SHAPE, Everyone(), 4, 10), threshold, 1)


@pytest.mark.parametrize("count", [0, 5, 1.5, "1", None, True])
def test_positives_are_a_count_of_rounds(count):
    """A whole number, at most as many as there are rounds."""
    with pytest.raises(ValueError, match=f"between 1 and the 4 rounds, got {count!r}"):
        Above(Mean(SHAPE, Once(), 4, 10), 0.5, count)


@pytest.mark.parametrize(
    "trust",
    [
        Central(1.0, 1e-5),
        Local(1.0),
        Shuffled(1.0, 1e-5),
        Federated(1.0, Central(1.0, 1e-5)),
        NonPrivate(),
    ],
    ids=lambda trust: type(trust).__name__,
)
@pytest.mark.parametrize("other", [SHAPE, Mean, "mean", None], ids=str)
def test_what_is_no_question_is_refused_by_every_trust_model(trust, other):
    """The sentence names the questions there are."""
    with pytest.raises(
        ValueError,
        match="a question is a Mean, Select, Above, Running, Uneven, Linear, Keyed or OfRows, got",
    ):
        trust.plan(other)
