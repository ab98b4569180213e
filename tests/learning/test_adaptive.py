"""Adaptive clipping: the bound finds the quantile, and no bound lets a term out of its shape."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import quick_keys
import tacit
from summed import summed
from tacit.contribution import Ball, Interval, Product
from tacit.learning.adaptive import AdaptiveDescent, AdaptiveProgress
from tacit.learning.quantile_bound import QuantileBound
from tacit.models.layers import Dense

KEY = quick_keys.key(0)
PEOPLE, INPUTS = 40, 3
FEATURES = jax.random.normal(KEY, (PEOPLE, INPUTS)) * jnp.linspace(0.1, 5, PEOPLE)[:, None]
# The gradient of a dense layer's output is the input, and one for the bias.
NORMS = np.hypot(np.linalg.norm(FEATURES, axis=1), 1)
SHAPE = Product(Ball(INPUTS + 1, 1.0), Interval(-0.5, 0.5))


def linear(model, features):
    """A loss whose gradients do not depend on the model."""
    return model(features)[0]


def adaptive(**options) -> AdaptiveDescent:
    clip = QuantileBound(**options)
    return AdaptiveDescent(Dense(INPUTS, 1, KEY), linear, optax.sgd(1e-3), clip)


def at_bound(learner, bound) -> AdaptiveProgress:
    return AdaptiveProgress(learner.init().training, jnp.float32(bound))


def test_a_term_is_in_its_shape_whatever_the_gradient_and_the_bound():
    """Norms from zero to beyond float32, NaN and infinity; the bit says whether it was cut."""
    learner = adaptive()
    sizes = jnp.array([0.0, 1e-3, 1.0, 1e3, 1e15, 1e30, math.inf, math.nan])
    ask = jax.jit(jax.vmap(learner.ask, (None, 0)))
    for bound in (1e-12, 0.5, 2.0, 1e6, 1e12):
        terms = ask(at_bound(learner, bound), sizes[:, None] * jnp.ones(INPUTS))
        norms = np.hypot(math.sqrt(INPUTS) * sizes, 1)
        counted = np.where(norms < 1e18, norms, 0)
        lengths = np.minimum(1, counted / bound)
        np.testing.assert_allclose(jnp.linalg.norm(terms[:, :-1], axis=1), lengths, rtol=1e-5)
        np.testing.assert_array_equal(terms[:, -1], np.where(counted <= bound, 0.5, -0.5))
        np.testing.assert_allclose(SHAPE.project(terms), terms, rtol=1e-6)


@pytest.mark.parametrize("room", [1.0, 1 - 2.0**-9, 0.5])
def test_the_fast_sum_is_the_sum_of_the_terms(room):
    """Brought into shapes of several sizes, with somebody absent and somebody not finite."""
    learner = adaptive()
    bound = Product(Ball(INPUTS + 1, room), Interval(-0.5 * room, 0.5 * room))
    people = FEATURES.at[3, 1].set(math.nan)
    present = jnp.arange(PEOPLE) % 5 != 1
    fast, ask = eqx.filter_jit(summed), jax.jit(jax.vmap(learner.ask, (None, 0)))
    # The last bound but one has a norm between it and what the room leaves of it.
    for at in (0.5, 1.001 * float(np.median(NORMS)), 1.001 * NORMS[7], 100.0):
        state = at_bound(learner, at)
        terms = bound.project(ask(state, people))
        expected = jnp.sum(jnp.where(present[:, None], terms, 0), axis=0)
        np.testing.assert_allclose(
            fast(learner, state, people, present, bound), expected, atol=2e-5
        )


def test_a_run_finds_the_quantile_of_its_peoples_norms(tmp_path):
    """Without noise and from a bound a hundred times too small, through the rounds of a grant."""
    learner = adaptive(start=0.01, quantile=0.75)
    plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 100, PEOPLE))
    people = tacit.Arrays(FEATURES, "forty")
    state = people.grant(plan, learner, tacit.Ledger(tmp_path / "ledger.db"), seed=1).run().state

    below, above = np.sort(NORMS)[[28, 31]]
    assert below <= state.bound <= above


def test_the_answer_is_told_in_the_units_of_gradients():
    """A mean of clipped gradients over C moves the model by C times it."""
    learner = adaptive()
    mean = jnp.arange(INPUTS + 1.0)
    told = learner.tell(at_bound(learner, 3.0), jnp.append(mean, 0.25))
    moved = told.training.parameters - learner.init().training.parameters

    np.testing.assert_allclose(moved, -3e-3 * mean, atol=1e-6)
    np.testing.assert_allclose(told.bound, 3 * math.exp(-0.2 * 0.25), rtol=1e-6)
