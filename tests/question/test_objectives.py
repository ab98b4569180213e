"""What is least is a norm of the workload: of products, the product."""

import numpy as np
import pytest

from tacit.question.composed_workloads import Kronecker, Union
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix, Queries, Ranges

OBJECTIVES = [MeanError(), MaxError()]


def written_out(workload) -> Queries:
    """The same queries as a matrix, of which nothing is known."""
    return Queries(workload.answers(workload.basis()))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_products_of_workloads_multiply(objective):
    """Solved as a matrix, the product's bounds meet those by its factors; strategies multiply."""
    both = Kronecker(Prefix(6), Ranges(5))
    found, dense = objective.best(both), objective.best(written_out(both))
    square = found.strategy()
    factor = both.basis() @ np.linalg.inv(square)
    reached = objective.of(both.variances(factor)) * (square**2).sum(0).max()

    assert found.lower <= dense.upper and dense.lower <= found.upper <= 1.003 * found.lower
    assert reached <= found.upper * (1 + 1e-6)
    assert np.array_equal(square, np.tril(square))


def test_products_of_many_cells_are_solved_by_their_factors():
    """A million cells; gamma_2 is the factor's, squared."""
    one, both = (
        MaxError().best(each) for each in (Prefix(1024), Kronecker(Prefix(1024), Prefix(1024)))
    )

    assert both.lower == pytest.approx(one.lower**2) and both.upper == pytest.approx(one.upper**2)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_unions_are_solved_as_their_matrix(objective):
    """Their squares add up."""
    both = Union(Prefix(9), Ranges(9))
    found, dense = objective.best(both), objective.best(written_out(both))

    assert found.lower == pytest.approx(dense.lower, rel=2e-3)
    assert found.lower <= dense.upper and dense.lower <= found.upper


@pytest.mark.parametrize("cells", [64, 256])
def test_what_leaves_something_open_has_no_bound_above_the_least(cells):
    """The number of all people, of so many cells: variance one, and a bound below it."""
    for objective in OBJECTIVES:
        found = objective.best(Queries(np.ones((1, cells))))
        assert 0.999 < found.lower <= 1 <= found.upper < 1.005
