"""Classifiers: the loss of a person who has several records, and the share of right answers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.federated.classifying import accuracy, person_loss, person_right, places_loss
from tacit.models.networks import Softmax


def by_brightness(images):
    """A model that scores class c highest if the first pixel is c / 10."""
    return -jnp.abs(images[:, 0, 0, None] - jnp.arange(10) / 10)


@pytest.mark.parametrize("count", [1, 999, 1000, 1001, 2300])
def test_accuracy_is_the_share_of_right_answers(count):
    """Whatever the number of images, in chunks or not, and over the last, shorter chunk too."""
    draw = np.random.default_rng(1)
    told, labels = draw.integers(0, 10, count), draw.integers(0, 10, count)
    images = np.zeros((count, 8, 8), np.float32)
    images[:, 0, 0] = told / 10

    assert pytest.approx(np.mean(told == labels)) == accuracy(by_brightness, images, labels)


def test_a_model_that_diverged_has_no_answer_right():
    """Whatever the labels are: NaN is not the class it is first found at."""
    images = np.zeros((4, 8, 8), np.float32)

    def diverged(images):
        return jnp.where(jnp.arange(10) < 3, jnp.nan, jnp.zeros((len(images), 10)))

    assert accuracy(diverged, images, np.zeros(4, np.int32)) == 0.0
    assert accuracy(diverged, images, np.full(4, 5, np.int32)) == 0.0


def test_a_persons_loss_is_the_mean_over_the_records_they_have():
    """Empty places count for nothing."""
    images, labels = jnp.ones((3, 8, 8)) * 0.3, jnp.array([1, 2, 9])
    model = Softmax(64, 10)
    object.__setattr__(model.output, "bias", jnp.arange(10.0))
    losses = -jax.nn.log_softmax(jnp.arange(10.0))
    loss = person_loss(model, ((images, labels), jnp.array([True, True, False])))

    assert pytest.approx(float(losses[1] + losses[2]) / 2, rel=1e-5) == float(loss)


def test_what_a_person_has_right_is_a_share_of_the_records_they_have():
    """Empty places count for nothing, even where the guess is their label; of no record it is 0."""
    images, labels = np.zeros((4, 8, 8), np.float32), np.array([1, 2, 3, 4])
    images[:, 0, 0] = np.array([1, 2, 5, 4]) / 10
    shares = [
        float(person_right(by_brightness, ((images, labels), np.array(present))))
        for present in ([1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0])
    ]

    assert shares == [0.75, 0.5, 0.0, 0.0]


def test_places_where_nothing_is_are_not_counted():
    """Of labels with several places a record, those that are negative."""

    def second(inputs):
        return jnp.zeros((*inputs.shape, 3)).at[..., 1].set(1.0)

    labels = np.array([[1, 1, -1], [0, -1, -1]])

    assert accuracy(second, np.zeros((2, 3), np.int32), labels) == pytest.approx(2 / 3)


def test_a_persons_loss_over_places_is_the_mean_of_those_there_are():
    """Not of records' means: two places of one record and one of another count alike."""

    def model(inputs):
        return jnp.broadcast_to(jnp.arange(3.0), (*inputs.shape, 3))

    labels = jnp.array([[0, 1], [2, -1], [1, 1]])
    person = (jnp.zeros((3, 2)), labels), jnp.array([True, True, False])
    losses = -jax.nn.log_softmax(jnp.arange(3.0))

    assert float(places_loss(model, person)) == pytest.approx(float(losses.sum()) / 3, rel=1e-5)
