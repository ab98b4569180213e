"""PrivUnit2 spends exactly its budget, has exactly its error, and its sampler obeys both."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, betaln
from scipy.stats import binomtest, kstest

import audit
import quick_keys
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.noise import words

# Optimal p, gamma and E|Z - u|², from an independent search with SciPy's inverse beta function.
REFERENCE = [
    (100, 1, 0.590116, 0.039830, 629.348),
    (100, 2, 0.671837, 0.078722, 160.364),
    (100, 4, 0.793571, 0.151068, 42.8181),
    (100, 8, 0.904739, 0.269852, 12.7325),
    (1000, 1, 0.589404, 0.012572, 6326.38),
    (1000, 4, 0.791207, 0.047913, 434.603),
    (1000, 6, 0.861629, 0.068429, 212.560),
    (1000, 10, 0.925067, 0.102844, 93.5451),
    (1000, 16, 0.958040, 0.143530, 47.5416),
    (10_000, 4, 0.790972, 0.015156, 4352.49),
    (500_000, 1, 0.589326, 0.000562, 3.16502e6),
    (500_000, 10, 0.924667, 0.004610, 47_045),
    (10**6, 50, 0.988599, 0.0092071, 11_795.6),
    (10**6, 100, 0.994609, 0.0135090, 5478.67),
    (10**6, 500, 0.998981, 0.0312574, 1022.52),
]
BUDGETS = [1e-6, 1e-3, 0.1, 1.0, 8.0, 30.0]
sample = jax.jit(PrivUnit2.sample)


def directions(count, dim, seed=1):
    """Unit vectors, one a row."""
    raw = jax.random.normal(quick_keys.key(seed), (count, dim))
    return raw / jnp.linalg.norm(raw, axis=1, keepdims=True)


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize("epsilon, error", [(1, 7350.9), (2, 2705.8), (4, 1688.37)])
def test_the_hemisphere_is_the_one_bit_mechanism(epsilon, error):
    """Its scale is coth(epsilon/2) over the mean of |<v, u>|, and its error the reference's."""
    mechanism = PrivUnit2.hemisphere(1000, epsilon)
    mean = 2 * math.exp(-betaln(0.5, 999 / 2)) / 999

    assert mechanism.scale == pytest.approx(1 / (math.tanh(epsilon / 2) * mean), 1e-9)
    assert mechanism.error == pytest.approx(error, 1e-5)
    assert mechanism.p == pytest.approx(1 / (1 + math.exp(-epsilon)), 1e-12)


def test_the_hemisphere_is_all_that_a_report_tells():
    """Reports fall on the input's side with probability p, and are uniform on either side."""
    mechanism, units = PrivUnit2.hemisphere(3, 1.0), directions(40_000, 3)
    cosines = heights(mechanism, quick_keys.key(3), units, units)
    inside = int((cosines >= 0).sum())

    assert binomtest(inside, 40_000, 1 / (1 + math.exp(-1))).pvalue > 1e-3
    # In three dimensions heights are uniform (Archimedes).
    assert kstest(np.abs(cosines), "uniform").pvalue > 1e-3


@pytest.mark.parametrize("dim, epsilon", [(3, 0.01), (20, 1.0), (1000, 8.0), (10**6, 40.0)])
def test_the_blanket_is_the_least_density(dim, epsilon):
    """It is the density off the cap: 1 - p + p e^-epsilon, at least 2/(e^epsilon + 1)."""
    mechanism = PrivUnit2.optimal(dim, epsilon)
    exact = 1 - mechanism.p + mechanism.p * math.exp(-mechanism.loss)

    assert mechanism.blanket == pytest.approx(exact, 1e-9)
    assert 2 / (math.exp(epsilon) + 1) < mechanism.blanket < 1


def test_the_blanket_of_the_hemisphere_is_the_least_of_all():
    """With two halves the bound 2/(e^epsilon + 1) is attained."""
    assert PrivUnit2.hemisphere(50, 2.0).blanket == pytest.approx(2 / (math.exp(2) + 1), 1e-9)


def test_no_small_set_has_less_than_the_blanket():
    """Reports near -u have the blanket's share of the uniform mass, and not a tenth more."""
    mechanism = PrivUnit2.optimal(3, 2.0)
    unit = directions(1, 3)
    units = jnp.broadcast_to(unit, (40_000, 3))
    cosines = heights(mechanism, quick_keys.key(9), units, unit)
    nearest, near = (int((cosines < height).sum()) for height in (-0.9, -0.5))

    assert binomtest(nearest, 40_000, 0.05 * mechanism.blanket).pvalue > 1e-3
    assert binomtest(near, 40_000, 0.25 * mechanism.blanket).pvalue > 1e-3
    assert binomtest(near, 40_000, 0.275 * mechanism.blanket).pvalue < 1e-6


def heights(mechanism, key, units, towards):
    """The cosines of reports about `units` with `towards`."""
    return np.asarray((sample(mechanism, key, units) * towards).sum(axis=1)) / mechanism.scale


@pytest.mark.parametrize("dim, epsilon, p, gamma, error", REFERENCE)
def test_the_optimum_is_the_references(dim, epsilon, p, gamma, error):
    """The error agrees to the reference's digits, p and gamma to what a flat optimum fixes."""
    mechanism = PrivUnit2.optimal(dim, epsilon)

    assert mechanism.error == pytest.approx(error, 1e-5)
    assert mechanism.p == pytest.approx(p, 1e-4)
    assert mechanism.gamma == pytest.approx(gamma, 1e-3)


@pytest.mark.parametrize("dim, epsilon, square", [(10**6, 64, 8932.6), (1000, 128, 4.7244)])
def test_the_scale_of_large_budgets(dim, epsilon, square):
    """The scale stays right where the cap's mass is far below a float64 rounding of one."""
    assert PrivUnit2.optimal(dim, epsilon).scale ** 2 == pytest.approx(square, 2e-5)


@pytest.mark.parametrize("dim", [10, 100, 500])
def test_the_scale_is_equation_15(dim):
    """1/m of the published formula, with incomplete beta functions."""
    mechanism = PrivUnit2.optimal(dim, 3.0)
    alpha = (dim - 1) / 2
    above = betainc(alpha, alpha, (1 - mechanism.gamma) / 2)
    gain = mechanism.p / above - (1 - mechanism.p) / (1 - above)
    log_front = alpha * math.log1p(-(mechanism.gamma**2)) - (dim - 2) * math.log(2)
    m = math.exp(log_front - math.log(dim - 1) - betaln(alpha, alpha)) * gain

    assert mechanism.scale == pytest.approx(1 / m, 1e-9)


@pytest.mark.parametrize("dim", [3, 4, 20, 1000, 10**6])
@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_loss_is_the_budget_and_never_more(dim, epsilon):
    """The exact likelihood ratio of the rounded parameters is at most e^epsilon, and near it."""
    mechanism = PrivUnit2.optimal(dim, epsilon)

    assert mechanism.loss <= epsilon
    assert mechanism.loss == pytest.approx(epsilon, abs=1e-11) or mechanism.p == 1 - 2.0**-64


@pytest.mark.parametrize("dim, epsilon", [(20, 2.0), (1000, 6.0), (10**5, 20.0)])
def test_the_loss_by_another_route(dim, epsilon):
    """p(1-rho)/((1-p) rho), with rho from the incomplete beta function, is e^epsilon."""
    mechanism = PrivUnit2.optimal(dim, epsilon)
    miss = words.integer(mechanism.miss) / words.SIZE
    rho = 0.5 * betainc((dim - 1) / 2, 0.5, 1 - mechanism.gamma**2)

    assert math.log((1 - miss) / miss * (1 - rho) / rho) == pytest.approx(epsilon, abs=1e-8)


@pytest.mark.parametrize("dim, epsilon", [(3, 1.0), (100, 2.0), (1000, 16.0), (10**6, 60.0)])
def test_no_other_cap_does_better(dim, epsilon):
    """Caps a fifth higher or lower at the same budget have a larger error."""
    best = PrivUnit2.optimal(dim, epsilon)

    for factor in [0.8, 0.99, 1.01, 1.2]:
        assert best.error < PrivUnit2.with_cap(dim, epsilon, best.gamma * factor).error


@pytest.mark.parametrize("dim, epsilon", [(3, 2000.0), (1000, 2000.0), (2 * 10**7, 2000.0)])
def test_the_largest_budget_is_finite(dim, epsilon):
    """Nothing underflows at the end of the range: positive error, budget kept."""
    mechanism = PrivUnit2.optimal(dim, epsilon)

    assert 0 < mechanism.error < math.inf
    assert 0 < mechanism.loss <= epsilon


@pytest.mark.parametrize(
    "dim, epsilon, count", [(3, 1.0, 40_000), (20, 2.0, 40_000), (1000, 6.0, 4000)]
)
def test_reports_are_unbiased_with_the_stated_error(dim, epsilon, count):
    """Along the input, across it, and in squared error the means are within 4 standard errors."""
    mechanism = PrivUnit2.optimal(dim, epsilon)
    unit = directions(1, dim)
    across = directions(1, dim, seed=2)
    across -= (across * unit).sum() * unit
    units = jnp.broadcast_to(unit, (count, dim))
    reports = sample(mechanism, quick_keys.key(5), units)

    assert standard_errors(reports @ unit[0], 1.0) < 4
    assert standard_errors(reports @ across[0], 0.0) < 4
    assert standard_errors(jnp.sum((reports - units) ** 2, axis=1), mechanism.error) < 4


def test_a_wrong_scale_is_biased():
    """The same test refuses reports of a scale five per cent too large."""
    mechanism = PrivUnit2.optimal(20, 8.0)
    wrong = dataclasses.replace(mechanism, scale=1.05 * mechanism.scale)
    units = directions(40_000, 20)
    along = jnp.sum(sample(wrong, quick_keys.key(5), units) * units, axis=1)

    assert standard_errors(along, 1.0) > 6


@pytest.mark.parametrize("dim, epsilon, count", [(10**5, 8.0, 100), (10**6, 500.0, 4)])
def test_many_dimensions(dim, epsilon, count):
    """Every report has the exact norm, and the mean cosine is within 4 standard errors."""
    mechanism = PrivUnit2.optimal(dim, epsilon)
    units = directions(count, dim)
    reports = sample(mechanism, quick_keys.key(6), units)
    norms = np.linalg.norm(np.asarray(reports, np.float64), axis=1)
    along = np.asarray(jnp.sum(reports * units, axis=1))

    assert norms == pytest.approx(np.full(count, mechanism.bound), 1e-5)
    # The height of one report varies by less than 1/sqrt(d) around its branch's mean.
    spread = mechanism.scale / math.sqrt(dim) + 1.0
    assert abs(along.mean() - 1) < 4 * spread / math.sqrt(count)


def test_the_cap_is_hit_with_probability_p():
    """A binomial test accepts p, where 1 - p is a thousandth, and rejects thrice the misses."""
    mechanism, missed, seeds = PrivUnit2.optimal(20, 40.0), 0, (8, 9)
    units = directions(40_000, 20)
    for seed in seeds:
        above = heights(mechanism, quick_keys.key(seed), units, units) >= mechanism.gamma * 0.999
        missed += len(above) - int(above.sum())

    assert 1 - mechanism.p < 2e-3
    assert binomtest(missed, len(seeds) * len(units), 1 - mechanism.p).pvalue > 1e-3
    assert binomtest(missed, len(seeds) * len(units), 3 * (1 - mechanism.p)).pvalue < 1e-6


def audited(mechanism, count=60_000):
    """The epsilon proved by the cap of u on inputs u and -u."""
    unit = directions(1, mechanism.dim)
    units = jnp.broadcast_to(unit, (count, mechanism.dim))
    one = heights(mechanism, quick_keys.key(11), units, unit) >= mechanism.gamma
    other = heights(mechanism, quick_keys.key(12), -units, unit) >= mechanism.gamma
    return audit.epsilon_lower_bound((int(one.sum()), count), (int(other.sum()), count))


def test_the_audit_does_not_refute_the_claim():
    """Opposite inputs show almost the whole budget and not more."""
    mechanism = PrivUnit2.optimal(4, 2.0)

    assert 2.0 - 0.1 < audited(mechanism) <= mechanism.loss


@pytest.mark.parametrize("factor", [1.2, 1.5])
def test_the_audit_refutes_a_cap_that_is_too_small(factor):
    """A cap higher than the one the budget was computed for is caught."""
    mechanism = PrivUnit2.optimal(4, 2.0)
    wrong = dataclasses.replace(mechanism, gamma=factor * mechanism.gamma)

    assert audited(wrong) > 2.0


def test_the_audit_refutes_too_few_misses():
    """Leaving the cap only two thirds as often as claimed is caught."""
    mechanism = PrivUnit2.optimal(4, 2.0)
    fewer = words.word(words.integer(mechanism.miss) * 2 // 3)

    assert audited(dataclasses.replace(mechanism, miss=fewer)) > 2.0


@pytest.mark.parametrize(
    "row",
    [[0.0] * 5, [math.nan, 1, 0, 0, 0], [0, math.inf, 0, 0, 0], [0, 3e20, 0, 0, 0], [1e-30] * 5],
)
def test_rows_without_a_direction_count_as_the_first_basis_vector(row):
    """Zero, NaN, infinite and out-of-range rows are reported as e1 is, bit for bit."""
    mechanism = PrivUnit2.optimal(5, 3.0)
    first = jnp.eye(5)[:1]
    report = sample(mechanism, quick_keys.key(0), jnp.asarray([row], jnp.float32))

    assert sample(mechanism, quick_keys.key(0), first).tolist() == report.tolist()


def test_the_length_of_a_row_does_not_matter():
    """A row and seven times the row give the same report, up to rounding."""
    mechanism = PrivUnit2.optimal(5, 3.0)
    units = directions(8, 5)
    reports = sample(mechanism, quick_keys.key(0), units)

    assert np.allclose(reports, sample(mechanism, quick_keys.key(0), 7 * units), atol=1e-5)


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program a shape serves every budget, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, units):
        traces.append(mechanism)
        return mechanism.sample(key, units)

    mechanism, key = PrivUnit2.optimal(50, 3.0), quick_keys.key(0)
    units = directions(6, 50)
    compiled = once(mechanism, key, units)
    once(PrivUnit2.optimal(50, 700.0), key, units)

    assert np.allclose(mechanism.sample(key, units), compiled, atol=1e-5)
    assert 1 == len(traces)


def test_mapped_and_plain_agree():
    """Over keys, as many rounds of one program."""
    mechanism = PrivUnit2.optimal(50, 3.0)
    units, keys = directions(6, 50), jax.random.split(quick_keys.key(0), 2)
    mapped = jax.jit(jax.vmap(mechanism.sample, in_axes=(0, None)))(keys, units)

    for key, reports in zip(keys, mapped, strict=True):
        assert np.allclose(mechanism.sample(key, units), reports, atol=1e-5)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: PrivUnit2.optimal(2, 1.0), "dim must be between 3 and"),
        (lambda: PrivUnit2.optimal(2**26, 1.0), "dim must be between 3 and"),
        (lambda: PrivUnit2.optimal(10, math.nan), "epsilon must be between 1e-6 and"),
        (lambda: PrivUnit2.optimal(10, 0.0), "epsilon must be between 1e-6 and"),
        (lambda: PrivUnit2.optimal(10, 2001.0), "epsilon must be between 1e-6 and"),
        (lambda: PrivUnit2.with_cap(10, 1.0, math.nan), "gamma must be at least zero"),
        (lambda: PrivUnit2.with_cap(10, 1.0, 1.0), "gamma must be at least zero"),
        (lambda: PrivUnit2.with_cap(10**6, 1.0, 0.1), "gamma must be lower for epsilon"),
        (lambda: PrivUnit2.with_cap(7, 4.0, 0.9999999), "gamma must be lower for epsilon"),
        (
            lambda: PrivUnit2.optimal(10, 1.0).sample(quick_keys.key(0), jnp.ones((2, 9))),
            "rows must have 10 columns",
        ),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("dim", [64, 650])
@pytest.mark.parametrize("norm", [1e-12, 1e-15, 4e-18, 1e-19, 1e-30])
def test_a_row_whose_squares_vanish_still_gives_a_lawful_report(dim, norm):
    """However short a row, its report lies on the one sphere: others would be told apart."""
    mechanism = PrivUnit2.optimal(dim, 6.0)
    rows = np.random.default_rng(0).normal(size=(64, dim))
    rows = jnp.asarray(norm * rows / np.linalg.norm(rows, axis=1, keepdims=True), jnp.float32)
    lengths = np.linalg.norm(np.asarray(mechanism.sample(quick_keys.key(1), rows)), axis=1)

    np.testing.assert_allclose(mechanism.scale, lengths, rtol=2e-6)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.int32])
@pytest.mark.parametrize("row", [[0, 0, 0], [1, 2, 3], [60000, 1, 0]])
def test_rows_of_other_types_have_the_one_norm(dtype, row):
    """A report's norm says nothing of the row, in half precision and of integers as well."""
    mechanism = PrivUnit2.optimal(3, 1.0)
    reports = np.asarray(mechanism.sample(quick_keys.key(1), jnp.asarray([row], dtype)))

    assert np.linalg.norm(reports) == pytest.approx(mechanism.scale, rel=1e-5)


@pytest.mark.parametrize("dim, epsilon", [(3, 1.0), (20, 6.0), (200, 12.0)])
def test_the_share_along_the_input_is_that_of_the_heights(dim, epsilon):
    """E[t²] by numerical integration is along + (1 - along)/d."""
    mechanism = PrivUnit2.optimal(dim, epsilon)

    def part(power: int, low: float, high: float) -> float:
        def law(t: float) -> float:
            return t**power * (1 - t * t) ** ((dim - 3) / 2)

        return quad(law, low, high, epsabs=0, epsrel=1e-11)[0]

    inside, outside = ((mechanism.gamma, 1.0), (-1.0, mechanism.gamma))
    square = mechanism.p * part(2, *inside) / part(0, *inside)
    square += (1 - mechanism.p) * part(2, *outside) / part(0, *outside)

    assert square == pytest.approx(mechanism.along + (1 - mechanism.along) / dim, 1e-6)
