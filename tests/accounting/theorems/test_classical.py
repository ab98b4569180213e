"""The classical theorems say what they are said to say, hold, and never beat the accountant."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tacit.accounting import accountant, events
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.theorems import classical

SMALL = math.exp(-32)


def test_the_lifetime_example():
    """10,000 databases for a lifetime of (1, e^-32): the course says 1/801, its theorem 1/813.

    The course rounds: its first term alone, 800 epsilon, leaves 1/800. At 1/801 the whole theorem
    gives 1.0143, and 1 only at a slack of e^-31.087. The optimal theorem allows 1/716, so 1/801
    does keep the lifetime: it is the proof quoted for it that does not.
    """
    allowed = classical.lifetime(1.0, 10_000, SMALL)

    assert 1 / allowed == pytest.approx(812.318, abs=1e-3)
    assert classical.advanced(allowed, 0.0, 10_000, SMALL)[0] <= 1
    assert classical.advanced(allowed * (1 + 1e-12), 0.0, 10_000, SMALL)[0] > 1
    assert classical.advanced(1 / 801, 0.0, 10_000, SMALL)[0] == pytest.approx(1.01435, abs=1e-5)
    slack = math.exp(-31.08723)
    assert classical.advanced(1 / 801, 0.0, 10_000, slack)[0] == pytest.approx(1, abs=1e-6)
    assert classical.optimal(1 / 801, 0.0, 10_000, SMALL) <= 1
    assert classical.optimal(1 / 716, 0.0, 10_000, SMALL) <= 1
    assert classical.optimal(1 / 715, 0.0, 10_000, SMALL) > 1


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-7])
@pytest.mark.parametrize("count", [3, 7, 30])
def test_the_optimal_theorem_is_the_formula_of_its_paper(epsilon, delta, count):
    """At (k - 2i) epsilon the theorem's delta_i is met with equality, and just below it is not."""
    for i in range(1, (count + 1) // 2):
        terms = (
            math.comb(count, step)
            * (math.exp((count - step) * epsilon) - math.exp((count - 2 * i + step) * epsilon))
            for step in range(i)
        )
        failed = math.fsum(terms) / (1 + math.exp(epsilon)) ** count
        total = -math.expm1(count * math.log1p(-delta)) * (1 - failed) + failed
        if not 1e-9 < total < 0.9:
            continue
        found = classical.optimal(epsilon, delta, count, total)
        assert found == pytest.approx((count - 2 * i) * epsilon, 1e-6)
        assert classical.optimal(epsilon, delta, count, total * (1 - 1e-3)) > found


def test_a_delta_spent_by_the_failures_leaves_no_epsilon():
    """Where the releases' own deltas are the whole budget nothing finite is promised."""
    assert classical.optimal(0.1, 1e-6, 100, 0.9e-4) == math.inf
    assert math.isfinite(classical.optimal(0.1, 1e-6, 100, 1.1e-4))


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("count", [1, 10, 1000])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 1e-2])
def test_the_accountant_never_loses_to_pure_composition(epsilon, count, delta):
    """k local reports: basic, advanced, heterogeneous, zCDP and optimal are all at least ours."""
    event = events.repeated(events.local(epsilon), count)
    ours = accountant.epsilon(event, delta, Relation.REPLACE_ONE).epsilon
    rivals = [
        classical.basic([epsilon] * count, [0.0] * count)[0],
        classical.advanced(epsilon, 0.0, count, delta)[0],
        classical.heterogeneous([epsilon] * count, [0.0] * count, delta)[0],
        classical.zcdp_epsilon(count * classical.zcdp_of_pure(epsilon), delta),
        classical.zcdp_epsilon(count * classical.tight_zcdp_of_pure(epsilon), delta),
        classical.optimal(epsilon, 0.0, count, delta),
    ]

    assert ours <= min(rivals) * (1 + 1e-12)


@pytest.mark.parametrize("noise_multiplier", [5.0, 20.0, 100.0])
@pytest.mark.parametrize("count", [1, 100, 1000])
def test_the_accountant_never_loses_on_gaussians(noise_multiplier, count):
    """k Gaussians: zCDP, GDP, and all theorems on each release's own promise are at least ours."""
    event = events.repeated(events.gaussian(noise_multiplier), count)
    ours = accountant.epsilon(event, 1e-5, Relation.REPLACE_ONE).epsilon
    each = 0.5e-5 / count
    one = gaussian_epsilon(noise_multiplier, each)
    rivals = [
        classical.zcdp_epsilon(count / (2 * noise_multiplier**2), 1e-5),
        classical.gdp_epsilon(math.sqrt(count) / noise_multiplier, 1e-5),
        classical.basic([one] * count, [each] * count)[0],
        classical.advanced(one, each, count, 0.5e-5)[0],
        classical.optimal(one, each, count, 1e-5),
    ]

    assert ours <= min(rivals) * (1 + 1e-9)


MOMENTS = [
    (0.01, 10_000, 1.0, 1e-5),
    (0.01, 1_000, 0.1, 1e-5),
    (0.001, 1_000_000, 1.0, 1e-6),
    (0.05, 1_000, 1.0, 1e-5),
    (0.002, 100_000, 0.2, 1e-9),
]


@pytest.mark.parametrize("rate, steps, epsilon, delta", MOMENTS)
def test_the_accountant_never_loses_to_the_moments_noise(rate, steps, epsilon, delta):
    """With the noise of the moments theorem our epsilon is below the one it was made for."""
    multiplier = classical.sgd_noise_moments(rate, steps, epsilon, delta)
    event = events.repeated(events.poisson(rate, events.gaussian(multiplier)), steps)

    assert accountant.epsilon(event, delta, Relation.ADD_REMOVE).epsilon <= epsilon


@pytest.mark.parametrize("rate, steps, epsilon, delta", MOMENTS)
def test_the_moments_theorem_is_its_own_proof(rate, steps, epsilon, delta):
    """At the proof's order the exact divergence, times steps, is at most half of epsilon."""
    multiplier = classical.sgd_noise_moments(rate, steps, epsilon, delta)
    order = 1 + math.ceil(-2 * math.log(delta) / epsilon)
    k = np.arange(order + 1)
    grown = np.expm1(k * (k - 1) / (2 * multiplier**2))
    divergence = math.log1p(binom.pmf(k, order, rate) @ grown) / (order - 1)

    assert steps * divergence <= epsilon / 2
    assert steps * divergence * 4 > epsilon / 2


@pytest.mark.parametrize("people, steps, epsilon", [(100, 1_000, 0.5), (500, 20_000, 1.0)])
def test_the_accountant_never_loses_to_the_course_noise(people, steps, epsilon):
    """With the noise of amplification and advanced composition our epsilon is far below theirs."""
    noise = classical.sgd_noise_advanced(1.0, people, steps, epsilon, 1e-5)
    release = events.without_replacement(people, 1, events.gaussian(noise / 2))
    event = events.repeated(release, steps)

    assert accountant.epsilon(event, 1e-5, Relation.REPLACE_ONE).epsilon <= epsilon


def test_the_course_noise_holds_step_by_step():
    """The theorem's chain with exact parts: Gaussian, amplification, advanced composition."""
    people, steps, epsilon, delta = 200, 5_000, 1.0, 1e-5
    noise = classical.sgd_noise_advanced(3.0, people, steps, epsilon, delta)
    share = people * epsilon / (4 * math.sqrt(2 * steps * math.log(2 / delta)))
    failure = delta * people / (2 * steps)
    amplified = math.log1p(math.expm1(share) / people)

    assert gaussian_delta(noise / 6, share) <= failure
    assert classical.advanced(amplified, 0.0, steps, delta / 2)[0] <= epsilon


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 5.0, 50.0])
def test_mean_loss_and_zcdp_of_randomised_response(epsilon):
    """Its mean loss is the tight one, and no order's divergence per order exceeds the tight rho."""
    truthful = 1 / (1 + math.exp(-epsilon))
    mean = truthful * epsilon - (1 - truthful) * epsilon
    orders = 1 + np.geomspace(1e-3, 1e4, 400)
    likelier = epsilon * (orders - 1)
    small = np.minimum(likelier, 30)
    moments = truthful * np.expm1(small) + (1 - truthful) * np.expm1(-small)
    logs = np.log1p(moments) + (likelier - small)
    per_order = logs / (orders - 1) / orders
    rho = classical.tight_zcdp_of_pure(epsilon)

    assert mean == pytest.approx(classical.tight_kl_of_pure(epsilon), 1e-9)
    assert classical.tight_kl_of_pure(epsilon) <= classical.kl_of_pure(epsilon)
    assert per_order.max() <= rho * (1 + 1e-9)
    assert per_order.max() >= rho * (1 - 1e-2)
    assert rho <= classical.zcdp_of_pure(epsilon)


def test_the_useful_lemma():
    """For epsilon below 1 the mean loss is at most 2 epsilon squared."""
    grid = np.linspace(1e-3, 1, 500)

    assert all(classical.kl_of_pure(epsilon) <= 2 * epsilon**2 for epsilon in grid)


def test_zcdp_is_converted_near_its_best():
    """The Gaussian of mu = 1 is 1/2-zCDP: 4.7284 at 1e-5, just above its own 4.3772."""
    assert classical.zcdp_epsilon(0.5, 1e-5) == pytest.approx(4.7284, abs=1e-4)
    assert classical.gdp_epsilon(1.0, 1e-5) == pytest.approx(4.3772, abs=1e-4)
    for rho in (1e-6, 1e-2, 1.0, 1e3):
        exact = classical.gdp_epsilon(math.sqrt(2 * rho), 1e-6)
        usual = rho + 2 * math.sqrt(rho * math.log(1e6))
        assert exact <= classical.zcdp_epsilon(rho, 1e-6) <= usual


def test_the_central_limit_is_not_a_bound():
    """Few sampled steps of little noise cost more than their central limit says."""
    mu = classical.approximate_clt_mu(0.01, 0.8, 100)
    event = events.repeated(events.poisson(0.01, events.gaussian(0.8)), 100)
    truth = accountant.epsilon(event, 1e-6, Relation.ADD_REMOVE).epsilon

    assert classical.gdp_epsilon(mu, 1e-6) < 0.7 * truth


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_group_is_a_chain_of_neighbours(size):
    """A Gaussian moved `size` times as far keeps the group's promise."""
    epsilon, noise_multiplier = 1.0, 3.0
    delta = gaussian_delta(noise_multiplier, epsilon)
    whole = classical.group(epsilon, delta, size)

    assert whole[0] == size * epsilon
    assert whole[1] == pytest.approx(delta * sum(math.exp(i * epsilon) for i in range(size)))
    assert gaussian_delta(noise_multiplier / size, whole[0]) <= whole[1]


def test_a_group_may_be_large():
    """A group too large to be promised anything has delta 1, and a pure promise none."""
    assert classical.group(1.0, 1e-6, 10_000) == (10_000.0, 1.0)
    assert classical.group(2.0, 0.0, 10_000) == (20_000.0, 0.0)


def test_advanced_composition_is_not_missing_a_term():
    """Without the mean's term the bound would fall below what randomised response attains."""
    without_mean = math.sqrt(2 * 1000 * math.log(10)) * 0.3

    assert without_mean < classical.optimal(0.3, 0.0, 1000, 0.1)
    assert classical.advanced(0.3, 0.0, 1000, 0.1)[0] >= classical.optimal(0.3, 0.0, 1000, 0.1)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: classical.basic([1.0], []), "one delta per epsilon, got 0"),
        (
            lambda: classical.basic([math.nan], [0.0]),
            "epsilon must be positive and finite, got nan",
        ),
        (lambda: classical.advanced(1.0, math.nan, 3, 0.1), r"delta must be in \[0, 1\), got nan"),
        (lambda: classical.advanced(1.0, 0.0, 3, 0.0), r"slack must be in \(0, 1\), got 0.0"),
        (lambda: classical.optimal(1.0, 0.0, math.nan, 0.1), "count must be a whole number"),
        (lambda: classical.lifetime(math.nan, 10, 0.1), "total must be positive"),
        (lambda: classical.zcdp_epsilon(1.0, math.nan), r"delta must be in \(0, 1\), got nan"),
        (lambda: classical.gdp_epsilon(math.nan, 0.1), "mu must be positive"),
        (lambda: classical.group(1.0, 0.0, 0), "size must be a whole number of at least 1, got 0"),
        (
            lambda: classical.sgd_noise_advanced(1.0, 100, 1000, 1.5, 1e-5),
            r"epsilon must be in \(0, 1",
        ),
        (lambda: classical.sgd_noise_advanced(1.0, 1000, 10, 1.0, 1e-5), "steps must be at least"),
        (lambda: classical.sgd_noise_moments(0.01, 1000, 5.0, 1e-5), "epsilon must be below ln"),
        (lambda: classical.sgd_noise_moments(0.5, 2, 0.1, 1e-5), "steps must be more"),
    ],
)
def test_what_a_theorem_is_not_about_is_refused(call, sentence):
    """Every theorem names the range in which it holds, and NaN is in none."""
    with pytest.raises(ValueError, match=sentence):
        call()
