"""No query takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit import Central
from tacit.queries import FourierError, LinearCounts, Marginals, dyadic
from tacit.question import Prefix

CURATOR = Central(1.0, 1e-6)
ASKED = {"trust": CURATOR, "people": 1000, "confidence": 0.9}
DOMAIN = {"smokes": ("yes", "no"), "age": ("young", "old")}
RIGHT = [
    (dyadic, {"cells": 8}),
    (FourierError, {"coefficients": 9, "epsilon": 1.0}),
    (FourierError(9, 1.0).coefficient, {"beta": 0.1}),
    (FourierError(9, 1.0).table, {"columns": 2, "beta": 0.1}),
    (FourierError(9, 1.0).whole, {"columns": 2, "beta": 0.1}),
    (
        LinearCounts,
        {"workload": Prefix(8), "trust": CURATOR, "people": 1000, "confidence": 0.9},
    ),
    (
        Marginals.asked,
        {
            "domain": DOMAIN,
            "trust": CURATOR,
            "people": 1000,
            "confidence": 0.9,
            "sets": [("smokes",)],
        },
    ),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
