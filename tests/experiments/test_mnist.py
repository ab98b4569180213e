"""MNIST as the experiment has it: the models' sizes, and features of pictures."""

import math
from functools import partial

import jax
import numpy as np

from signals import asks
from tacit.experiments import mnist
from tacit.features.scattering import Scattering
from tacit.features.scattering_features import ScatteringFeatures
from tacit.learning import progress

PUBLISHED, OURS = mnist.STUDY.ways


def test_reports_have_as_many_numbers_as_models():
    """The network of the source, and a linear model of features and a bias."""
    assert progress.size(PUBLISHED.start(None).model) == 3_274_634
    assert progress.size(OURS.start(None).model) == 39_700


def test_a_row_of_features_is_as_long_as_the_model_is_wide():
    """What is scattered of 28 by 28 pixels."""
    assert math.prod(Scattering(28, 28).shape) == OURS.start(None).model.output.weight.shape[0]


def test_a_signal_is_heard_while_features_are_made_and_while_pictures_have_theirs(monkeypatch):
    """Before every few, of 60 leaves and one picture."""
    monkeypatch.setattr(mnist, "ScatteringFeatures", partial(ScatteringFeatures, pictures=60))
    images = np.zeros((1, 8, 8), np.float32)

    assert asks(lambda heard: OURS.start(None).prepared(images, heard)) == 2


def test_every_start_is_the_same():
    """So ways differ by what devices send alone."""
    one, other = (jax.tree.leaves(PUBLISHED.start(None).model) for _ in range(2))

    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_budgets_are_those_of_the_source():
    """And one without privacy."""
    assert mnist.STUDY.directions == (50.0, 100.0, 250.0, 500.0, math.inf)
