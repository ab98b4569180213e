"""No mechanism takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit.mechanisms import AboveThreshold, Stream

RIGHT = [
    (Stream, {"threshold": 3.0, "sensitivity": 1.0, "step": 1.0}),
    (
        AboveThreshold.tight,
        {"epsilon": 1.0, "positives": 1, "stream": Stream(0.0, 1.0, 1.0), "rounds": 10},
    ),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
