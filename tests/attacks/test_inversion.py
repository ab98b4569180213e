"""Pixels are found that send what was sent: of a plain update, and not of a noisy one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import quick_keys
from tacit.attacks.breach import distances
from tacit.attacks.inversion import Inversion, label_of
from tacit.data import digits
from tacit.learning import progress
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.models.convolution import Convolution
from tacit.models.layers import Dense

DIGITS = digits.load(0)
PICTURES, LABELS = jnp.asarray(DIGITS.test_images[:4]), jnp.asarray(DIGITS.test_labels[:4])
SEARCH = Inversion((8, 8), steps=200, abreast=4)


class Small(eqx.Module):
    """A convolution, a rectifier and a dense layer: no layer is fed with pixels one by one."""

    first: Convolution
    last: Dense

    def __init__(self, key):
        keys = jax.random.split(key)
        self.first = Convolution(1, 8, (3, 3), keys[0], padding=(1, 1))
        self.last = Dense(8 * 64, 10, keys[1])

    def __call__(self, image):
        return self.last(jax.nn.relu(self.first(image[None, ..., None])).reshape(-1))


@pytest.fixture(scope="module")
def model() -> Small:
    return Small(quick_keys.key(0))


@pytest.fixture(scope="module")
def update(model):
    """The gradient at one picture."""

    def of(image, label):
        def loss(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(image), label)

        return progress.joined(eqx.filter_grad(loss)(model), progress.size(model))

    return of


@pytest.fixture(scope="module")
def plain(update):
    return jax.vmap(update)(PICTURES, LABELS)


@pytest.fixture(scope="module")
def found(plain, update):
    """Of updates that were clipped, the labels being known."""
    return SEARCH(quick_keys.key(1), 0.01 * plain, LABELS[:, None], update)


def test_a_plain_update_gives_the_picture_away(found):
    """Of at least three in four people within a tenth, though no layer holds the pixels."""
    assert np.median(found.cosine) > 0.99
    assert (distances(PICTURES, found.picture) < 0.1).sum() >= 3


def test_a_report_of_few_bits_does_not(plain, update):
    """At epsilon 50 nothing within 0.4 is found: 64 pixels leave a cosine of 0.8 at best."""
    sent = PrivUnit2.optimal(plain.shape[1], 50.0).sample(quick_keys.key(2), plain)
    guesses = SEARCH(quick_keys.key(1), sent, LABELS[:, None], update)

    assert distances(PICTURES, guesses.picture).min() > 0.4


def test_pixels_are_between_white_and_black(found):
    """Whatever the search would like."""
    assert found.picture.shape == PICTURES.shape
    assert found.picture.min() >= 0 and found.picture.max() <= 1


def test_a_search_is_a_function_of_its_key(plain, found, update):
    """To the bit; another key starts elsewhere."""
    again = SEARCH(quick_keys.key(1), 0.01 * plain, LABELS[:, None], update)
    other = SEARCH(quick_keys.key(9), 0.01 * plain, LABELS[:, None], update)

    assert np.array_equal(again.picture, found.picture)
    assert not np.array_equal(other.picture, found.picture)


def test_a_plain_label_is_read_from_the_last_bias(plain, model):
    """It alone has a negative number."""
    layers = jax.vmap(progress.flat(model)[1])(plain)

    assert np.array_equal(jax.vmap(label_of)(layers.last.bias), LABELS)


def test_the_label_that_explains_most_is_kept(plain, update):
    """Of the right one and a wrong one, in either order."""
    wrong = (LABELS + 1) % 10
    tries = jnp.stack([wrong, LABELS], 1).at[0].set(jnp.array([LABELS[0], wrong[0]]))
    guessed = SEARCH(quick_keys.key(1), plain, tries, update)

    assert np.array_equal(guessed.label, LABELS)


def test_a_smooth_search_finds_smoother_pictures(plain, found, update):
    """The more, the more its total variation costs."""

    def variation(pictures):
        return np.abs(np.diff(pictures, axis=1)).mean() + np.abs(np.diff(pictures, axis=2)).mean()

    search = eqx.tree_at(lambda one: one.smoothness, SEARCH, 1.0)
    smooth = search(quick_keys.key(1), plain, LABELS[:, None], update)

    assert variation(np.asarray(smooth.picture)) < 0.9 * variation(np.asarray(found.picture))


@pytest.mark.parametrize(
    "numbers, sentence",
    [
        ({"shape": (8,)}, r"a picture has a height and a width, got shape \(8,\)"),
        ({"steps": 0}, "steps must be a whole number from 1 on, got 0"),
        ({"abreast": 1.5}, "abreast must be a whole number from 1 on, got 1.5"),
        ({"rate": float("nan")}, "rate must be positive and finite, got nan"),
        ({"smoothness": float("nan")}, "smoothness must be at least zero, got nan"),
    ],
)
def test_what_is_no_search_is_refused(numbers, sentence):
    """With what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        Inversion(**{"shape": (8, 8)} | numbers)
