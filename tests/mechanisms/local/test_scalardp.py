"""ScalarDP is unbiased with its exact variance, and lies exactly as often as its budget asks."""

import dataclasses
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.scalardp import MOST_LEVELS, ScalarDP
from tacit.noise import words

sample = jax.jit(ScalarDP.sample)


def atoms(mechanism, value):
    """The exact law of the report: values and probabilities, by enumeration."""
    k, q = mechanism.levels, mechanism.lie_probability
    position = k * value / mechanism.maximum
    low = min(math.floor(position), k - 1)
    rounded = np.zeros(k + 1)
    rounded[low], rounded[low + 1] = low + 1 - position, position - low
    named = q / k + (1 - q - q / k) * rounded
    return mechanism.step * (np.arange(k + 1) - q * (k + 1) / 2), named


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize(
    "epsilon, levels, error",
    [
        (1, 2, 1.2355),
        (2, 2, 0.24998),
        (3, 3, 0.09698),
        (5, 6, 0.021436),
        (8, 15, 0.0028025),
        (10, 29, 0.00073704),
        (1, 1, 1.1707),
        (8, 16, 0.0027806),
        (10, 32, 0.00072940),
    ],
)
def test_worst_errors_of_the_reference(epsilon, levels, error):
    """The worst variance on [0, 1] agrees with an independent table."""
    assert ScalarDP.on_grid(epsilon, levels, 1.0).worst_error == pytest.approx(error, 5e-5)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.25, 2.5])
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 8.0])
def test_the_best_levels_at_a_value_are_the_best_of_all(epsilon, value):
    """Of up to a hundred, by the error at that value alone."""
    best = ScalarDP.best_at(epsilon, 2.5, value)
    errors = [ScalarDP.on_grid(epsilon, k, 2.5).error(value) for k in range(1, 100)]

    assert best.error(value) == pytest.approx(min(errors), 1e-9)
    assert best.worst_error >= ScalarDP.best(epsilon, 2.5).worst_error * (1 - 1e-12)


@pytest.mark.parametrize("epsilon, levels", [(1e-3, 1), (0.5, 3), (2.0, 1), (4.0, 7), (12.0, 60)])
def test_error_and_bound_are_those_of_the_atoms(epsilon, levels):
    """Enumerating the k + 1 reports gives mean r, the stated variance and the stated bound."""
    mechanism = ScalarDP.on_grid(epsilon, levels, 2.5)

    for value in np.linspace(0, 2.5, 12):
        reports, chances = atoms(mechanism, value)
        assert chances @ reports == pytest.approx(value, abs=1e-8 * mechanism.bound)
        variance = chances @ (reports - value) ** 2
        assert mechanism.error(value) == pytest.approx(variance, 1e-7)
        assert np.abs(reports).max() == pytest.approx(mechanism.bound)


@pytest.mark.parametrize("epsilon, levels", [(0.5, 3), (2.0, 1), (4.0, 4), (9.0, 25)])
@pytest.mark.parametrize("squares", [0.0, 0.3, 1.0, 20.0])
def test_the_worst_value_is_found(epsilon, levels, squares):
    """The closed form is the maximum over a fine grid of values, never below it."""
    mechanism = ScalarDP.on_grid(epsilon, levels, 2.0)
    curve = [mechanism.error(r) + squares * r * r for r in np.linspace(0, 2, 8001)]

    assert max(curve) <= mechanism.worst(squares) * (1 + 1e-12)
    assert max(curve) == pytest.approx(mechanism.worst(squares), 1e-5)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0])
@pytest.mark.parametrize("squares", [0.0, 1.0])
def test_the_best_number_of_levels_is_best(epsilon, squares):
    """No number of levels up to 200 has a lower worst error."""
    best = ScalarDP.best(epsilon, 1.0, squares)
    others = [ScalarDP.on_grid(epsilon, k, 1.0).worst(squares) for k in range(1, 201)]

    assert best.worst(squares) == min(others)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 10.0, 30.0, 60.0, 700.0, 5000.0])
@pytest.mark.parametrize("levels", [1, 2, 1000, MOST_LEVELS])
def test_the_likelihood_ratio_in_integers(epsilon, levels):
    """Truth against the rarest lie, counted in 64-bit words, is at most e^epsilon."""
    lies = words.integer(ScalarDP.on_grid(epsilon, levels, 1.0).lie)
    rarest = Fraction(lies, words.SIZE) * Fraction(words.SIZE // levels, words.SIZE)
    ratio = (1 - Fraction(lies, words.SIZE)) / rarest

    assert math.log1p(ratio - 1) <= epsilon
    assert lies == 1 or math.log1p(ratio - 1) == pytest.approx(epsilon, 1e-6)


@pytest.mark.parametrize("epsilon, levels", [(1e-3, 1), (0.5, 3), (4.0, 7), (12.0, 60)])
def test_the_blanket_is_what_all_inputs_share(epsilon, levels):
    """The least chances of each report add up to it; with one level to 2/(e^epsilon + 1)."""
    mechanism = ScalarDP.on_grid(epsilon, levels, 1.0)
    rows = np.array([atoms(mechanism, x / levels)[1] for x in range(levels + 1)])

    assert rows.min(axis=0).sum() == pytest.approx(mechanism.blanket)
    assert mechanism.blanket >= 2 / (math.exp(epsilon) + 1)
    assert levels > 1 or mechanism.blanket == pytest.approx(2 / (math.exp(epsilon) + 1), 1e-9)


@pytest.mark.parametrize("value", [0.0, 0.31, 1.0, 1.5])
@pytest.mark.parametrize("epsilon, levels", [(1.0, 1), (3.0, 4)])
def test_reports_are_unbiased_with_the_stated_variance(epsilon, levels, value):
    """The mean and the mean squared error of many reports are within 4 standard errors."""
    mechanism = ScalarDP.on_grid(epsilon, levels, 1.5)
    reports = np.asarray(sample(mechanism, quick_keys.key(2), jnp.full(100_000, value)))

    assert standard_errors(reports, value) < 4
    assert standard_errors((reports - np.float32(value)) ** 2, mechanism.error(value)) < 4
    assert np.abs(reports).max() <= mechanism.bound * (1 + 1e-6)


def test_a_wrong_step_is_biased():
    """The same test refuses reports stretched by five per cent."""
    mechanism = ScalarDP.on_grid(3.0, 4, 1.5)
    wrong = dataclasses.replace(mechanism, step=1.05 * mechanism.step)

    assert standard_errors(sample(wrong, quick_keys.key(2), jnp.full(100_000, 1.5)), 1.5) > 6


def audited(mechanism, count=200_000):
    """The epsilon proved by the report of the top level on inputs `maximum` and zero."""
    top = 0.999 * mechanism.bound
    one = sample(mechanism, quick_keys.key(3), jnp.full(count, mechanism.maximum)) >= top
    other = sample(mechanism, quick_keys.key(4), jnp.zeros(count)) >= top
    return audit.epsilon_lower_bound((int(one.sum()), count), (int(other.sum()), count))


@pytest.mark.parametrize("epsilon, levels", [(1.0, 1), (3.0, 4)])
def test_the_audit_does_not_refute_the_claim(epsilon, levels):
    """Opposite ends show almost the whole budget and not more."""
    assert epsilon - 0.2 < audited(ScalarDP.on_grid(epsilon, levels, 1.5)) <= epsilon


@pytest.mark.parametrize("epsilon, levels", [(1.0, 1), (3.0, 4)])
def test_the_audit_refutes_too_few_lies(epsilon, levels):
    """Lying only two thirds as often as claimed is caught."""
    mechanism = ScalarDP.on_grid(epsilon, levels, 1.5)
    fewer = words.word(words.integer(mechanism.lie) * 2 // 3)
    reports = dataclasses.replace(mechanism, lie=fewer)

    assert audited(reports) > epsilon


@pytest.mark.parametrize(
    "value, treated_as",
    [(2.0, 1.5), (math.inf, 1.5), (-1.0, 0.0), (-math.inf, 0.0), (math.nan, 0.0)],
)
def test_values_outside_the_interval(value, treated_as):
    """The table of the docstring, bit for bit."""
    mechanism = ScalarDP.on_grid(2.0, 4, 1.5)
    reports = [sample(mechanism, quick_keys.key(5), jnp.full(50, v)) for v in (value, treated_as)]

    assert reports[1].tolist() == reports[0].tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program serves every budget and number of levels, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, values):
        traces.append(mechanism)
        return mechanism.sample(key, values)

    values = jnp.linspace(0, 1, 20)
    for epsilon in [0.5, 5.0, 60.0]:
        mechanism = ScalarDP.best(epsilon, 1.0)
        plain = mechanism.sample(quick_keys.key(0), values)
        assert np.allclose(plain, once(mechanism, quick_keys.key(0), values), rtol=1e-5)

    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: ScalarDP.best(math.nan, 1.0), "epsilon must be at least 1e-6"),
        (lambda: ScalarDP.best(0.0, 1.0), "epsilon must be at least 1e-6"),
        (lambda: ScalarDP.best(1.0, math.nan), "maximum must be from"),
        (lambda: ScalarDP.on_grid(1.0, 0, 1.0), "levels must be between 1 and"),
        (lambda: ScalarDP.on_grid(1.0, 2**16, 1.0), "levels must be between 1 and"),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.int32])
def test_values_of_other_types_stay_on_the_grid(dtype):
    """Half precision rounds positions: they are computed in float32, whatever comes in."""
    mechanism = ScalarDP.on_grid(8.0, 2051, 1.0)
    reports = mechanism.sample(quick_keys.key(0), jnp.ones(2000, dtype))

    assert np.abs(np.asarray(reports)).max() <= mechanism.bound * (1 + 1e-6)
