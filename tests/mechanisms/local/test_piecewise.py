"""The piecewise mechanism and its hybrid have their exact law, and the lowest errors there are."""

import dataclasses
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.piecewise import MOST_LEVELS, Hybrid, Piecewise
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.noise import words

sample = jax.jit(lambda mechanism, key, values: mechanism.sample(key, values))


def law(mechanism, value):
    """The reports and their exact chances, from the definition."""
    k, w = mechanism.levels, mechanism.width
    q = mechanism.lost * k / (k + w)
    position = k * value / mechanism.maximum
    low = min(math.floor(position), k - 1)
    chances = np.zeros(k + w)
    for start, weight in ((low, low + 1 - position), (low + 1, position - low)):
        given = np.full(k + w, q / k)
        given[start : start + w] = (1 - q) / w
        chances += weight * given
    return mechanism.maximum / 2 + mechanism.step * (np.arange(k + w) - (k + w - 1) / 2), chances


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


GRIDS = [(1e-3, 1, 1), (0.5, 3, 2), (2.0, 7, 7), (4.0, 9, 3), (12.0, 60, 5)]


@pytest.mark.parametrize("epsilon, levels, width", GRIDS)
def test_mean_error_and_bound_are_those_of_the_law(epsilon, levels, width):
    """Enumerating the reports gives mean r, the stated variance and the stated bound."""
    mechanism = Piecewise.on_grid(epsilon, levels, width, 2.5)

    for value in np.linspace(0, 2.5, 12):
        reports, chances = law(mechanism, value)
        assert chances.sum() == pytest.approx(1)
        assert chances @ reports == pytest.approx(value, abs=1e-8 * mechanism.bound)
        assert mechanism.error(value) == pytest.approx(chances @ (reports - value) ** 2, 1e-7)
        assert np.abs(reports).max() == pytest.approx(mechanism.bound)


@pytest.mark.parametrize("epsilon, levels, width", GRIDS)
def test_the_blanket_and_the_loss_are_those_of_the_law(epsilon, levels, width):
    """The least chance of each place adds up to the blanket; no ratio exceeds e^epsilon."""
    mechanism = Piecewise.on_grid(epsilon, levels, width, 1.0)
    given = np.array([law(mechanism, x / levels)[1] for x in range(levels + 1)])

    assert given.min(axis=0).sum() == pytest.approx(mechanism.blanket)
    assert mechanism.blanket >= 2 / (math.exp(epsilon) + 1) * (1 - 1e-12)
    assert np.log(given.max(axis=0) / given.min(axis=0)).max() == pytest.approx(epsilon, 1e-6)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 10.0, 30.0, 700.0, 5000.0])
@pytest.mark.parametrize("levels, width", [(1, 1), (1000, 7), (MOST_LEVELS, 30_000)])
def test_the_likelihood_ratio_in_integers(epsilon, levels, width):
    """The likeliest place inside against the rarest outside, counted in words, is within e^eps."""
    missed = words.integer(Piecewise.on_grid(epsilon, levels, width, 1.0).miss)
    likeliest = (words.SIZE - missed) * -(-words.SIZE // width)
    rarest = missed * (words.SIZE // levels)

    assert math.log1p(Fraction(likeliest, rarest) - 1) <= epsilon


@pytest.mark.parametrize("epsilon, levels", [(0.7, 1), (3.0, 4)])
def test_width_one_is_scalardp(epsilon, levels):
    """The same errors, bound and blanket."""
    one, other = Piecewise.on_grid(epsilon, levels, 1, 2.0), ScalarDP.on_grid(epsilon, levels, 2.0)

    for value in (0.0, 0.3, 1.9):
        assert one.error(value) == pytest.approx(other.error(value))
    assert one.worst_error == pytest.approx(other.worst_error)
    assert (one.bound, one.blanket) == pytest.approx((other.bound, other.blanket))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_the_published_mechanism_is_its_limit(epsilon):
    """At the window of Wang et al. the worst error is 4/3 e^(eps/2) / (e^(eps/2) - 1)², halved."""
    half = math.exp(epsilon / 2)
    mechanism = Piecewise.on_grid(epsilon, 20_000, round(20_000 / half), 2.0)

    assert mechanism.worst_error == pytest.approx(4 * half / (3 * (half - 1) ** 2), 1e-3)


@pytest.mark.parametrize("mechanism", [Piecewise.on_grid(e, k, w, 2.0) for e, k, w in GRIDS])
def test_the_worst_value_is_found(mechanism):
    """The closed form is the maximum over a fine grid of values, never below it."""
    curve = [mechanism.error(r) for r in np.linspace(0, 2, 8001)]

    assert max(curve) <= mechanism.worst_error * (1 + 1e-12)
    assert max(curve) == pytest.approx(mechanism.worst_error, 1e-5)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 5.0])
def test_the_worst_value_of_the_hybrid_is_found(epsilon):
    """Its errors between grid points are all the same, and the largest."""
    mechanism = Hybrid.best(epsilon, 2.0)
    steps = np.arange(mechanism.wide.levels) / mechanism.wide.levels
    curve = [mechanism.error(2 * (r + 0.5 / mechanism.wide.levels)) for r in steps[::7]]
    corners = [mechanism.error(2 * r) for r in steps[::7]]

    assert max(curve) <= mechanism.worst_error * (1 + 1e-9)
    assert min(curve) >= mechanism.worst_error * (1 - 1e-9)
    assert max(corners) <= mechanism.worst_error * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5, 3.0, 5.0, 8.0])
def test_the_best_grid_is_best(epsilon):
    """No grid of up to 60 levels has a lower worst error, and ScalarDP none either."""
    best = Piecewise.best(epsilon, 1.0).worst_error
    others = [
        Piecewise.on_grid(epsilon, k, w, 1.0).worst_error
        for k in range(1, 61, 3)
        for w in {1, 2, 3, k // 4 + 1, k // 2 + 1}
        if w <= k
    ]

    assert best <= min(others) * (1 + 1e-12)
    assert best <= ScalarDP.best(epsilon, 1.0).worst_error * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.61, 1.0, 2.0, 4.0, 8.0])
def test_the_hybrid_is_at_least_as_good_as_all_others(epsilon):
    """As the best piecewise mechanism and as the published hybrid."""
    hybrid = Hybrid.best(epsilon, 2.0).worst_error
    half, full = math.exp(epsilon / 2), math.exp(epsilon)
    published = (half + 3) / (3 * half * (half - 1)) + (full + 1) ** 2 / (half * (full - 1) ** 2)

    assert hybrid <= published
    assert hybrid <= Piecewise.best(epsilon, 2.0).worst_error * (1 + 1e-7)


@pytest.mark.parametrize("value", [0.0, 0.31, 1.5])
@pytest.mark.parametrize(
    "mechanism", [Piecewise.on_grid(3.0, 5, 2, 1.5), Hybrid.best(1.0, 1.5), Hybrid.best(4.0, 1.5)]
)
def test_reports_are_unbiased_with_the_stated_variance(mechanism, value):
    """The mean and the mean squared error of many reports are within 4 standard errors."""
    reports = np.asarray(sample(mechanism, quick_keys.key(2), jnp.full(100_000, value)))

    assert standard_errors(reports, value) < 4
    assert standard_errors((reports - np.float32(value)) ** 2, mechanism.error(value)) < 4
    assert np.abs(reports).max() <= mechanism.bound * (1 + 1e-6)


def test_a_wrong_step_is_biased():
    """The same test refuses reports stretched by five per cent."""
    mechanism = Piecewise.on_grid(3.0, 5, 2, 1.5)
    wrong = dataclasses.replace(mechanism, step=1.05 * mechanism.step)

    assert standard_errors(sample(wrong, quick_keys.key(2), jnp.full(100_000, 1.5)), 1.5) > 6


def test_frequencies_are_those_of_the_law():
    """The largest of the 7 counts' standard errors is small; of another value it is not."""
    mechanism = Piecewise.on_grid(2.0, 5, 2, 1.0)
    reports = np.asarray(sample(mechanism, quick_keys.key(3), jnp.full(200_000, 0.5)))
    for value, holds in ((0.5, True), (0.4, False)):
        places, chances = law(mechanism, value)
        counts = np.array([np.isclose(reports, place).sum() for place in places])
        off = (counts - 2e5 * chances) / np.sqrt(2e5 * chances * (1 - chances))
        assert counts.sum() == 200_000
        assert (np.abs(off).max() < 5) == holds


def audited(mechanism, count=200_000):
    """The epsilon proved by the highest reports on inputs `maximum` and zero."""
    edge = mechanism.maximum / 2 + mechanism.step * (mechanism.levels - mechanism.width) / 2
    one = sample(mechanism, quick_keys.key(3), jnp.full(count, mechanism.maximum)) >= edge
    other = sample(mechanism, quick_keys.key(4), jnp.zeros(count)) >= edge
    return audit.epsilon_lower_bound((int(one.sum()), count), (int(other.sum()), count))


def test_the_audit_tells_the_claim_from_too_few_misses():
    """Opposite ends show almost the whole budget; missing two thirds as often is caught."""
    mechanism = Piecewise.on_grid(2.0, 6, 2, 1.5)
    fewer = words.word(words.integer(mechanism.miss) * 2 // 3)

    assert 1.8 < audited(mechanism) <= 2
    assert audited(dataclasses.replace(mechanism, miss=fewer)) > 2


@pytest.mark.parametrize(
    "value, treated_as",
    [(2.0, 1.5), (math.inf, 1.5), (-1.0, 0.0), (-math.inf, 0.0), (math.nan, 0.0)],
)
def test_values_outside_the_interval(value, treated_as):
    """The table of the docstring, bit for bit."""
    mechanism = Hybrid.best(2.0, 1.5)
    reports = [sample(mechanism, quick_keys.key(5), jnp.full(50, v)) for v in (value, treated_as)]

    assert reports[1].tolist() == reports[0].tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program serves every budget, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, values):
        traces.append(mechanism)
        return mechanism.sample(key, values)

    values = jnp.linspace(0, 1, 20)
    for epsilon in [0.5, 5.0, 60.0]:
        mechanism = Hybrid.best(epsilon, 1.0)
        plain = mechanism.sample(quick_keys.key(0), values)
        assert np.allclose(plain, once(mechanism, quick_keys.key(0), values), rtol=1e-5, atol=1e-6)

    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: Piecewise.best(math.nan, 1.0), "epsilon must be at least 1e-6"),
        (lambda: Hybrid.best(0.0, 1.0), "epsilon must be at least 1e-6"),
        (lambda: Piecewise.best(1.0, math.nan), "maximum must be from"),
        (lambda: Piecewise.on_grid(1.0, 0, 1, 1.0), "levels must be between 1 and"),
        (lambda: Piecewise.on_grid(1.0, 2, 3, 1.0), "width must be between 1 and 2"),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
