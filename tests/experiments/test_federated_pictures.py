"""Experiments on pictures: what is asked of whom, how far the server moves, and what is seen."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from experiments.tiny import STUDY, data, way
from tacit.experiments import federated_pictures as experiment
from tacit.experiments.federated_pictures import Pictures
from tacit.experiments.pictures_study import Scale
from tacit.models.networks import Softmax


@pytest.fixture(scope="module")
def held() -> Pictures:
    return Pictures.of(data(), way(), 5)


def test_people_hold_as_many_pictures_as_the_model_takes_them(held):
    """What is left over belongs to nobody; models are looked at with the test part."""
    (images, labels), present = held.people.data

    assert images.shape == (40, 5, 8, 4) and labels.shape == (40, 5) and present.all()
    assert held.images.shape == (100, 8, 4) and held.labels.shape == (100,)


def test_trials_are_independent_looked_at_and_told_of(held):
    """Five looks a trial, and `told` of every round of both."""
    told: list[int] = []
    scale = Scale(pictures=5, played=4, rounds=20, trials=2)
    found = experiment.learned(STUDY, scale, way(), 50.0, held, told.append)

    assert told == list(range(1, 41))
    assert found.rounds == (4, 8, 12, 16, 20) and found.accuracies.shape == (2, 5)
    assert found.numbers == 66 and found.error > 0
    assert found.rate == way().rate(found.error, 20)
    assert found.public is not None and found.public[0] <= 2.0


def test_without_privacy_the_same_people_teach_what_they_know(held):
    """All of what is left out is noise and promises."""
    found = experiment.learned(STUDY, STUDY.small, way(), math.inf, held, lambda done: None)

    assert found.accuracies[0, -1] == 1.0
    assert (found.error, found.public, found.rate) == (0.0, None, 2.0)


def test_seeds_begin_trials(held):
    """The second trial of a seed is the first of the next."""
    scale = Scale(pictures=5, played=4, rounds=5, trials=2)
    both = experiment.learned(STUDY, scale, way(), 10.0, held, lambda done: None)
    next_one = Scale(pictures=5, played=4, rounds=5, trials=1, seed=1)
    one = experiment.learned(STUDY, next_one, way(), 10.0, held, lambda done: None)

    np.testing.assert_array_equal(both.accuracies[1], one.accuracies[0])


def test_the_last_look_is_at_all_test_pictures(held):
    """Those on the way at the first of them."""
    model = Softmax(32, 2)
    object.__setattr__(model.output, "bias", jnp.array([1.0, 0.0]))

    assert held.accuracy(model, None) == pytest.approx(np.mean(held.labels == 0))
    assert held.accuracy(model, 10) == pytest.approx(np.mean(held.labels[:10] == 0))
