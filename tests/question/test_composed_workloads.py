"""Workloads made of others answer as their matrices do."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.question.composed_workloads import Kronecker, Union, WithNone
from tacit.question.workloads import Prefix, Queries, Ranges

MATRIX = np.random.default_rng(0).normal(size=(4, 3))
ROWS = np.concatenate([np.tri(3), MATRIX])
RANGES = np.array([[1, 0], [1, 1], [0, 1]])
WORKLOADS = {
    "product": (Kronecker(Prefix(3), Ranges(2)), np.kron(np.tri(3), RANGES)),
    "product of others": (Kronecker(Ranges(2), Queries(MATRIX)), np.kron(RANGES, MATRIX)),
    "union": (Union(Prefix(3), Queries(MATRIX)), ROWS),
    "nested": (
        Union(Kronecker(Union(Prefix(3), Queries(MATRIX)), Prefix(2)), Prefix(6)),
        np.concatenate([np.kron(ROWS, np.tri(2)), np.tri(6)]),
    ),
    "none": (WithNone(Queries(MATRIX)), np.pad(MATRIX, ((0, 0), (0, 1)))),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_is_its_matrix(name):
    """Answers, squares, weighed ones and variances are those of the rows, written out."""
    workload, matrix = WORKLOADS[name]
    rng, basis = np.random.default_rng(1), workload.basis()
    counts, weights = rng.integers(0, 50, workload.cells), rng.uniform(size=workload.queries)
    factor = np.tril(rng.normal(size=(workload.cells,) * 2))
    weighed = workload.weighed(weights).dense()

    assert matrix.shape == (workload.queries, workload.cells)
    assert basis.shape == (workload.basis_size, workload.cells)
    np.testing.assert_allclose(workload.answers(basis @ counts), matrix @ counts)
    np.testing.assert_allclose(workload.answers(jnp.asarray(basis @ counts)), matrix @ counts, 1e-5)
    np.testing.assert_allclose(workload.gram().dense(), matrix.T @ matrix, atol=1e-12)
    np.testing.assert_allclose(weighed, matrix.T * weights @ matrix, atol=1e-12)
    np.testing.assert_allclose(workload.variances(basis @ factor), ((matrix @ factor) ** 2).sum(1))
    np.testing.assert_allclose(workload.largest(), np.abs(matrix).max(1))


def test_a_query_is_named_by_those_that_it_is_made_of():
    """Of a product by both, of a union by its own workload's."""
    made = Union(Prefix(6), Kronecker(Prefix(3), Ranges(2)), Queries(np.ones((2, 6))))
    words = [made.worded(place) for place in range(made.queries)]

    assert ["cells 0 to 0", "cells 0 to 5"] == [words[0], words[5]]
    assert ["cells 0 to 0 x cells 0 to 0", "cells 0 to 1 x cells 0 to 1"] == [words[6], words[10]]
    assert ["cells 0 to 2 x cells 1 to 1", "row 0", "row 1"] == words[14:]
    assert "cells 0 to 1 x cells 0 to 0" == WithNone(made).worded(9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Kronecker(Prefix(3), 8), "made of workloads, as Prefix"),
        (lambda: Kronecker(Prefix, Prefix(3)), "made of workloads, as Prefix"),
        (lambda: Union(Prefix(3), 8), "made of workloads, as Prefix"),
        (lambda: Union(), "of one workload at least, got none"),
        (lambda: Union(Prefix(3), Prefix(4)), r"about the same cells, got \[3, 4\]"),
        (lambda: Kronecker(Prefix(99), Prefix(99)).basis(), "at most 4,096 cells.* has 9,801"),
        (lambda: Kronecker(Prefix(99), Prefix(99)).gram(), "at most 4,096 cells.* has 9,801"),
    ],
)
def test_what_is_no_workload_is_refused(make, message):
    """In one sentence: when it is made, or when too much would have to be written out."""
    with pytest.raises(ValueError, match=message):
        make()
