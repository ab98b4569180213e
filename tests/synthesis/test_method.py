"""Methods of making rows: what a class must have to be one."""

import pytest

import tacit
from tacit.queries import Domain
from tacit.synthesis import FromPairs, FromRounds, FromSmall
from tacit.synthesis.method import RowMethod

DOMAIN = Domain.of({"a": [0, 1], "b": ["x", "y"]})


@pytest.mark.parametrize("method", [FromPairs(), FromRounds(5), FromSmall(4)], ids=repr)
def test_each_method_says_what_it_asks_before_people_are_seen(method):
    """A plan that keeps the promise, of these people."""
    assert isinstance(method, RowMethod)
    plan = method.asked(DOMAIN, tacit.Central(1.0, 1e-6), 500).plan

    assert plan.guarantees[0].epsilon <= 1.0 and "500 people" in " ".join(str(plan).split())
