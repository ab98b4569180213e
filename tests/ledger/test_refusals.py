"""No filter takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit.ledger.filters import Renyi

RIGHT = [
    (Renyi, {"orders": (2.0, 4.0), "aside": 0.1}),
    (lambda order: Renyi((2.0, order)), {"order": 4.0}),
    (Renyi.fitting, {"epsilon": 1.0, "delta": 1e-6}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
