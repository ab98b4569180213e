"""No number of people is found from what is no number."""

import pytest

from refusals import refuse_no_numbers
from tacit.pac import agnostic_people, labelings, realisable_people

RIGHT = [
    (lambda **asked: realisable_people(8, **asked), {"epsilon": 1.0, "risk": 0.1, "failure": 0.1}),
    (
        lambda **asked: agnostic_people(8, **asked),
        {"epsilon": 1.0, "excess_risk": 0.1, "failure": 0.1},
    ),
    (labelings, {"points": 9, "dimension": 2}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
