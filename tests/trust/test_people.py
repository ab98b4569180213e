"""The number of people is public or declared, as promised; nothing else is a trust model."""

import pytest

import tacit
from tacit.trust.people import Curated, Reported, people_of, relation_of

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL = tacit.Central(1.0, 1e-6)


@pytest.mark.parametrize("people", [0, -3, 2.5, float("nan"), float("inf"), "7", True])
def test_people_are_a_positive_whole_number(people):
    """Declared, or that of the rows where it is public."""
    assert people_of(None, tacit.Local(1.0), 7) == 7
    assert people_of(1000, CENTRAL, 7) == 1000
    with pytest.raises(ValueError, match="people must be a positive whole number"):
        people_of(people, CENTRAL, 7)


@pytest.mark.parametrize("people", [2**48, 10**18])
def test_more_people_than_a_sum_has_room_for_are_refused_by_their_limit(people):
    """They are a whole number, and the sentence names what is allowed, whoever refuses."""
    said = rf"people must be fewer than 2\^48, about 2.8e14, got (people=)?{people}"
    with pytest.raises(ValueError, match=said):
        people_of(people, CENTRAL, 7)
    with pytest.raises(ValueError, match=said):
        tacit.Mean(tacit.Interval(0, 1), tacit.Everyone(), 1, people)
    assert people_of(2**48 - 1, CENTRAL, 7) == 2**48 - 1


@pytest.mark.parametrize("trust", [CENTRAL, tacit.Federated(1.0, CENTRAL)])
def test_under_add_remove_people_are_declared(trust):
    """A number of rows would tell whether somebody is there."""
    with pytest.raises(ValueError, match="declare about how many"):
        people_of(None, trust, 7)


def test_every_trust_model_says_between_whom_its_promise_is():
    """The public promise of a federation is that of its central part; without one, nobody's."""
    relations = {
        tacit.Relation.ADD_REMOVE: CENTRAL,
        REPLACE: tacit.Federated(1.0, tacit.Central(1.0, 1e-6, REPLACE)),
        None: tacit.NonPrivate(),
    }
    assert all(relation_of(trust) is relation for relation, trust in relations.items())
    assert {relation_of(tacit.Local(1.0)), relation_of(tacit.Shuffled(1.0, 1e-6))} == {REPLACE}


@pytest.mark.parametrize("trust", [None, "central", 1.0, tacit.Central])
def test_what_is_no_trust_model_is_refused(trust):
    """With a sentence that names them."""
    with pytest.raises(ValueError, match=r"trust must be Central\(epsilon, delta\), Local"):
        relation_of(trust)


def test_somebody_holds_every_row_or_people_report_by_themselves():
    """Or neither: where a server adds the noise to what devices sent, or sums alone are seen."""
    replaced = tacit.Central(1.0, 1e-6, REPLACE)
    neither = tacit.Federated(4.0, replaced), tacit.Aggregated(1.0, 1e-6)
    curated, reported = (CENTRAL, tacit.NonPrivate()), (tacit.Local(1.0), tacit.Shuffled(1.0, 1e-6))
    everyone = (*neither, *curated, *reported)

    assert curated == tuple(each for each in everyone if isinstance(each, Curated))
    assert reported == tuple(each for each in everyone if isinstance(each, Reported))
