"""A dense layer's input is in its gradient: exactly if plain, and as near as promised if noisy."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.stats import kstest

import quick_keys
from tacit.accounting.theorems.reconstruction import Directions, after
from tacit.attacks.breach import breach_rate, distances
from tacit.attacks.matched_filter import (
    expected_cosine,
    gradients_at_zero,
    matched,
    rank_one,
    ratio,
)
from tacit.data import digits
from tacit.learning import progress
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.models.layers import Dense
from tacit.models.networks import Perceptron, Softmax

DIGITS = digits.load(0)
PICTURES = jnp.asarray(DIGITS.test_images.reshape(-1, 64))
LABELS = DIGITS.test_labels
START = Softmax(64, 10)
DIM = progress.size(START)


def gradient(model, image, label):
    """Of one picture, as a model."""

    def loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(image[None])[0], label)

    return eqx.filter_grad(loss)(model)


@partial(jax.jit, static_argnums=0)
def plain(people: int):
    """What so many people would send of the linear model at zero."""
    each = jax.vmap(lambda image, label: progress.joined(gradient(START, image, label), DIM))
    return each(PICTURES[:people], LABELS[:people])


def layer(vector) -> Dense:
    return progress.flat(START)[1](vector).output


@jax.jit
def filtered(sent):
    """What the filter makes of each."""
    known = gradients_at_zero(10)
    return jax.vmap(lambda vector: matched(layer(vector), known))(sent)


@pytest.mark.parametrize("attack", [ratio, rank_one])
def test_the_first_layer_of_any_network_gives_its_input_away(attack):
    """Pixels, at their own scale and to rounding, also of a gradient that was clipped."""
    model = Perceptron(64, 32, 10, quick_keys.key(0))
    for image, label in zip(PICTURES[:3], LABELS[:3], strict=True):
        clipped = jax.tree.map(lambda leaf: 0.03 * leaf, gradient(model, image, label).first)
        np.testing.assert_allclose(attack(clipped), image, atol=2e-4)


def test_a_unit_without_a_gradient_is_not_asked():
    """Where a rectifier has shut one, its weights and its bias are zero, and say nothing."""
    image, gradients = PICTURES[0], jnp.array([0.0, 1e-3, 0.0])

    np.testing.assert_allclose(ratio(outer(image, gradients)), image, atol=1e-5)
    np.testing.assert_allclose(rank_one(outer(image, gradients)), image, atol=1e-5)


def outer(image, gradients) -> Dense:
    """A layer's gradient."""
    parts = jnp.outer(image, gradients), gradients
    return eqx.tree_at(lambda one: (one.weight, one.bias), Dense.at_zero(64, len(gradients)), parts)


def test_a_batch_of_two_is_not_taken_apart():
    """What comes out is neither picture."""
    model = Perceptron(64, 32, 10, quick_keys.key(0))
    both = jax.tree.map(
        jnp.add, gradient(model, PICTURES[0], LABELS[0]), gradient(model, PICTURES[1], LABELS[1])
    )

    assert distances(PICTURES[:2], np.stack([ratio(both.first)] * 2)).min() > 0.05


def test_the_filter_finds_the_picture_and_its_label_in_a_plain_update():
    """Of everybody, as the linear model starts at zero."""
    found = filtered(plain(200))

    assert np.array_equal(found.label, LABELS[:200])
    assert distances(PICTURES[:200], found.picture).max() < 1e-3


def test_the_gradients_are_those_of_the_model_at_zero():
    """For each label the gradient of the bias."""
    known = gradients_at_zero(10)
    for label in (0, 7):
        bias = gradient(START, PICTURES[0], label).output.bias
        np.testing.assert_allclose(known[label], bias, atol=1e-6)


def lost(attack, sent) -> float:
    """The mean distance of what it finds; a sign that noise has turned is forgiven."""
    found = jax.vmap(attack)(sent)
    people = PICTURES[: len(found)]
    return np.minimum(distances(people, found), distances(people, -found)).mean()


def test_under_strong_noise_known_gradients_come_nearer_than_unknown_ones():
    """By the mean distance over two hundred reports."""
    sent = PrivUnit2.optimal(DIM, 25.0).sample(quick_keys.key(1), plain(200))
    sent, known = jax.vmap(layer)(sent), gradients_at_zero(10)

    assert lost(lambda one: matched(one, known).picture, sent) < 0.95 * lost(rank_one, sent)


def test_under_noise_all_units_come_nearer_than_one():
    """Rank one against the ratio, in a hidden layer, with noise as long as half of the gradient."""
    model = Perceptron(64, 32, 10, quick_keys.key(0))
    sent = jax.vmap(lambda *person: gradient(model, *person).first)(PICTURES[:50], LABELS[:50])
    norms = jnp.sqrt(jnp.sum(sent.weight**2, (1, 2)) + jnp.sum(sent.bias**2, 1))[:, None, None]
    noise = norms * jax.random.normal(quick_keys.key(1), (50, 65, 32)) / (4 * 65 * 32) ** 0.5
    parts = sent.weight + noise[:, :64], sent.bias + noise[:, 64]
    noisy = eqx.tree_at(lambda one: (one.weight, one.bias), sent, parts)

    assert lost(rank_one, noisy) < 0.5 * lost(ratio, noisy)


@pytest.mark.parametrize("epsilon", [100.0, 500.0])
def test_the_filter_comes_as_near_as_expected(epsilon):
    """Within two hundredths of a cosine, where it finds the label."""
    mechanism, updates = PrivUnit2.optimal(DIM, epsilon), plain(300)
    found = filtered(mechanism.sample(quick_keys.key(2), updates))
    right = np.asarray(found.label) == LABELS[:300]
    cosines = 1 - distances(PICTURES[:300], found.picture) ** 2 / 2
    norm = float(np.linalg.norm(PICTURES[:300], axis=1).mean())
    expected = expected_cosine(1 / mechanism.scale, DIM, 64, norm)

    assert right.mean() > 0.9
    assert cosines[right].mean() == pytest.approx(expected, abs=0.02)


def test_a_larger_model_hides_no_more():
    """At one epsilon the cosine is (2 epsilon/(2 epsilon + k))^(1/2), of 10^4 numbers or 10^7."""
    for dim in (10_000, 10_000_000):
        kept = 1 / PrivUnit2.optimal(dim, 100.0).scale
        assert expected_cosine(kept, dim, 784, 1e3) == pytest.approx((200 / 984) ** 0.5, rel=0.05)


def test_the_filter_treats_all_pictures_of_one_length_alike():
    """Distances of a digit and of a random direction have one law: Kolmogorov and Smirnov's test,
    at a level of 1e-6; reports of a little more epsilon are told apart."""
    mechanism = PrivUnit2.optimal(DIM, 60.0)
    digit = PICTURES[0]
    other = np.random.default_rng(0).normal(size=64)
    other *= np.linalg.norm(digit) / np.linalg.norm(other)

    def off(picture, mechanism, seed):
        update = progress.joined(gradient(START, jnp.float32(picture), 3), DIM)
        sent = mechanism.sample(quick_keys.key(seed), jnp.tile(update, (2000, 1)))
        return distances(np.tile(picture, (2000, 1)), filtered(sent).picture)

    ours = off(digit, mechanism, 0)
    assert kstest(ours, off(other, mechanism, 1)).pvalue > 1e-6
    assert kstest(ours, off(digit, PrivUnit2.optimal(DIM, 75.0), 2)).pvalue < 1e-6


@pytest.mark.parametrize("epsilon", [50.0, 250.0])
def test_no_more_pictures_are_found_than_the_promise_allows(epsilon):
    """For one who knows nothing of pictures; at 250 the promise allows all, and all are found."""
    sent = PrivUnit2.optimal(DIM, epsilon).sample(quick_keys.key(3), plain(200))
    rate = breach_rate(distances(PICTURES[:200], filtered(sent).picture), 0.4, 1 - 1e-6)
    bound = after(Directions(64).log_breach(0.4), epsilon)

    assert rate.low <= bound
    assert rate.share > 0.95 if bound > 0.5 else rate.breaches == 0


@pytest.mark.parametrize("classes", [1, 0, float("nan")])
def test_one_class_is_refused(classes):
    """There is no gradient."""
    with pytest.raises(ValueError, match="there must be at least two classes, got"):
        gradients_at_zero(classes)
