"""Schedules: the lengths they are said to have, and one program for all numbers."""

import math

import jax.numpy as jnp
import numpy as np
import optax
import pytest

import quick_keys
import tacit
from tacit.learning.clipping import Flat
from tacit.learning.gain import KalmanGain
from tacit.learning.progress import begun, moved
from tacit.learning.rates import Cosine, Decay, WarmUp, as_rate, length
from tacit.models.layers import Dense
from tacit.population.staged import Staged

DONE = np.arange(12)


def lengths(rate) -> np.ndarray:
    return np.array([length(as_rate(rate), done) for done in DONE])


def test_a_number_is_a_schedule_of_one_length():
    """Whatever was done."""
    np.testing.assert_array_equal(np.full(12, np.float32(0.3)), lengths(0.3))


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_a_decay_is_a_power_of_the_rounds(power):
    """The first step is `first`; after `offset` rounds it is 2^-power of it."""
    expected = 0.7 * (1 + DONE / 4) ** -power

    np.testing.assert_allclose(expected, lengths(Decay(0.7, 4.0, power)), rtol=1e-6)
    np.testing.assert_allclose(0.7 * 2**-power, lengths(Decay(0.7, 4.0, power))[4], rtol=1e-6)


def test_the_steps_of_a_kalman_gain_are_a_decay():
    """As the head of the module says."""
    gain = KalmanGain(curvature=0.5, radius=2.0, noise=3.0)
    decay = Decay(1 / (0.5 * (1 + gain.offset)), 1 + gain.offset, 1.0)

    np.testing.assert_allclose([gain.rate(done) for done in DONE], lengths(decay), rtol=1e-6)


def test_a_cosine_falls_to_its_last_length_and_stays():
    """Optax's own, shifted to end at `last`."""
    theirs = optax.cosine_decay_schedule(1.0, 8)
    expected = [0.1 + (0.5 - 0.1) * theirs(done) for done in DONE]

    np.testing.assert_allclose(expected, lengths(Cosine(0.5, 8, 0.1)), rtol=1e-6)
    np.testing.assert_allclose(0.1, lengths(Cosine(0.5, 8, 0.1))[8:], rtol=1e-6)


def test_a_warm_up_grows_to_what_follows():
    """The first step is a part of it, and the last of the warm-up the whole."""
    grown = np.minimum((DONE + 1) / 4, 1)
    decaying = WarmUp(4, Decay(1.0, 1.0, 1.0))

    np.testing.assert_allclose(2 * grown, lengths(WarmUp(4, 2.0)), rtol=1e-6)
    np.testing.assert_allclose(grown / (1 + DONE), lengths(decaying), rtol=1e-6)


def test_steps_are_multiplied_by_the_rate_of_the_rounds_done_before():
    """Of a constant answer the way travelled is the sum of the lengths; the first is `first`."""
    state = begun(jnp.zeros(3), optax.sgd(1.0))
    rate, ends = as_rate(Decay(0.5, 2.0, 1.0)), []
    for _ in range(3):
        state = moved(state, jnp.ones(3), optax.sgd(1.0), rate, 0)
        ends.append(float(state.parameters[0]))

    np.testing.assert_allclose(-np.cumsum([0.5, 0.5 / 1.5, 0.5 / 2]), ends, rtol=1e-6)


def test_another_number_of_a_schedule_is_the_same_program():
    """Of Optax's closures each number is a program of its own."""

    def program(rate) -> str:
        model = Dense(2, 1, quick_keys.key(0))
        learner = tacit.Descent(
            model, lambda model, x: model(x)[0], Flat(0.5), optax.sgd(1.0), rate=rate
        )
        plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 4, 3))
        return Staged.of(plan, learner, np.ones((3, 2), np.float32), None).rounds.digest

    ours = {program(WarmUp(n, Cosine(first, 9.0))) for n, first in ((2.0, 0.1), (3.0, 0.7))}
    theirs = {program(optax.cosine_decay_schedule(first, 9)) for first in (0.1, 0.7)}
    assert (1, 2) == (len(ours), len(theirs))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Decay(0.0, 1.0, 1.0), "first must be positive and finite"),
        (lambda: Decay(1.0, math.nan, 1.0), "offset must be positive and finite"),
        (lambda: Cosine(1.0, 0.0), "rounds must be positive and finite"),
        (lambda: Cosine(1.0, 3.0, -0.1), "last must be at least 0 and finite, got -0.1"),
        (lambda: WarmUp(math.inf, 1.0), "rounds must be positive and finite"),
        (lambda: as_rate("fast"), "a number or a schedule of rounds done, got 'fast'"),
        (lambda: as_rate(True), "a number or a schedule of rounds done, got True"),
        (lambda: as_rate(10**400), "a number or a schedule of rounds done, got a whole number of"),
        (lambda: as_rate(Cosine), "got Cosine without parentheses"),
        (lambda: as_rate(np.ones(2)), "a number or a schedule"),
    ],
)
def test_what_is_no_rate_is_refused(make, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        make()
