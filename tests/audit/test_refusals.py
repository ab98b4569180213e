"""No audit takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit.audit import EpsilonDelta, by_runs, canaries_apart, neighbours
from tacit.audit.one_run import p_value

RUNS = {"function": lambda data, seed: data + seed % 2, "data": (0, 1), "seed": 1}
RIGHT = [
    (by_runs, {**RUNS, "promise": EpsilonDelta(1.0, 0.0), "runs": 8, "confidence": 0.9}),
    (canaries_apart, {"many": 3, "people": 9, "beyond": 1.0}),
    (EpsilonDelta, {"epsilon": 1.0, "delta": 1e-6}),
    (neighbours, {"people": 9, "beyond": 1.0}),
    (p_value, {"canaries": 9, "guesses": 4, "right": 3, "epsilon": 1.0, "delta": 1e-6}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
