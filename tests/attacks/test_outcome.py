"""What an attack found, told beside what is foreseen and allowed."""

from tacit.attacks.breach import BreachRate
from tacit.attacks.outcome import Outcome


def test_an_outcome_is_told_in_one_line():
    """All three shares, and of what they are."""
    found = Outcome("all bits", BreachRate(3, 4), 0.76, 0.5)

    assert str(found) == (
        "75.0% [19.4%, 99.4%] of all bits, 76.0% expected; the promise allows 50.0%"
    )


def test_others_are_told_of_where_there_are_some():
    """And what is foreseen, where it is."""
    found = Outcome("members", BreachRate(3, 4), None, 0.5, 0.01)

    assert str(found) == (
        "75.0% [19.4%, 99.4%] of members, beside 1.0% of others; the promise allows 50.0%"
    )
