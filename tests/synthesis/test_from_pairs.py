"""The release of all pairs: what is asked, for which noise."""

import pytest

import tacit
from tacit.queries import Domain, ForGaussian, ForLaplace
from tacit.synthesis import FromPairs

DOMAIN = Domain.of({"a": [0, 1], "b": list(range(9)), "c": list(range(40))})


@pytest.mark.parametrize(
    ("trust", "rule"),
    [(tacit.Central(1.0, 1e-6), ForGaussian()), (tacit.Central(1.0, 0.0), ForLaplace())],
)
def test_weights_are_those_of_the_promises_noise(trust, rule):
    """Gaussian with a delta, Laplace without; of all pairs."""
    asked = FromPairs().asked(DOMAIN, trust, 1_000)

    assert asked.tables.weighting == rule and len(asked.tables.sets) == 3
    assert asked.plan is asked.marginals.plan


def test_large_tables_are_less_important():
    """Of pairs that are asked together: a cell of theirs, and all of them, count less."""
    tables = FromPairs().asked(DOMAIN, tacit.Central(1.0, 1e-6), 1_000).tables
    importance = dict(zip(tables.sets, tables.importance, strict=True))

    assert importance[(0, 1)] > importance[(0, 2)] > importance[(1, 2)]
