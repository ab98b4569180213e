"""What a device computes: gradients, several steps, and proximal points in closed form."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.federated.updates import GradientSteps, ProximalPoint

START = {"weight": jnp.array([[1.0, -2.0], [0.5, 3.0]]), "bias": jnp.array([0.2, -0.7])}


def curved(tree):
    """The gradient of a loss that is not quadratic: sum of log cosh."""
    return jax.tree.map(jnp.tanh, tree)


def spring(stiffness, centre):
    """The gradient of stiffness |x - centre|^2 / 2."""
    return lambda tree: jax.tree.map(lambda x: stiffness * (x - centre), tree)


def assert_trees_close(expected, actual, rtol=1e-5):
    assert jax.tree.structure(expected) == jax.tree.structure(actual)
    for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(actual), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("rate", [1e-3, 0.1, 7.0])
def test_one_gradient_step_is_the_gradient(rate):
    """To the bit, whatever the rate: distributed descent is averaging of one step."""
    update = GradientSteps(1, rate)(curved, START)

    for slope, sent in zip(jax.tree.leaves(curved(START)), jax.tree.leaves(update), strict=True):
        np.testing.assert_array_equal(slope, sent)


@pytest.mark.parametrize("steps, rate", [(2, 0.3), (7, 0.05)])
def test_several_steps_are_the_same_steps_by_hand(steps, rate):
    """The way travelled over the rate: the gradients of all the steps, added up."""
    here, sent = START, jax.tree.map(jnp.zeros_like, START)
    for _ in range(steps):
        slope = curved(here)
        here = jax.tree.map(lambda x, s: x - rate * s, here, slope)
        sent = jax.tree.map(jnp.add, sent, slope)

    assert_trees_close(sent, GradientSteps(steps, rate)(curved, START))


@pytest.mark.parametrize("stiffness, rate", [(0.5, 0.3), (0.1, 2.0), (0.0, 1.0)])
def test_the_proximal_point_of_a_quadratic_is_the_closed_form(stiffness, rate):
    """Minimising k|x - c|^2/2 + |x - s|^2/(2r) moves by r k (s - c)/(1 + r k)."""
    centre = 0.4
    expected = jax.tree.map(lambda s: stiffness * (s - centre) / (1 + rate * stiffness), START)

    assert_trees_close(expected, ProximalPoint(40, rate)(spring(stiffness, centre), START))


def test_each_inner_step_halves_the_way_where_the_loss_is_flat():
    """With a constant gradient g the update after k steps is (1 - 2^-k) g."""
    for steps in (1, 2, 5):
        update = ProximalPoint(steps, 0.7)(lambda x: jnp.full_like(x, 3.0), jnp.zeros(2))
        np.testing.assert_allclose(np.full(2, 3.0 * (1 - 0.5**steps)), update, rtol=1e-6)


@pytest.mark.parametrize("rate", [2.5, 2.9])
def test_proximal_points_hold_where_gradient_steps_explode(rate):
    """Rate times curvature between 2 and 3: one stops near the minimum, the other leaves."""
    gradient, steps = spring(1.0, 0.0), 50
    proximal = ProximalPoint(steps, rate)(gradient, START)
    descent = GradientSteps(steps, rate)(gradient, START)
    met, lost = (
        jax.tree.map(lambda start, sent: start - rate * sent, START, update)
        for update in (proximal, descent)
    )

    assert all(np.all(np.abs(x) <= 3.0) for x in jax.tree.leaves(met))
    assert not all(np.all(np.abs(x) <= 1e6) for x in jax.tree.leaves(lost))


@pytest.mark.parametrize("rule", [GradientSteps(3, 0.2), ProximalPoint(3, 0.2)])
def test_compiled_updates_are_the_uncompiled_ones(rule):
    """The same numbers with and without a compiler."""
    assert_trees_close(rule(curved, START), jax.jit(lambda start: rule(curved, start))(START))


@pytest.mark.parametrize("rule", [GradientSteps, ProximalPoint])
@pytest.mark.parametrize(
    "steps, rate, sentence",
    [
        (0, 0.1, "at least one step, got steps=0"),
        (1, 0.0, "positive and finite"),
        (1, math.nan, "positive and finite"),
        (1, math.inf, "positive and finite"),
    ],
)
def test_unusable_rules_are_refused(rule, steps, rate, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        rule(steps, rate)
