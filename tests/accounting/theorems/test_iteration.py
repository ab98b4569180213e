"""The last iterate of a contractive descent costs what its noise could not hide, and no less."""

import math
from dataclasses import replace

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
from dp_accounting.rdp import RdpAccountant

from tacit.accounting import events
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.theorems import iteration
from tacit.accounting.theorems.iteration import NoisyDescent, SampledDescent

DESCENT = NoisyDescent(
    relation=Relation.REPLACE_ONE,
    lipschitz=1.0,
    smoothness=4.0,
    strong_convexity=0.1,
    step_size=0.1,
    people=1000,
    noise=0.02,
    steps=100,
    diameter=None,
)
SAMPLED = SampledDescent(
    lipschitz=1.0,
    smoothness=1.0,
    step_size=0.1,
    people=1000,
    batch=50,
    noise=0.1,
    steps=100_000,
    diameter=1.0,
)
ORDERS = np.array([1.5, 2.0, 4.0, 16.0, 32.0])


@pytest.mark.parametrize(
    "contraction, mus",
    [
        (0.92, (0.308, 0.490, 0.490)),
        (0.96, (0.314, 0.688, 0.700)),
        (0.98, (0.316, 0.871, 0.995)),
        (0.99, (0.316, 0.961, 1.411)),
        (0.995, (0.316, 0.990, 1.984)),
    ],
)
def test_the_published_table_of_noisy_gradient_descent(contraction, mus):
    """At 10, 100 and 1000 steps with ratio 0.1 the closed form prints the published numbers."""
    found = [iteration.noisy_gd(contraction, steps, 0.1) for steps in (10, 100, 1000)]

    assert found == pytest.approx(mus, abs=5.1e-4)


@pytest.mark.parametrize(
    "contraction, epochs, mu, epsilon",
    [
        (0.9999, 50, 0.9925, 4.339),
        (0.9999, 100, 1.2353, 5.601),
        (0.9999, 200, 1.5930, 7.579),
        (0.9998, 50, 0.9889, 4.321),
        (0.9998, 100, 1.2175, 5.506),
        (0.9998, 200, 1.5061, 7.086),
    ],
)
def test_the_published_table_of_cyclic_descent(contraction, epochs, mu, epsilon):
    """40 batches, ratio 2/3, delta 1e-5: mu and epsilon are the published ones."""
    found = iteration.noisy_cgd(contraction, 40, epochs, 2 / 3)

    assert found == pytest.approx(mu, abs=5.1e-5)
    assert gaussian_epsilon(1 / found, 1e-5) == pytest.approx(epsilon, abs=5.1e-4)


def test_the_reference_number():
    """c = 0.99, 100 steps, ratio 0.1: mu is 0.9610, and the pair's multiplier its inverse."""
    event = events.last_iterate(100, 0.99, 0.1, 1.0, None)

    assert iteration.gdp(event) == pytest.approx(0.9610, abs=5e-5)
    assert iteration.multiplier(event) == 1 / iteration.gdp(event)


@pytest.mark.parametrize("contraction", [0.1, 0.7, 0.99, 1 - 1e-7, 1 - 1e-12])
@pytest.mark.parametrize("steps", [1, 2, 37, 10_000, 1_000_000])
def test_without_projection_the_general_formula_is_the_closed_form(contraction, steps):
    """The minimum over the last steps is at all of them, and is never below the closed form."""
    closed = iteration.noisy_gd(contraction, steps, 0.1)
    general = iteration.gdp(events.last_iterate(steps, contraction, 0.1, 1.0, None))

    assert closed * (1 - 1e-13) <= general <= closed * (1 + 1e-9)


@pytest.mark.parametrize("steps", [1, 10, 1000])
def test_a_contraction_near_one_is_the_convex_case(steps):
    """As c tends to 1 mu tends to plain composition, shift sqrt(steps)/noise, from below."""
    convex = iteration.gdp(events.last_iterate(steps, 1.0, 0.1, 1.0, None))
    nearly = iteration.gdp(events.last_iterate(steps, 1 - 1e-12, 0.1, 1.0, None))

    assert convex == pytest.approx(0.1 * math.sqrt(steps), 1e-10)
    assert nearly == pytest.approx(convex, 1e-8)


@pytest.mark.parametrize("crossing", [0.7, 3.0, 20.5, 400.0])
def test_projected_descent_is_within_its_closed_form_and_its_limit(crossing):
    """The general formula is at most the closed form and at least 2 ratio sqrt(crossing)."""
    general = iteration.gdp(events.last_iterate(10_000, 1.0, 0.1, 1.0, 0.1 * crossing))
    closed = iteration.projected_noisy_gd(10_000, 0.1, crossing)

    assert 2 * 0.1 * math.sqrt(crossing) * (1 - 1e-12) <= general <= closed * (1 + 1e-9)


def test_privacy_stops_being_spent():
    """A million projected steps cost as much as a thousand; composed they would cost 30 times."""
    few, many = (
        iteration.gdp(events.last_iterate(steps, 1.0, 0.1, 1.0, 5.0)) for steps in (1000, 1_000_000)
    )

    assert many == pytest.approx(few, 1e-12)
    assert many < 0.1 * math.sqrt(1_000_000) / 30


@pytest.mark.parametrize("steps", [1, 7, 300])
def test_a_quadratic_descent_attains_the_bound(steps):
    """The last iterates of two linear-Gaussian descents, run exactly, are mu apart."""
    descent = replace(DESCENT, strong_convexity=0.5, smoothness=0.5, steps=steps)
    means, variance = np.zeros(2), 0.0
    for _ in range(steps):
        pull = descent.step_size * np.array([0.0, descent.sensitivity])
        means = (1 - descent.step_size * 0.5) * means + pull
        variance = (1 - descent.step_size * 0.5) ** 2 * variance
        variance += (descent.step_size * descent.noise) ** 2
    distance = (means[1] - means[0]) / math.sqrt(variance)

    assert iteration.gdp(iteration.last_iterate(descent)) == pytest.approx(distance, 1e-9)
    assert iteration.gdp(iteration.last_iterate(descent)) >= distance


def test_a_projected_quadratic_descent_keeps_the_bound():
    """Clipped to an interval, the simulated iterates' tails keep the trade-off curve of mu."""
    event = events.last_iterate(60, 0.98, 0.05, 0.1, 0.6)
    generator = np.random.default_rng(3)
    tails = []
    for pull in (-0.025, 0.025):
        points = np.zeros(200_000)
        for _ in range(60):
            noise = 0.1 * generator.standard_normal(len(points))
            points = np.clip(0.98 * points + pull + noise, -0.3, 0.3)
        tails.append(np.mean(points > 0.25))
    low, high = tails
    slack = 5 / math.sqrt(200_000)
    excess = high - math.exp(1.0) * low

    assert excess <= _delta(iteration.gdp(event), 1.0) + slack
    assert high - low > 0.05


def _delta(mu: float, epsilon: float) -> float:
    return gaussian_delta(1 / mu, epsilon)


@pytest.mark.parametrize("contraction", [0.3, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("diameter", [0.05, 1.0, 30.0])
def test_the_bound_is_a_feasible_shift(contraction, diameter):
    """For some m, shares of c^(t-k) keep every gap nonnegative, close it at the end and cost mu."""
    steps, shift = 60, 0.1
    costs = []
    for last in range(1, steps + 1):
        start = min(diameter, shift * sum(contraction**k for k in range(steps - last)))
        powers = contraction ** np.arange(last - 1.0, -1.0, -1.0)
        shares = powers * (contraction**last * start + shift * powers.sum()) / np.sum(powers**2)
        gap = start
        for share in shares:
            gap = contraction * gap + shift - share
            assert gap >= -1e-12
        assert gap == pytest.approx(0, abs=1e-12)
        costs.append(math.sqrt(np.sum(shares**2)))
    event = events.last_iterate(steps, contraction, shift, 1.0, diameter)

    assert iteration.gdp(event) == pytest.approx(min(costs), 1e-9)


def test_forgetting_the_gathered_noise_is_caught():
    """The sum of shifts over one step's noise, without the root, is far above what is attained."""
    naive = 0.1 * (1 - 0.99**100) / (1 - 0.99)

    assert naive > 5 * iteration.gdp(events.last_iterate(100, 0.99, 0.1, 1.0, None))


def test_the_cyclic_form_is_a_feasible_shift():
    """Absorbing c^(T-k) shares leaves every gap nonnegative, ends at zero and costs mu."""
    contraction, batches, epochs = 0.97, 5, 12
    last = batches * epochs
    rounds = np.arange(batches, last)
    shares = contraction ** (last - 1.0 - rounds)
    due = sum(contraction ** (last - 1 - batches * epoch) for epoch in range(1, epochs))
    shares *= due / np.sum(shares * contraction ** (last - 1.0 - rounds))
    gap = 0.0
    for step, share in zip(rounds, shares, strict=True):
        gap = contraction * gap + (step % batches == 0) - share
        assert gap >= -1e-12

    assert gap == pytest.approx(0, abs=1e-12)
    cost = math.sqrt(1 + np.sum(shares**2))
    assert iteration.noisy_cgd(contraction, batches, epochs, 1.0) == pytest.approx(cost, 1e-10)


@pytest.mark.parametrize("batches, crossing", [(1, 3.0), (10, 3.5), (40, 60.0)])
def test_projected_cyclic_descent_is_the_sum_of_its_parts(batches, crossing):
    """The closed form pays the last visit, then absorbs the diameter over ceil(crossing) epochs."""
    epochs = math.ceil(crossing)
    earlier = (crossing + epochs) ** 2 / (batches * epochs)
    closed = iteration.projected_noisy_cgd(batches, 100, 0.5, crossing)

    assert 0.5 * math.sqrt(1 + earlier) <= closed <= 0.5 * math.sqrt(1 + earlier) * 1.2


def test_one_pass_is_the_shift_absorbed_by_the_steps_that_follow():
    """FMTT18: the last record is a plain Gaussian, an earlier one is hidden by all later noise."""
    last = iteration.fmtt18(ORDERS, 100, 100, 1.0, 2.0)
    first = iteration.fmtt18(ORDERS, 1, 100, 1.0, 2.0)

    assert last == pytest.approx(ORDERS * 1.0**2 / 2)
    assert first == pytest.approx(last / 100)


def test_sampled_descent_is_never_above_composition_and_stops_growing():
    """Ten times the steps cost the same once the diameter is crossed, and composing costs more."""
    few = iteration.altschuler_talwar(ORDERS, SAMPLED)
    many = iteration.altschuler_talwar(ORDERS, replace(SAMPLED, steps=1_000_000))
    short = iteration.altschuler_talwar(ORDERS, replace(SAMPLED, steps=2))
    composed = _sampled_rdp(0.05, 5.0)

    assert few == pytest.approx(many, 1e-12)
    assert np.all(many < 1_000_000 * composed / 20)
    assert short == pytest.approx(2 * composed)


def test_full_batches_cost_at_most_the_split():
    """With rate 1 the bound is the Gaussian one: at most twice the optimum without a split."""
    descent = replace(SAMPLED, batch=1000, step_size=1.0, noise=0.01)
    crossing = 1.0 / (1.0 * 1e-3)
    unsplit = 2 * 0.1 * math.sqrt(crossing)
    found = iteration.altschuler_talwar(ORDERS, descent)

    assert np.all(found >= ORDERS * unsplit**2 / 2)
    assert np.all(found <= 1.01 * ORDERS * unsplit**2)


def _sampled_rdp(rate: float, multiplier: float) -> np.ndarray:
    event = PoissonSampledDpEvent(rate, GaussianDpEvent(multiplier))
    return np.asarray(RdpAccountant(ORDERS.tolist()).compose(event).rdp)


@pytest.mark.parametrize(
    "relation, factor",
    [(Relation.REPLACE_ONE, 2), (Relation.ADD_REMOVE, 1), (Relation.ZERO_OUT, 1)],
)
def test_the_sensitivity_is_the_relations(relation, factor):
    """Replacing moves the averaged gradient by 2 lipschitz/people, leaving by half of it."""
    descent = replace(DESCENT, relation=relation)
    event = iteration.last_iterate(descent)

    assert descent.sensitivity == factor / 1000
    assert event.shift == pytest.approx(0.1 * factor / 1000)
    assert event.noise == pytest.approx(0.1 * 0.02)


@pytest.mark.parametrize("step_size, contraction", [(0.1, 0.99), (0.4, 0.96), (0.49, 0.96)])
def test_the_contraction_is_the_worse_end_of_the_curvature(step_size, contraction):
    """c is max(|1 - eta m|, |1 - eta M|), rounded up."""
    found = replace(DESCENT, step_size=step_size).contraction

    assert contraction <= found <= contraction + 1e-14


@pytest.mark.parametrize("step_size", [0.25, 0.5])
def test_the_ends_of_the_allowed_steps(step_size):
    """A step of 1/M on a perfect bowl forgets everything; a step of 2/M contracts nothing."""
    bowl = replace(DESCENT, strong_convexity=4.0, step_size=step_size)
    mu = iteration.gdp(iteration.last_iterate(bowl))
    one_step = bowl.sensitivity / bowl.noise

    assert mu == pytest.approx(one_step if step_size == 0.25 else 10 * one_step, 1e-9)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"step_size": 0.51}, "step_size must be at most 2/4 to contract, got 0.51"),
        ({"step_size": math.nan}, "step_size must be positive"),
        ({"lipschitz": math.inf}, "lipschitz must be positive and finite, got inf"),
        ({"lipschitz": math.nan}, "lipschitz must be positive"),
        ({"noise": 0.0}, "noise must be positive"),
        ({"strong_convexity": 5.0}, "strong_convexity must be in"),
        ({"strong_convexity": math.nan}, "strong_convexity must be in"),
        ({"steps": math.inf}, "steps must be a whole number of at least 1, got inf"),
        ({"steps": math.nan}, "steps must be a whole number"),
        ({"people": 1.5}, "people must be a whole number"),
        ({"diameter": -1.0}, "diameter must be positive"),
    ],
)
def test_broken_premises_are_refused(change, sentence):
    """A descent that is not contractive, not bounded or not finite is no descent."""
    with pytest.raises(ValueError, match=sentence):
        replace(DESCENT, **change)


def test_the_lipschitz_constant_cannot_be_left_out():
    """There is no clip norm to give instead: clipped gradients do not contract."""
    fields = {name: value for name, value in vars(DESCENT).items() if name != "lipschitz"}

    with pytest.raises(TypeError):
        NoisyDescent(**fields)
    with pytest.raises(TypeError):
        NoisyDescent(**fields, clip_norm=1.0)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"step_size": 0.2}, "step_size must be at most 2/20 to contract, got 0.2"),
        ({"batch": 2000}, "batch must be at most people = 1000, got 2000"),
        ({"diameter": math.nan}, "diameter must be positive"),
    ],
)
def test_sampled_descent_must_contract_with_every_batch(change, sentence):
    """A Poisson batch may hold everyone, so the step is bounded by people/batch records' worth."""
    with pytest.raises(ValueError, match=sentence):
        replace(SAMPLED, **change)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: iteration.noisy_gd(1.0, 10, 0.1), r"contraction must be in \(0, 1\), got 1.0"),
        (lambda: iteration.noisy_cgd(math.nan, 4, 10, 0.1), "contraction must be in"),
        (lambda: iteration.noisy_gd(0.9, 10, math.nan), "ratio must be positive"),
        (lambda: iteration.projected_noisy_gd(10, 0.1, 11.0), r"crossing must be in \(0, 10\]"),
        (lambda: iteration.projected_noisy_cgd(4, 10, 0.1, 9.5), r"crossing must be in \(0, 9\]"),
        (
            lambda: iteration.fmtt18(ORDERS, 0, 10, 1.0, 1.0),
            r"position must be in \[1, 10\], got 0",
        ),
    ],
)
def test_closed_forms_refuse_what_they_are_not_proved_for(call, sentence):
    """Each closed form names the range in which it is a bound."""
    with pytest.raises(ValueError, match=sentence):
        call()
