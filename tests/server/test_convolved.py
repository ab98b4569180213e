"""Noise for many prefix sums is on whole numbers, hides one person, and is what the plan says."""

from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats
from scipy.signal import fftconvolve

import quick_keys
import tacit
from tacit.noise.fixed import FixedPoint
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix
from tacit.server.convolved import ConvolvedMean, convolving
from tacit.server.factorised import strategy_for
from tacit.solve.scaled_convolution import BITS

CELLS, PEOPLE, DRAWS = 1_025, 10**6, 200
REPLACE = tacit.Relation.REPLACE_ONE


def planned(cells=CELLS, trust=None, objective=None, people=PEOPLE) -> Any:
    sums = tacit.Mean(tacit.OneHot(cells), tacit.Everyone(), 1, people)
    asked = tacit.question.Linear(sums, Prefix(cells), objective or MeanError())
    return (trust or tacit.Central(1.0, 1e-6)).plan(asked)


def matrix(server) -> np.ndarray:
    """K, written out."""
    apart = np.subtract.outer(np.arange(len(server.rows)), np.arange(len(server.rows)))
    falling = np.where(apart >= 0, server.falling.astype(np.int64)[np.maximum(apart, 0)], 0)
    return server.rows.astype(np.int64)[:, None] * falling * server.columns.astype(np.int64)


@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, REPLACE], ids=str)
@pytest.mark.parametrize("objective", [MeanError(), MaxError()], ids=repr)
def test_nobody_moves_the_sums_further_than_is_charged(relation, objective):
    """Every person who comes or goes, and who changes to or from some cells, in whole numbers."""
    plan = planned(trust=tacit.Central(1.0, 1e-6, relation), objective=objective)
    columns, chosen = matrix(plan.server).T, [0, 1, 2, 500, CELLS - 2, CELLS - 1]
    apart = int((columns**2).sum(1).max())
    if relation is REPLACE:
        others = [int(((columns - columns[each]) ** 2).sum(1).max()) for each in chosen]
        apart = max(apart, *others)
    moved = plan.server.mechanism.sensitivity * 2**BITS
    (promise,) = plan.guarantees
    noise = plan.server.mechanism

    assert apart <= moved**2 <= 1.01 * apart
    assert promise.event.event.noise_multiplier == pytest.approx(noise.sigma / noise.sensitivity)
    assert promise.epsilon <= 1.0 and promise.delta <= 1e-6


def test_the_noise_is_what_is_promised():
    """On each of the sums; two-thirds of it, and a quarter more variance, are rejected."""
    server = planned().server
    counts = np.arange(CELLS) % 91
    exact = (matrix(server) @ counts) / 2.0**BITS

    @jax.jit
    def run(key):
        return server.noisy(key, FixedPoint.of(counts, 1.0))

    off = np.stack([run(quick_keys.key(seed)).exact() - exact for seed in range(DRAWS)])
    chance = stats.chi2(off.size).cdf((off**2).sum() / server.mechanism.variance / [1, 4 / 9, 1.25])

    assert 1e-9 < chance[0] < 1 - 1e-9 and chance[1] > 1 - 1e-9 and chance[2] < 1e-9
    correlations = np.corrcoef(off[:, [0, 1, 2, 511, 512, CELLS - 1]].T) - np.eye(6)
    assert np.abs(correlations).max() < 6 / np.sqrt(DRAWS)


@pytest.mark.parametrize("placed", ["first", "last", "even", "ends"])
def test_answers_are_decoded_within_their_roundings(placed):
    """In floats of 32 bits as of 64, from the same noisy sums; these are of a hundred million."""
    cells, people = 16_384, 10**8
    counts = np.zeros(cells)
    where = {"first": [0], "last": [cells - 1], "even": np.arange(cells), "ends": [0, cells - 1]}
    counts[where[placed]] = people // len(where[placed])
    plan = planned(cells, people=people)
    server, key, total = plan.server, quick_keys.key(3), FixedPoint.of(counts, 1.0)
    sums = convolving(Prefix(cells), MeanError()).sums
    heard = server.noisy(key, total).exact() * 2.0**BITS / sums.rows
    parts = fftconvolve(sums.partial_inverse(), heard)[:cells]
    shares = 1 / sums.columns
    exact = parts * shares
    exact[1:] += np.cumsum(parts[:-1] * (shares[:-1] - shares[1:]))
    found = np.asarray(jax.jit(lambda key: server.step(None, key, total)[1])(key)) * 1.0 * people

    assert np.abs(exact - np.cumsum(counts)).max() < 6 * server.facts.noise
    assert np.abs(found - exact).max() < people * 2.0**-20


def test_the_plan_says_how_near_it_is_to_the_least():
    """Computed anew from K; it is above the dual bound, as the best that is written out is."""
    server = planned().server
    variances = ((np.tri(CELLS) @ np.linalg.inv(matrix(server) / 2.0**BITS)) ** 2).sum(1)
    lower = MeanError().best(Prefix(CELLS)).lower
    ratio = server.mechanism.sensitivity**2 * variances.sum() / lower

    assert server.facts.of_least == pytest.approx(ratio, rel=1e-6) and 1 <= ratio < 1.003
    assert server.facts.error == pytest.approx(server.mechanism.variance * variances.sum())
    assert server.facts.noise**2 == pytest.approx(server.mechanism.variance * variances.max())
    assert planned(trust=tacit.Central(1.0, 1e-6, REPLACE)).server.facts.of_least is None
    page = " ".join(str(planned()).split())
    assert f"at most {ratio:.4f} times the least square of such noise" in page


@pytest.mark.parametrize(("objective", "most"), [(MeanError(), 1.0035), (MaxError(), 1.025)])
def test_sixteen_thousand_sums_are_planned(objective, most):
    """At once; the ratio is that of the objective."""
    facts = planned(16_384, objective=objective).server.facts
    ratios = {facts.of_least, facts.worst_of_least} - {None}

    assert len(ratios) == 1 and 1 <= ratios.pop() < most


def test_up_to_1024_cells_the_best_strategy_is_written_out():
    """And no more."""
    assert not isinstance(planned(64).server, ConvolvedMean)
    assert isinstance(planned().server, ConvolvedMean)


@pytest.mark.parametrize("cells", [64, 512])
def test_a_convolution_is_nearly_as_good_as_the_best_strategy(cells):
    """Within a four-hundredth in variance."""
    least = strategy_for(Prefix(cells), MeanError())
    near = convolving(Prefix(cells), MeanError())

    assert 1 < near.of_least / least.of_least < 1.0025


@pytest.mark.parametrize("chance", [0.5, 0.05])
def test_the_reach_holds_and_is_not_much_longer(chance):
    """Noise of normal numbers: the tail at the reach, and rounding beside it."""
    server = planned().server
    deviations = np.sqrt(
        server.mechanism.variance * convolving(server.workload, server.objective).variances
    )
    beyond = 2 * stats.norm.sf(server.reach(chance) / deviations)

    assert np.all(beyond <= chance) and np.all(beyond > 0.99 * chance)


@pytest.mark.parametrize(
    ("trust", "cells", "message"),
    [
        (tacit.Central(1e-4, 1e-9), CELLS, r"epsilon 0.0001 takes .*: ask about up to 1,024 cells"),
        (tacit.Central(1.0, 0.0), 4_097, "written out for at most 4,096 cells"),
        (tacit.Local(1.0), 4_097, "written out for at most 4,096 cells"),
        (tacit.NonPrivate(), 4_097, "written out for at most 4,096 cells"),
    ],
    ids=str,
)
def test_what_no_convolution_answers_is_refused(trust, cells, message):
    """In one sentence, when it is planned."""
    with pytest.raises(ValueError, match=message):
        planned(cells, trust)
