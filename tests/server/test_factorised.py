"""Noise for a workload is on whole numbers, hides one person, and is what the plan says."""

import itertools
from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats

import quick_keys
import tacit
from tacit.accounting.reserve import reserve_for
from tacit.noise.fixed import FixedPoint
from tacit.noise.products import BITS
from tacit.question.composed_workloads import Kronecker, Union
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix, Queries, Ranges
from tacit.server.factorised import strategy_for

CELLS, PEOPLE, DRAWS = 12, 1_000, 4_000
REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL = tacit.Central(1.0, 1e-6)
WORKLOADS = {
    "prefix": Prefix(CELLS),
    "ranges": Ranges(CELLS),
    "product": Kronecker(Prefix(3), Ranges(4)),
    "union": Union(Ranges(CELLS), Kronecker(Prefix(4), Prefix(3))),
    "matrix": Queries(np.random.default_rng(0).normal(size=(5, CELLS))),
}


def planned(workload, trust=CENTRAL, people=PEOPLE, objective=None) -> Any:
    sums = tacit.Mean(tacit.OneHot(workload.cells), tacit.Everyone(), 1, people)
    return trust.plan(tacit.question.Linear(sums, workload, objective or MeanError()))


@pytest.mark.parametrize("relation", tacit.Relation, ids=str)
@pytest.mark.parametrize("name", WORKLOADS)
def test_nobody_moves_the_sums_further_than_is_charged(name, relation):
    """Every person who comes, goes or changes cells, or was in none, in exact whole numbers."""
    strategy = strategy_for(WORKLOADS[name], MeanError())
    columns = [tuple(map(int, column)) for column in strategy.matrix.T]
    pairs = [*itertools.product(columns, [(0,) * CELLS])]
    if relation is REPLACE:
        pairs = [*pairs, *itertools.combinations(columns, 2)]
    apart = max(sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) for pair in pairs)
    moved = strategy.moved(relation) * 2**BITS

    assert apart <= moved**2 <= apart * (1 + 1e-12)


@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, REPLACE], ids=str)
def test_the_noise_is_what_is_promised(relation):
    """The multiplier is the noise over how far one person moves the sums."""
    plan = planned(WORKLOADS["ranges"], tacit.Central(1.0, 1e-6, relation))
    (promise,) = plan.guarantees
    noise, moved = (
        plan.server.mechanism,
        strategy_for(WORKLOADS["ranges"], MeanError()).moved(relation),
    )

    assert promise.event.event.noise_multiplier == pytest.approx(noise.sigma / moved, rel=1e-12)
    assert noise.sensitivity == moved and promise.epsilon <= 1.0 and promise.delta <= 1e-6


@pytest.mark.parametrize("name", WORKLOADS)
def test_errors_have_the_variance_that_the_plan_states(name):
    """Of all answers and of each; two-thirds of the noise, and one more bit of it, are rejected."""
    plan = planned(WORKLOADS[name])
    server, workload = plan.server, WORKLOADS[name]
    counts = np.arange(CELLS) * 7
    total = FixedPoint.of(counts, 1.0)

    @jax.jit
    @jax.vmap
    def run(key):
        return server.step(None, key, total)[1] * server.divisor

    drawn = np.asarray(run(jax.random.split(quick_keys.key(2), DRAWS)), np.float64)
    exact = workload.answers(workload.basis() @ counts)
    variances = server.mechanism.variance * workload.variances(np.asarray(server.decoder))
    own = ((drawn - exact) ** 2).sum(0) / variances

    def fits(factor: float) -> bool:
        chance = stats.chi2(DRAWS).cdf(own / factor)
        return bool(np.all(np.abs(chance - 0.5) < 0.5 - 1e-9 / len(own)))

    assert fits(1.0) and not fits(4 / 9) and not fits(1.25)
    assert plan.error * PEOPLE**2 == pytest.approx(variances.sum(), rel=1e-9)
    assert server.facts.noise == pytest.approx(np.sqrt(variances.max()), rel=1e-9)


@pytest.mark.parametrize("chance", [0.5, 0.05, 0.001])
def test_the_reach_holds_and_is_not_much_longer(chance):
    """Noise of normal numbers: the tail at the reach, and rounding beside it."""
    server = planned(WORKLOADS["prefix"]).server
    deviations = np.sqrt(
        server.mechanism.variance * server.workload.variances(np.asarray(server.decoder))
    )
    beyond = 2 * stats.norm.sf(server.reach(chance) / deviations)

    assert np.all(beyond <= chance) and np.all(beyond > 0.99 * chance)
    assert np.isinf(server.reach(1e-30)).all()


def test_the_plan_says_how_near_it_is_to_the_least():
    """Nearly one where somebody comes or goes; not known where one is replaced."""
    assert 1 <= planned(Prefix(64)).server.facts.of_least < 1.001
    assert planned(Prefix(64), tacit.Central(1.0, 1e-6, REPLACE)).server.facts.of_least is None
    assert "1.0002 times the least square of such noise" in " ".join(
        str(planned(Prefix(64))).split()
    )


def test_the_worst_error_is_least_where_it_is_asked():
    """Within a hundredth of its bound, said so, and below that of the plan for the mean."""
    mean, most = planned(Prefix(64)), planned(Prefix(64), objective=MaxError())

    assert 1 <= most.server.facts.worst_of_least < 1.01 and most.server.facts.of_least is None
    assert most.server.facts.noise < 0.98 * mean.server.facts.noise and most.error > mean.error
    page = " ".join(str(most).split())
    assert "the worst at most 1.00" in page and "times the least such square" in page


@pytest.mark.parametrize("objective", [MeanError(), MaxError()], ids=repr)
def test_products_are_near_the_least(objective):
    """Of 96 pairs of cells, by their factors: what whole numbers cost is little."""
    facts = planned(Kronecker(Prefix(12), Prefix(8)), objective=objective).server.facts
    (ratio,) = {facts.of_least, facts.worst_of_least} - {None}

    assert 1 <= ratio < 1.003


def test_products_too_large_to_write_out_are_refused():
    """In one sentence, which says what else can be asked."""
    with pytest.raises(ValueError, match=r"at most 4,096 cells, and this one has 9,801: ask about"):
        planned(Kronecker(Prefix(99), Prefix(99)))


def test_the_sampler_of_every_round_is_paid_for():
    """Out of delta, for each sum that has noise."""
    sums = tacit.Mean(tacit.OneHot(CELLS), tacit.Everyone(), 1_000, PEOPLE)
    plan: Any = CENTRAL.plan(tacit.question.Linear(sums, WORKLOADS["prefix"]))
    distance = 1_000 * plan.server.mechanism.tv_distance(CELLS)

    assert plan.guarantees[0].delta_reserved >= reserve_for(1.0, distance) * (1 - 1e-9) > 0


@pytest.mark.parametrize(("cells", "times"), [(64, 7), (256, 20)])
def test_a_workload_costs_less_than_its_histogram(cells, times):
    """Of 256 prefix sums: a twentieth of the squared error of counts that are added up."""
    plan = planned(Prefix(cells))
    histogram: Any = CENTRAL.plan(tacit.Mean(tacit.OneHot(cells), tacit.Everyone(), 1, PEOPLE))
    added_up = histogram.error / cells * (cells * (cells + 1) / 2)

    assert plan.error < added_up / times
