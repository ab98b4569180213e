"""What a device computes: gradients, several steps, and proximal points in closed form."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.federated.updates import Epochs, GradientSteps, ProximalPoint

START = {"weight": jnp.array([[1.0, -2.0], [0.5, 3.0]]), "bias": jnp.array([0.2, -0.7])}


NOBODY = ()


def curved(tree, person=NOBODY):
    """The gradient of a loss that is not quadratic: sum of log cosh."""
    return jax.tree.map(jnp.tanh, tree)


def spring(stiffness, centre):
    """The gradient of stiffness |x - centre|^2 / 2."""
    return lambda tree, person: jax.tree.map(lambda x: stiffness * (x - centre), tree)


def to_the_mean(here, person):
    """The gradient of half the mean squared distance from a batch's records, if it has any."""
    records, present = person
    apart = jnp.where(present[:, None], here - records, 0)
    return jnp.sum(apart, axis=0) / jnp.maximum(1, jnp.sum(present))


def walked(records, present, epochs: int, batch: int, rate: float) -> np.ndarray:
    """The same passes over slices of the records, in NumPy, from zero."""
    here = np.zeros(records.shape[1])
    for _ in range(epochs):
        for first in range(0, len(records), batch):
            own = records[first : first + batch][present[first : first + batch]]
            here = here - rate * (here - own.mean(axis=0)) if len(own) else here
    return here


def assert_trees_close(expected, actual, rtol=1e-5):
    assert jax.tree.structure(expected) == jax.tree.structure(actual)
    for a, b in zip(jax.tree.leaves(expected), jax.tree.leaves(actual), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("rate", [1e-3, 0.1, 7.0])
def test_one_gradient_step_is_the_gradient(rate):
    """To the bit, whatever the rate: distributed descent is averaging of one step."""
    update = GradientSteps(1, rate)(curved, START, NOBODY)

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

    assert_trees_close(sent, GradientSteps(steps, rate)(curved, START, NOBODY))


@pytest.mark.parametrize("stiffness, rate", [(0.5, 0.3), (0.1, 2.0), (0.0, 1.0)])
def test_the_proximal_point_of_a_quadratic_is_the_closed_form(stiffness, rate):
    """Minimising k|x - c|^2/2 + |x - s|^2/(2r) moves by r k (s - c)/(1 + r k)."""
    centre = 0.4
    expected = jax.tree.map(lambda s: stiffness * (s - centre) / (1 + rate * stiffness), START)

    assert_trees_close(expected, ProximalPoint(40, rate)(spring(stiffness, centre), START, NOBODY))


def test_each_inner_step_halves_the_way_where_the_loss_is_flat():
    """With a constant gradient g the update after k steps is (1 - 2^-k) g."""
    for steps in (1, 2, 5):
        update = ProximalPoint(steps, 0.7)(
            lambda x, person: jnp.full_like(x, 3.0), jnp.zeros(2), NOBODY
        )
        np.testing.assert_allclose(np.full(2, 3.0 * (1 - 0.5**steps)), update, rtol=1e-6)


@pytest.mark.parametrize("rate", [2.5, 2.9])
def test_proximal_points_hold_where_gradient_steps_explode(rate):
    """Rate times curvature between 2 and 3: one stops near the minimum, the other leaves."""
    gradient, steps = spring(1.0, 0.0), 50
    proximal = ProximalPoint(steps, rate)(gradient, START, NOBODY)
    descent = GradientSteps(steps, rate)(gradient, START, NOBODY)
    met, lost = (
        jax.tree.map(lambda start, sent: start - rate * sent, START, update)
        for update in (proximal, descent)
    )

    assert all(np.all(np.abs(x) <= 3.0) for x in jax.tree.leaves(met))
    assert not all(np.all(np.abs(x) <= 1e6) for x in jax.tree.leaves(lost))


@pytest.mark.parametrize("rule", [GradientSteps(3, 0.2), ProximalPoint(3, 0.2)])
def test_compiled_updates_are_the_uncompiled_ones(rule):
    """The same numbers with and without a compiler."""
    assert_trees_close(
        rule(curved, START, NOBODY), jax.jit(lambda start: rule(curved, start, NOBODY))(START)
    )


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


@pytest.mark.parametrize("epochs, batch", [(1, 2), (3, 2), (2, 3), (2, 7), (4, 9)])
def test_epochs_are_passes_over_batches_by_hand(epochs, batch):
    """Batches that divide the places, that leave some over, and that hold them all; one batch has
    no record, and is no step."""
    records = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
    present = np.array([True, False, False, False, True, True, True])
    update = Epochs(epochs, batch, 0.3)(to_the_mean, jnp.zeros(3), (records, present))

    end = walked(records, present, epochs, batch, 0.3)
    np.testing.assert_allclose(-0.3 * update, end, rtol=1e-5, atol=1e-6)


def test_one_epoch_of_one_batch_is_a_gradient_step():
    """Federated averaging of one step is distributed descent."""
    person = jnp.arange(6.0).reshape(3, 2), jnp.ones(3, bool)
    update = Epochs(1, 3, 0.5)(to_the_mean, jnp.zeros(2), person)

    np.testing.assert_allclose(to_the_mean(jnp.zeros(2), person), update, rtol=1e-6)


def test_a_server_that_moves_by_the_local_rate_averages_the_models():
    """Two people's models after their passes, and the mean update times the rate."""
    people = [(jnp.full((4, 2), level), jnp.ones(4, bool)) for level in (1.0, 5.0)]
    rule, start = Epochs(2, 2, 0.25), jnp.zeros(2)
    sent = [rule(to_the_mean, start, person) for person in people]
    ends = [start - 0.25 * update for update in sent]

    np.testing.assert_allclose(np.mean(ends, axis=0), start - 0.25 * np.mean(sent, axis=0))
    assert ends[0][0] < ends[1][0]


@pytest.mark.parametrize(
    "numbers, sentence",
    [
        ((0, 1, 0.1), "epochs must be a whole number of at least 1, got 0"),
        ((1, -2, 0.1), "batch must be a whole number of at least 1, got -2"),
        ((1, 1, math.inf), "positive and finite"),
    ],
)
def test_unusable_passes_are_refused(numbers, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        Epochs(*numbers)


def test_a_person_without_an_axis_of_records_is_refused():
    """Batches would be slices of something else."""
    with pytest.raises(ValueError, match="one row for each record"):
        Epochs(1, 2, 0.1)(to_the_mean, jnp.zeros(2), (jnp.zeros((4, 2)), jnp.ones(3, bool)))
