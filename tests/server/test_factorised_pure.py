"""Laplace noise for a workload is on whole numbers, hides one person, and is what the plan says."""

import itertools
from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats

import quick_keys
import tacit
from tacit.noise.fixed import FixedPoint
from tacit.question.composed_workloads import Kronecker, Union
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix, Queries, Ranges
from tacit.server.factorised_pure import moved_in_l1, pure_strategy

CELLS, PEOPLE, DRAWS = 12, 1_000, 4_000
REPLACE = tacit.Relation.REPLACE_ONE
PURE = tacit.Central(1.0, 0.0)
WORKLOADS = {
    "prefix": Prefix(CELLS),
    "wide": Prefix(128),
    "product": Kronecker(Prefix(64), Ranges(4)),
    "union": Union(Ranges(CELLS), Kronecker(Prefix(4), Prefix(3))),
    "matrix": Queries(np.random.default_rng(0).normal(size=(5, CELLS))),
}


FEW = {
    "two halves": Queries(np.kron(np.eye(2), np.ones((1, 4)))),
    "one total": Queries(np.ones((1, 8))),
    "tens of a hundred": Queries(np.kron(np.eye(10), np.ones((1, 10)))),
    "every second prefix": Queries(np.tril(np.ones((8, 8)))[1::2]),
    "products of totals": Kronecker(Prefix(4), Queries(np.ones((1, 3)))),
    "totals of products": Kronecker(Queries(np.ones((1, 4))), Prefix(5)),
    "nearly nothing": Queries(np.array([[1e-9, 0, 0, 0], [1, 1, 1, 1]])),
    "a query of nothing": Queries(np.array([[0.0, 0, 0, 0], [1, 1, 1, 1]])),
}


@pytest.mark.parametrize("name", FEW)
def test_there_may_be_fewer_queries_than_cells(name):
    """What single cells say is not asked for: every answer is right, and what noise does to it is
    at most what adding up a histogram would."""
    workload, strategy = FEW[name], pure_strategy(FEW[name])
    matrix = strategy.matrix.astype(np.float64)
    moved = moved_in_l1(strategy.matrix, tacit.Relation.ADD_REMOVE)
    added = workload.variances(workload.basis()).sum()

    off = np.abs(strategy.decoder @ matrix - workload.basis())
    assert np.all(off <= 1e-9 * np.abs(workload.basis()).max(1, keepdims=True))
    assert 0 < strategy.variance * moved**2 <= 1.01 * added
    assert planned(workload).private


def planned(workload, trust=PURE, objective=None) -> Any:
    sums = tacit.Mean(tacit.OneHot(workload.cells), tacit.Everyone(), 1, PEOPLE)
    return trust.plan(tacit.question.Linear(sums, workload, objective or MeanError()))


@pytest.mark.parametrize("relation", tacit.Relation, ids=str)
@pytest.mark.parametrize("name", WORKLOADS)
def test_nobody_moves_the_sums_further_than_is_charged(name, relation):
    """Every person who comes, goes or changes cells, or was in none, in exact whole numbers."""
    matrix = pure_strategy(WORKLOADS[name]).matrix.astype(np.int64)
    apart = np.abs(matrix).sum(0).max()
    if relation is REPLACE:
        pairs = itertools.combinations(matrix.T, 2)
        apart = max(apart, max(np.abs(a - b).sum() for a, b in pairs))

    assert moved_in_l1(matrix.astype(np.int32), relation) == apart


def test_what_moves_is_the_longest_column_or_the_farthest_pair():
    """By hand, of columns of different lengths that have something in common."""
    matrix = np.array([[1, 1, 0], [2, 0, 0], [0, 3, 0]], np.int32)

    assert moved_in_l1(matrix, tacit.Relation.ADD_REMOVE) == 4
    assert moved_in_l1(matrix, REPLACE) == 5


@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, REPLACE], ids=str)
def test_the_noise_is_what_is_promised(relation):
    """Of all of epsilon, over how far one person moves the sums, in whole steps; without a delta
    but for the sampler's."""
    plan = planned(WORKLOADS["wide"], tacit.Central(1.0, 0.0, relation))
    (promise,) = plan.guarantees
    noise, matrix = plan.server.mechanism, pure_strategy(WORKLOADS["wide"]).matrix

    assert noise.sensitivity / noise.step == moved_in_l1(matrix, relation)
    assert noise.epsilon == pytest.approx(1.0, abs=1e-3) and noise.epsilon <= 1.0
    assert noise.noise.parameter * moved_in_l1(matrix, relation) <= 1.0
    assert promise.epsilon <= 1.0 and promise.delta < 1e-9
    assert promise.event.event.epsilon == noise.epsilon


@pytest.mark.parametrize("name", WORKLOADS)
def test_answers_are_those_asked_for(name):
    """DK = W, so that nothing is off but for the noise."""
    workload, strategy = WORKLOADS[name], pure_strategy(WORKLOADS[name])
    found = strategy.decoder @ strategy.matrix

    np.testing.assert_allclose(found, workload.basis(), atol=1e-8)


@pytest.mark.parametrize("name", ["prefix", "wide", "matrix"])
def test_errors_have_the_variance_that_the_plan_states(name):
    """Of all answers; two-thirds of the noise, and a quarter more of it, are rejected."""
    plan = planned(WORKLOADS[name])
    server, workload = plan.server, WORKLOADS[name]
    counts = np.arange(workload.cells) * 7
    total = FixedPoint.of(counts, 1.0)

    @jax.jit
    @jax.vmap
    def run(key):
        return server.step(None, key, total)[1] * server.divisor

    drawn = np.asarray(run(jax.random.split(quick_keys.key(2), DRAWS)), np.float64)
    exact = workload.answers(workload.basis() @ counts)
    squares = ((drawn - exact) ** 2).sum(1)
    off = squares.std() / np.sqrt(DRAWS) * stats.norm.isf(1e-9)

    def fits(factor: float) -> bool:
        return bool(abs(squares.mean() - factor * plan.error * PEOPLE**2) < off)

    assert fits(1.0) and not fits(4 / 9) and not fits(1.5)
    variances = server.mechanism.variance * workload.variances(np.asarray(server.decoder))
    assert server.facts.noise == pytest.approx(np.sqrt(variances.max()), rel=1e-9)
    beyond = (np.abs(drawn - exact) > server.reach(0.05)).mean(0)
    assert (beyond <= 0.05).all() and beyond.max() > 2e-4


def test_prefix_sums_cost_less_than_their_histogram():
    """Of 256: below a third of the squared error of counts that are added up; of 12, the same."""
    for cells, most in ((256, 0.28), (CELLS, 0.953)):
        histogram: Any = PURE.plan(tacit.Mean(tacit.OneHot(cells), tacit.Everyone(), 1, PEOPLE))
        added_up = histogram.error / cells * (cells * (cells + 1) / 2)
        assert planned(Prefix(cells)).error < most * added_up * 1.05


@pytest.mark.parametrize(("cells", "others"), [(16, 16), (64, 32)])
def test_a_product_has_the_product_of_its_errors(cells, others):
    """Of sums, lengths and so of all, at noise of variance two: but for what whole numbers take."""
    first, second = Prefix(cells), Prefix(others)
    both = Kronecker(first, second)
    own, other, product = (planned(each).server for each in (first, second, both))
    product, own, other = (each.facts.error for each in (product, own, other))

    assert product == pytest.approx(own * other / 2, rel=0.01)


def test_the_least_worst_error_is_refused():
    """In one sentence, which says what can be asked instead."""
    with pytest.raises(ValueError, match=r"for the mean error: ask MeanError\(\), or a promise"):
        planned(Prefix(CELLS), objective=MaxError())
