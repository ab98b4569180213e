"""PrivUnitG spends exactly its budget, has exactly its error, and its one number its exact law."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest, chi2, kstest, norm, truncnorm

import audit
import quick_keys
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunitg import PrivUnitG, draw_normals
from tacit.noise import words

# E|Z - u|² of the optimum, from an independent search with SciPy's normal law.
REFERENCE = [
    (100, 1, 633.004),
    (100, 2, 161.668),
    (100, 4, 43.5321),
    (100, 8, 13.2913),
    (1000, 1, 6330.04),
    (1000, 6, 213.166),
    (1000, 10, 94.0911),
    (1000, 16, 48.0638),
    (500_000, 4, 217_660),
    (500_000, 10, 47_045.6),
]
sample = jax.jit(PrivUnitG.sample)
draw = jax.jit(draw_normals)


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


def basis(count, dim, at=0):
    """One basis vector, once a row."""
    return jnp.zeros((count, dim)).at[:, at].set(1)


@pytest.mark.parametrize("dim, epsilon, error", REFERENCE)
def test_the_optimum_is_the_references(dim, epsilon, error):
    """The error is not above a coarser search's, and agrees to four digits."""
    mechanism = PrivUnitG.optimal(dim, epsilon)

    assert error * (1 - 4e-4) < mechanism.error <= error * (1 + 1e-5)


@pytest.mark.parametrize("dim", [2, 30, 10**6])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0, 30.0, 500.0])
def test_the_loss_is_the_budget_and_never_more(dim, epsilon):
    """The exact likelihood ratio of the rounded parameters is at most e^epsilon, and near it."""
    mechanism = PrivUnitG.optimal(dim, epsilon)
    miss = words.integer(mechanism.miss) / words.SIZE
    odds = math.log((1 - miss) / miss)
    other = odds + norm.logcdf(mechanism.gamma) - norm.logsf(mechanism.gamma)

    assert mechanism.loss <= epsilon
    assert mechanism.loss == pytest.approx(epsilon, rel=1e-10, abs=1e-11)
    assert other == pytest.approx(epsilon, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dim, epsilon", [(100, 2.0), (10**6, 60.0)])
def test_no_other_threshold_does_better(dim, epsilon):
    """Thresholds a hundredth or a fifth away have a larger error at the same budget."""
    best = PrivUnitG.optimal(dim, epsilon)

    for factor in [0.8, 0.99, 1.01, 1.2]:
        assert best.error < PrivUnitG.with_threshold(dim, epsilon, best.gamma * factor).error


@pytest.mark.parametrize("dim, epsilon, ratio", [(100, 8.0, 1.0437), (1000, 4.0, 1.00165)])
def test_the_sphere_is_better_by_little(dim, epsilon, ratio):
    """PrivUnit2's error is smaller by the ratio that the module states."""
    quotient = PrivUnitG.optimal(dim, epsilon).error / PrivUnit2.optimal(dim, epsilon).error

    assert quotient == pytest.approx(ratio, abs=1e-4)


@pytest.mark.parametrize("gamma", [0.0, 0.3, 2.0, 12.0])
def test_the_number_has_the_law_of_a_cut_gaussian(gamma):
    """Kolmogorov-Smirnov accepts both sides of the threshold, and refuses another threshold."""
    above = np.asarray(draw(quick_keys.key(1), gamma, jnp.ones(40_000, bool)), float)
    below = np.asarray(draw(quick_keys.key(2), gamma, jnp.zeros(40_000, bool)), float)
    cut = float(np.float32(gamma))

    assert above.min() >= cut > below.max()
    assert kstest(above, truncnorm(cut, np.inf).cdf).pvalue > 1e-3
    assert kstest(below, truncnorm(-np.inf, cut).cdf).pvalue > 1e-3
    assert kstest(above, truncnorm(cut - 0.05, np.inf).cdf).pvalue < 1e-6


@pytest.mark.parametrize("dim, epsilon, count", [(3, 1.0, 60_000), (20, 2.0, 60_000)])
def test_reports_are_unbiased_with_the_stated_error(dim, epsilon, count):
    """Along the input, across it and in squared error the means are within 4.5 standard errors."""
    mechanism = PrivUnitG.optimal(dim, epsilon)
    units = basis(count, dim, at=1)
    reports = sample(mechanism, quick_keys.key(5), units)

    assert standard_errors(reports[:, 1], 1.0) < 4.5
    assert standard_errors(reports[:, 0], 0.0) < 4.5
    assert standard_errors(jnp.sum((reports - units) ** 2, axis=1), mechanism.error) < 4.5


def test_a_wrong_scale_is_biased():
    """The same test refuses reports of a scale a twentieth too large."""
    mechanism = PrivUnitG.optimal(20, 8.0)
    wrong = dataclasses.replace(mechanism, scale=1.05 * mechanism.scale)

    assert standard_errors(sample(wrong, quick_keys.key(5), basis(60_000, 20))[:, 0], 1.0) > 6


def test_the_threshold_is_passed_with_probability_p():
    """A binomial test accepts p, and rejects a p that is a hundredth off."""
    mechanism = PrivUnitG.optimal(20, 2.0)
    along = sample(mechanism, quick_keys.key(8), basis(100_000, 20))[:, 0] / mechanism.scale
    passed = int(jnp.sum(along >= mechanism.gamma * (1 - 1e-6)))

    assert binomtest(passed, 100_000, mechanism.p).pvalue > 1e-3
    assert binomtest(passed, 100_000, 1.01 * mechanism.p).pvalue < 1e-5


@pytest.mark.parametrize("dim, epsilon", [(2, 1.0), (20, 1.0), (1000, 300.0), (10**6, 8.0)])
def test_the_bound_is_rarely_passed(dim, epsilon):
    """Either part of a report passes its part of the bound with probability 2^-61, or near it."""
    mechanism = PrivUnitG.optimal(dim, epsilon)
    across = chi2.isf(2.0**-61, dim - 1)
    along = math.sqrt((mechanism.bound / mechanism.scale) ** 2 - across)
    sides = norm.logsf(mechanism.gamma), norm.logcdf(mechanism.gamma)
    above = mechanism.p * math.exp(norm.logsf(along) - sides[0])
    below = (1 - mechanism.p) * math.exp(norm.logsf(along) - sides[1])

    assert chi2.sf(across, dim - 1) == pytest.approx(2.0**-61, 1e-6)
    assert 2.0**-63 < above + below <= 2.0**-61 * (1 + 1e-6)
    assert mechanism.bias < 1e-8 * math.sqrt(mechanism.error + 1)


def test_long_reports_are_cut_to_the_bound():
    """With the bound at half of the typical norm every report has just that norm."""
    mechanism = PrivUnitG.optimal(50, 2.0)
    tight = dataclasses.replace(mechanism, bound=mechanism.scale * math.sqrt(50) / 2)
    norms = jnp.linalg.norm(sample(tight, quick_keys.key(0), basis(200, 50)), axis=1)

    assert norms.max() <= tight.bound * (1 + 1e-6)
    assert norms.min() >= tight.bound * (1 - 1e-6)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_the_blanket_is_the_least_density(epsilon):
    """It is the density below the threshold, at least what every private randomiser has."""
    mechanism = PrivUnitG.optimal(30, epsilon)

    assert mechanism.blanket == pytest.approx((1 - mechanism.p) / norm.cdf(mechanism.gamma))
    assert 2 / (math.exp(epsilon) + 1) <= mechanism.blanket < 1


def audited(mechanism, count=60_000):
    """The epsilon proved by "above the threshold of u" on u and -u."""
    units = basis(count, 4)
    hits = [
        int(
            jnp.sum(sample(mechanism, key, sign * units)[:, 0] >= mechanism.gamma * mechanism.scale)
        )
        for key, sign in zip(jax.random.split(quick_keys.key(11)), (1, -1), strict=True)
    ]
    return audit.epsilon_lower_bound((hits[0], count), (hits[1], count))


def test_the_audit_does_not_refute_the_claim():
    """Opposite inputs show almost the whole budget and not more."""
    mechanism = PrivUnitG.optimal(4, 2.0)

    assert 1.9 < audited(mechanism) <= mechanism.loss


def test_the_audit_refutes_a_threshold_that_is_too_high():
    """A threshold higher than the one the budget was computed for is caught."""
    mechanism = PrivUnitG.optimal(4, 2.0)

    assert audited(dataclasses.replace(mechanism, gamma=1.2 * mechanism.gamma)) > 2.0


@pytest.mark.parametrize("row", [[0.0] * 5, [math.nan, 1, 0, 0, 0], [0, math.inf, 0, 0, 0]])
def test_rows_without_a_direction_count_as_the_first_basis_vector(row):
    """Zero, NaN and infinite rows are reported as e1 is, bit for bit."""
    mechanism = PrivUnitG.optimal(5, 3.0)
    report = sample(mechanism, quick_keys.key(0), jnp.asarray([row], jnp.float32))

    assert sample(mechanism, quick_keys.key(0), basis(1, 5)).tolist() == report.tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program a shape serves every budget, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, units):
        traces.append(mechanism)
        return mechanism.sample(key, units)

    mechanism, key = PrivUnitG.optimal(50, 3.0), quick_keys.key(0)
    units = jax.random.normal(quick_keys.key(1), (6, 50))
    compiled = once(mechanism, key, units)
    once(PrivUnitG.optimal(50, 700.0), key, units)

    assert np.allclose(mechanism.sample(key, units), compiled, atol=1e-5)
    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: PrivUnitG.optimal(1, 1.0), "dim must be between 2 and"),
        (lambda: PrivUnitG.optimal(10, math.nan), "epsilon must be between 1e-6 and"),
        (lambda: PrivUnitG.optimal(10, 2001.0), "epsilon must be between 1e-6 and"),
        (lambda: PrivUnitG.with_threshold(10, 1.0, math.nan), "gamma must be between 0 and 64"),
        (lambda: PrivUnitG.with_threshold(10, 1.0, 15.0), "gamma must be lower for epsilon"),
        (
            lambda: PrivUnitG.optimal(10, 1.0).sample(quick_keys.key(0), jnp.ones((2, 9))),
            "rows must have 10 columns",
        ),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
