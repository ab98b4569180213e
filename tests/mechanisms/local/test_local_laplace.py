"""Local Laplace noise: exact integers, cut without bias, never above its budget."""

import itertools
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.local_laplace import MOST_LEVELS, LocalLaplace, masses
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.noise import tables
from tacit.noise.weights import ONE, exponential

sample = jax.jit(LocalLaplace.sample)


def given(half, levels, point):
    """The exact chances of J = 0 .. M at this grid point, over 2^96."""
    chances = [0] * (levels + 1)
    for noise in range(-levels, levels + 1):
        chances[min(max(point + noise, 0), levels)] += half[abs(noise)]
    return chances


def law(mechanism, value):
    """The reports and their chances at a value."""
    levels, half = mechanism.levels, masses(mechanism.epsilon, mechanism.levels)
    position = levels * value / mechanism.maximum
    low = min(math.floor(position), levels - 1)
    both = [np.array(given(half, levels, low + i), float) / tables.UNITS for i in (0, 1)]
    reports = np.arange(levels + 1, dtype=float)
    reports[0], reports[-1] = -mechanism.beyond, levels + mechanism.beyond
    chances = (low + 1 - position) * both[0] + (position - low) * both[1]
    return mechanism.maximum / levels * reports, chances


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


GRIDS = [(1e-3, 1), (0.5, 3), (2.0, 1), (4.0, 8), (12.0, 60)]


@pytest.mark.parametrize("epsilon, levels", GRIDS)
def test_mean_error_bound_and_blanket_are_those_of_the_law(epsilon, levels):
    """Enumerating the M + 1 reports gives mean r and the stated variance, bound and blanket."""
    mechanism = LocalLaplace.on_grid(epsilon, levels, 2.5)

    for value in np.linspace(0, 2.5, 9):
        reports, chances = law(mechanism, value)
        assert chances @ reports == pytest.approx(value, abs=1e-9 * mechanism.bound)
        assert mechanism.error(value) == pytest.approx(chances @ (reports - value) ** 2, 1e-7)
        assert np.abs(reports).max() == pytest.approx(mechanism.bound)
    rows = np.array([law(mechanism, 2.5 * i / levels)[1] for i in range(levels + 1)])
    assert mechanism.blanket == pytest.approx(rows.min(axis=0).sum())
    assert mechanism.blanket >= 2 / (math.exp(epsilon) + 1) * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1.0, 8.0, 32.0])
@pytest.mark.parametrize("levels", [1, 2, 5, 64])
def test_the_likelihood_ratio_in_integers(epsilon, levels):
    """Over all pairs of grid points no report's ratio exceeds e^epsilon, in exact arithmetic."""
    half = masses(epsilon, levels)
    rows = list(zip(*(given(half, levels, i) for i in range(levels + 1)), strict=True))
    worst = max(Fraction(max(row), min(row)) for row in rows)
    inverse = exponential(Fraction(epsilon))

    assert half[0] + 2 * sum(half[1:]) == tables.UNITS
    assert worst * inverse.above <= ONE
    assert math.log1p(worst - 1) == pytest.approx(epsilon, 1e-9)


def test_the_likelihood_ratio_at_the_finest_grid():
    """The same by its two candidates, ends and the middle, where there are 4095 levels."""
    for epsilon in (1e-6, 1.0, 32.0):
        half = masses(epsilon, MOST_LEVELS)
        upper = Fraction(ONE, exponential(Fraction(epsilon)).above)
        assert all(a >= b for a, b in itertools.pairwise(half[:-1]))
        assert Fraction(sum(half), half[-1]) <= upper
        assert Fraction(half[0], half[-2]) <= upper


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_one_level_is_one_bit(epsilon):
    """The errors of ScalarDP with one level."""
    one, other = LocalLaplace.on_grid(epsilon, 1, 2.0), ScalarDP.on_grid(epsilon, 1, 2.0)

    assert one.error(0.7) == pytest.approx(other.error(0.7))
    assert one.worst_error == pytest.approx(other.worst_error)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_it_never_errs_more_than_unbounded_noise(epsilon):
    """On a fine grid the worst error is below the 2/epsilon² of Laplace noise."""
    mechanism = LocalLaplace.on_grid(epsilon, MOST_LEVELS, 1.0)

    assert mechanism.worst_error < 2 / epsilon**2
    assert LocalLaplace.best(epsilon, 1.0).worst_error <= mechanism.worst_error


@pytest.mark.parametrize("epsilon, levels", [*GRIDS, (2.0, 4), (9.0, 31)])
def test_the_worst_value_is_found(epsilon, levels):
    """The closed form is the maximum over a fine grid of values, never below it."""
    mechanism = LocalLaplace.on_grid(epsilon, levels, 2.0)
    curve = [mechanism.error(r) for r in np.linspace(0, 2, 8001)]

    assert max(curve) <= mechanism.worst_error * (1 + 1e-12)
    assert max(curve) == pytest.approx(mechanism.worst_error, 1e-5)


@pytest.mark.parametrize("value", [0.0, 0.31, 1.5])
@pytest.mark.parametrize("epsilon, levels", [(1.0, 2), (3.0, 50)])
def test_reports_are_unbiased_with_the_stated_variance(epsilon, levels, value):
    """The mean and the mean squared error of many reports are within 4 standard errors."""
    mechanism = LocalLaplace.on_grid(epsilon, levels, 1.5)
    reports = np.asarray(sample(mechanism, quick_keys.key(2), jnp.full(100_000, value)))

    assert standard_errors(reports, value) < 4
    assert standard_errors((reports - np.float32(value)) ** 2, mechanism.error(value)) < 4
    assert np.abs(reports).max() <= mechanism.bound * (1 + 1e-6)


def test_clipping_without_going_beyond_is_biased():
    """The same test refuses reports cut to the interval."""
    mechanism = LocalLaplace.on_grid(3.0, 50, 1.5)
    reports = sample(mechanism, quick_keys.key(2), jnp.full(100_000, 1.5))

    assert standard_errors(jnp.clip(reports, 0, 1.5), 1.5) > 6


def audited(mechanism, epsilon, count=200_000):
    """The epsilon proved by the highest report on inputs `maximum` and zero."""
    top = 0.999 * mechanism.bound
    one = sample(mechanism, quick_keys.key(3), jnp.full(count, mechanism.maximum)) >= top
    other = sample(mechanism, quick_keys.key(4), jnp.zeros(count)) >= top
    return audit.epsilon_lower_bound((int(one.sum()), count), (int(other.sum()), count)) - epsilon


def test_the_audit_tells_the_claim_from_two_thirds_of_the_noise():
    """Opposite ends show almost the whole budget; a scale of two thirds is caught."""
    assert -0.2 < audited(LocalLaplace.on_grid(2.0, 20, 1.5), 2.0) <= 0
    assert audited(LocalLaplace.on_grid(3.0, 20, 1.5), 2.0) > 0


@pytest.mark.parametrize(
    "value, treated_as",
    [(2.0, 1.5), (math.inf, 1.5), (-1.0, 0.0), (-math.inf, 0.0), (math.nan, 0.0)],
)
def test_values_outside_the_interval(value, treated_as):
    """The table of the docstring, bit for bit."""
    mechanism = LocalLaplace.on_grid(2.0, 20, 1.5)
    reports = [sample(mechanism, quick_keys.key(5), jnp.full(50, v)) for v in (value, treated_as)]

    assert reports[1].tolist() == reports[0].tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program serves every budget and grid, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, values):
        traces.append(mechanism)
        return mechanism.sample(key, values)

    values = jnp.linspace(0, 1, 20)
    for epsilon in [0.5, 5.0, 32.0]:
        mechanism = LocalLaplace.best(epsilon, 1.0)
        plain = mechanism.sample(quick_keys.key(0), values)
        assert np.allclose(plain, once(mechanism, quick_keys.key(0), values), rtol=1e-5, atol=1e-6)

    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: LocalLaplace.best(math.nan, 1.0), "epsilon must be between 1e-6"),
        (lambda: LocalLaplace.best(33.0, 1.0), "epsilon must be between 1e-6"),
        (lambda: LocalLaplace.best(1.0, math.nan), "maximum must be from"),
        (lambda: LocalLaplace.on_grid(1.0, 0, 1.0), "levels must be between 1 and"),
        (lambda: LocalLaplace.on_grid(1.0, 4096, 1.0), "levels must be between 1 and"),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
