"""ScalarRelDP is unbiased with its exact variance, and its relative error is the least."""

import dataclasses
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.piecewise import Hybrid
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import MOST_LEVELS, ScalarRelDP
from tacit.noise import words

sample = jax.jit(ScalarRelDP.sample)


def law(mechanism, value):
    """The reports and their exact chances, from the definition."""
    levels, points = mechanism.levels, np.float64(mechanism.table[: mechanism.levels + 1])
    lie = words.integer(mechanism.lie) / words.SIZE
    scaled = value / mechanism.maximum
    cell = min(int(np.flatnonzero(points <= scaled)[-1]), levels - 1)
    up = (scaled - points[cell]) / (points[cell + 1] - points[cell])
    chances = np.zeros(levels + 1)
    for point, weight in ((cell, 1 - up), (cell + 1, up)):
        given = np.full(levels + 1, lie / levels)
        given[point] = 1 - lie
        chances += weight * given
    return mechanism.maximum * (points - mechanism.shift) / mechanism.kept, chances


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


MADE = [
    ScalarRelDP.on_levels(1e-3, 1, 2.5, 2.5),
    ScalarRelDP.on_levels(0.5, 3, 0.4, 2.5),
    ScalarRelDP.on_levels(4.0, 7, 0.1, 2.5),
    ScalarRelDP.on_levels(12.0, 60, 0.01, 2.5),
]


@pytest.mark.parametrize("mechanism", MADE)
def test_mean_error_bound_and_blanket_are_those_of_the_law(mechanism):
    """Enumerating the k + 1 reports gives mean r and the stated variance, bound and blanket."""
    for value in np.linspace(0, 2.5, 12):
        reports, chances = law(mechanism, value)
        assert chances @ reports == pytest.approx(value, abs=1e-8 * mechanism.bound)
        assert mechanism.error(value) == pytest.approx(chances @ (reports - value) ** 2, 1e-6)
        assert np.abs(reports).max() == pytest.approx(mechanism.bound)
    points = 2.5 * np.float64(mechanism.table[: mechanism.levels + 1])
    rows = np.array([law(mechanism, point)[1] for point in points])
    assert mechanism.blanket == pytest.approx(rows.min(axis=0).sum())
    assert mechanism.blanket >= 2 / (math.exp(mechanism.epsilon) + 1) * (1 - 1e-12)


@pytest.mark.parametrize("mechanism", MADE)
@pytest.mark.parametrize("floor", [0.025, 0.5, 2.5])
def test_the_worst_values_are_found(mechanism, floor):
    """The closed forms are the maxima over a fine grid of values, never below them."""
    values = np.geomspace(1e-4, 2.5, 4001)
    errors = np.array([mechanism.error(value) for value in values])
    relative = (errors / np.maximum(values, floor) ** 2).max()

    assert errors.max() == pytest.approx(mechanism.worst_error, 1e-3)
    assert errors.max() <= mechanism.worst_error * (1 + 1e-12)
    assert relative == pytest.approx(mechanism.worst_relative(floor), 1e-3)
    assert relative <= mechanism.worst_relative(floor) * (1 + 1e-12)


def test_one_level_is_scalardp():
    """The same error everywhere."""
    one, other = ScalarRelDP.on_levels(1.0, 1, 2.0, 2.0), ScalarDP.on_grid(1.0, 1, 2.0)

    assert [one.error(r) for r in (0, 0.3, 2)] == pytest.approx(
        [other.error(r) for r in (0, 0.3, 2)]
    )


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("floor", [0.01, 0.1])
def test_the_best_levels_are_best(epsilon, floor):
    """No other levels on a grid have a lower worst relative error."""
    best = ScalarRelDP.best(epsilon, 1.0, floor)
    others = [
        ScalarRelDP.on_levels(epsilon, levels, first, 1.0).worst_relative(floor)
        for levels in (2, 3, 4, 6, 9, 14, 20)
        for first in np.geomspace(0.3 * floor, 0.9, 15)
    ]

    assert best.worst_relative(floor) <= min(others) * (1 + 1e-4)


@pytest.mark.parametrize("epsilon, times", [(4.0, 1.5), (8.0, 2.5)])
def test_it_is_relatively_better_than_the_hybrid(epsilon, times):
    """Where numbers matter down to a tenth of the maximum and the budget is large."""
    hybrid = Hybrid.best(epsilon, 1.0)

    assert (
        times * ScalarRelDP.best(epsilon, 1.0, 0.1).worst_relative(0.1) < hybrid.error(0.1) / 0.01
    )


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 30.0, 5000.0])
@pytest.mark.parametrize("levels", [2, MOST_LEVELS])
def test_the_likelihood_ratio_in_integers(epsilon, levels):
    """Truth against the rarest lie, counted in 64-bit words, is at most e^epsilon."""
    lies = words.integer(ScalarRelDP.on_levels(epsilon, levels, 0.01, 1.0).lie)
    ratio = Fraction((words.SIZE - lies) * words.SIZE, lies * (words.SIZE // levels))

    assert math.log1p(ratio - 1) <= epsilon


@pytest.mark.parametrize("value", [0.0, 0.05, 0.31, 2.5])
@pytest.mark.parametrize("mechanism", MADE[1:3])
def test_reports_are_unbiased_with_the_stated_variance(mechanism, value):
    """The mean and the mean squared error of many reports are within 4 standard errors."""
    reports = np.asarray(sample(mechanism, quick_keys.key(2), jnp.full(100_000, value)))

    assert standard_errors(reports, value) < 4
    assert standard_errors((reports - np.float32(value)) ** 2, mechanism.error(value)) < 4
    assert np.abs(reports).max() <= mechanism.bound * (1 + 1e-6)


def test_a_wrong_shift_is_biased():
    """The same test refuses reports without the lies' mean removed."""
    wrong = dataclasses.replace(MADE[2], shift=0.0)

    assert standard_errors(sample(wrong, quick_keys.key(2), jnp.full(100_000, 1.5)), 1.5) > 6


def audited(mechanism, count=200_000):
    """The epsilon proved by the report of the top level on inputs `maximum` and zero."""
    top = mechanism.maximum * (0.999 - mechanism.shift) / mechanism.kept
    one = sample(mechanism, quick_keys.key(3), jnp.full(count, mechanism.maximum)) >= top
    other = sample(mechanism, quick_keys.key(4), jnp.zeros(count)) >= top
    return audit.epsilon_lower_bound((int(one.sum()), count), (int(other.sum()), count))


def test_the_audit_tells_the_claim_from_too_few_lies():
    """Opposite ends show almost the whole budget; lying two thirds as often is caught."""
    mechanism = ScalarRelDP.on_levels(2.0, 4, 0.1, 1.5)
    fewer = words.word(words.integer(mechanism.lie) * 2 // 3)

    assert 1.8 < audited(mechanism) <= 2
    assert audited(dataclasses.replace(mechanism, lie=fewer)) > 2


@pytest.mark.parametrize(
    "value, treated_as",
    [(3.0, 2.5), (math.inf, 2.5), (-1.0, 0.0), (-math.inf, 0.0), (math.nan, 0.0)],
)
def test_values_outside_the_interval(value, treated_as):
    """The table of the docstring, bit for bit."""
    reports = [sample(MADE[2], quick_keys.key(5), jnp.full(50, v)) for v in (value, treated_as)]

    assert reports[1].tolist() == reports[0].tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program serves every budget and number of levels, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, values):
        traces.append(mechanism)
        return mechanism.sample(key, values)

    values = jnp.linspace(0, 2.5, 20)
    for mechanism in MADE:
        plain = mechanism.sample(quick_keys.key(0), values)
        drawn = once(mechanism, quick_keys.key(0), values)
        assert np.allclose(plain, drawn, rtol=1e-5, atol=1e-6)

    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: ScalarRelDP.best(math.nan, 1.0, 0.1), "epsilon must be at least 1e-6"),
        (lambda: ScalarRelDP.best(1.0, math.nan, 0.1), "maximum must be from"),
        (lambda: ScalarRelDP.best(1.0, 1.0, math.nan), "floor must be between"),
        (lambda: ScalarRelDP.best(1.0, 1.0, 2.0), "floor must be between"),
        (lambda: ScalarRelDP.on_levels(1.0, 0, 0.1, 1.0), "levels must be between 1 and"),
        (lambda: ScalarRelDP.on_levels(1.0, 2, 1.0, 1.0), "first must be positive and below"),
        (lambda: ScalarRelDP.on_levels(1.0, 9, 1 - 1e-7, 1.0), "levels must be distinct"),
        (lambda: MADE[0].worst_relative(0.0), "floor must be positive"),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
