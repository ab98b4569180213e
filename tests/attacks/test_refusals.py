"""No attack takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit.attacks import (
    Inversion,
    NamedRows,
    SearchedPictures,
    SecretBits,
    SubsetSums,
    TableRows,
    Tracing,
)
from tacit.attacks.breach import BreachRate, breach_rate

RIGHT = [
    (BreachRate, {"breaches": 1, "people": 9, "confidence": 0.9}),
    (breach_rate, {"found": [0.1, 0.9], "tolerance": 0.5, "confidence": 0.9}),
    (Inversion, {"shape": (2, 2), "steps": 9, "rate": 0.1, "smoothness": 0.1, "abreast": 2}),
    (NamedRows, {"known": 9}),
    (SearchedPictures, {"people": 9, "steps": 9}),
    (SecretBits, {"people": 8}),
    (SubsetSums, {"people": 9, "subsets": 9, "seed": 1}),
    (TableRows, {"people": 9, "ways": 2}),
    (Tracing, {"members": 9, "attributes": 9, "false_alarms": 0.1}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
