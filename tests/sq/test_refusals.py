"""Nothing that learns from statistical queries takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit import Central
from tacit.sq import (
    CategoryTables,
    GrownTree,
    Halfspace,
    KeptLiterals,
    LowDegree,
    MomentTables,
    MomentTablesInTurn,
    ParityAdversary,
    ParityInTurn,
    SmoothBoosting,
    parity_failure,
    parity_people,
    people_for,
    queries_needed,
)

RIGHT = [
    (CategoryTables, {"categories": (2, 3), "classes": 2}),
    (GrownTree, {"dim": 3, "depth": 2, "least": 0.01}),
    (Halfspace, {"dim": 3, "rounds": 9}),
    (KeptLiterals, {"dim": 3, "threshold": 0.1}),
    (LowDegree, {"dim": 3, "degree": 2}),
    (MomentTables.in_l1, {"features": 3, "classes": 2}),
    (MomentTables.in_l2, {"features": 3, "classes": 2}),
    (MomentTables.in_steps, {"features": 3, "classes": 2}),
    (MomentTablesInTurn, {"features": 3, "classes": 2}),
    (ParityAdversary, {"dim": 3, "tolerance": 0.1}),
    (ParityInTurn, {"dim": 3}),
    (SmoothBoosting, {"dim": 3, "rounds": 9, "slope": 0.1}),
    (parity_failure, {"dim": 3, "epsilon": 1.0, "people": 9}),
    (parity_people, {"dim": 3, "epsilon": 1.0, "failure": 0.1}),
    (people_for, {"trust": Central(1.0, 0.0), "queries": 9, "tolerance": 0.1, "failure": 0.1}),
    (queries_needed, {"dim": 3, "tolerance": 0.1}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
