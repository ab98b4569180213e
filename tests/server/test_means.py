"""What a server does to a sum: noise on the sum, then a public divisor."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.contribution import Grid, Interval, Product
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise import fixed
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.question.participation import Available, Everyone, Fixed, Once, Poisson
from tacit.question.sums import Mean
from tacit.server.means import NoisyMean, PlainMean
from tacit.statistics.average import Average
from tacit.trust.central import Central
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate

NUMBER = Interval(0.0, 1.0)
KEY, STEP = quick_keys.key(5), 2.0**-15


def sum_of(*values: float) -> Fixed:
    """An exact sum, as servers are handed it."""
    total = fixed.FixedPoint.zero((len(values),), jnp.asarray(STEP))
    return total.plus(total.terms(jnp.asarray(values, jnp.float32)))


@pytest.mark.parametrize("turned_up", [0, 1, 7, 10])
def test_the_divisor_is_the_public_cohort_whoever_turns_up(turned_up):
    """Half of ten are expected: each who comes with a one adds a fifth."""
    plan = NonPrivate().plan(Mean(NUMBER, Available(0.5), 1, 10))
    cohort = Cohort(
        jnp.arange(10)[None], (jnp.arange(10) < turned_up)[None], jnp.asarray(1, jnp.int32)
    )
    learner, data = Average(), jnp.ones(10)
    parts, keys = Parts.of(plan), Keys(KEY, KEY, KEY)
    state, _, halted = run_round(learner, parts, learner.init(), None, data, cohort, keys)

    assert pytest.approx(turned_up / 5) == float(state[0])
    assert halted is None


@pytest.mark.parametrize(
    "who, cohort", [(Everyone(), 40), (Poisson(0.1), 4), (Fixed(3), 3), (Once(), 10)]
)
def test_every_trust_model_divides_by_the_expected_cohort(who, cohort):
    """One number from the question, with noise and without."""
    question = Mean(NUMBER, who, 4, 40)
    central = Central(1.0, 1e-5, who.relations[0]).plan(question)

    assert pytest.approx(cohort) == central.server.divisor
    assert central.server.divisor == Local(1.0).plan(question).server.divisor


def test_a_plain_mean_is_the_sum_over_its_divisor():
    """No noise, whatever the key, and nothing is remembered."""
    server = PlainMean(8.0, STEP)
    carry, answer, halted = server.step(server.init(), KEY, sum_of(4.0, -2.0))

    np.testing.assert_array_equal([0.5, -0.25], answer)
    assert carry is None and halted is None
    assert 0.0 == server.facts.noise == server.facts.error == server.facts.tv_distance


def test_noise_is_added_to_the_sum_and_divided_with_it():
    """The answer's standard deviation is sigma over the divisor, on every coordinate alike."""
    size = 40_000
    server = NoisyMean(Gaussian(sigma=6.0, sensitivity=2.0, step=STEP), 3.0, size, 0.0)
    _, answer, _ = server.step(server.init(), KEY, sum_of(*[12.0] * size))
    noise = np.asarray(answer, np.float64) - 4.0

    assert pytest.approx(6.0, rel=1e-9) == server.facts.noise
    assert pytest.approx(36.0 * size, rel=1e-9) == server.facts.error
    assert abs(noise.mean()) < 5 * 2.0 / math.sqrt(size)
    assert abs(noise.std() - 2.0) < 5 * 2.0 / math.sqrt(2 * size)


def test_what_cutting_terms_moves_is_part_of_the_error():
    """On every coordinate as far as all people's cuts together, at most."""
    exact, cut = (NoisyMean(Gaussian(6.0, 2.0, STEP), 3.0, 5, moved).facts for moved in (0.0, 0.5))

    assert pytest.approx(5 * 36.0) == exact.error
    assert pytest.approx(exact.error + 5 * 0.25) == cut.error and exact.noise == cut.noise


@pytest.mark.parametrize("shape, cuts", [(NUMBER, True), (Grid(0, 9), False)])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_only_terms_off_the_grid_are_cut(shape, cuts, delta):
    """Each by less than a step, whoever comes; whole units are not cut at all."""
    server = Central(1.0, delta).plan(Mean(shape, Available(0.5), 1, 10)).server

    assert server.rounding == (10 * server.grid if cuts else 0.0)


@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_parts_have_noise_of_their_own(delta):
    """Two equal parts answer with noise that differs, or their difference would have none."""
    server = Central(1.0, delta).plan(Mean(Product(NUMBER, NUMBER), Everyone(), 1, 10)).server
    total = Product(NUMBER, NUMBER).empty(jax.tree.map(jnp.asarray, server.grid))
    _, answer, _ = server.step(server.init(), KEY, total)

    assert answer[0] != answer[1]


def test_noise_is_a_function_of_the_key():
    """One key repeats the noise to the bit, another does not."""
    server, total = NoisyMean(Gaussian(1.0, 1.0, STEP), 2.0, 4, 0.0), sum_of(0, 0, 0, 0)
    first, again, other = (server.step(None, quick_keys.key(seed), total)[1] for seed in (1, 1, 2))

    np.testing.assert_array_equal(first, again)
    assert not np.any(np.asarray(first) == np.asarray(other))
