"""CIFAR-10 as the experiment has it: the models' sizes, crops and features of photographs."""

import math
from functools import partial

import jax
import numpy as np

from signals import asks
from tacit.experiments import cifar
from tacit.experiments.cifar import crops_of
from tacit.features.colour_features import ColourFeatures
from tacit.learning import progress

PUBLISHED, OURS = cifar.STUDY.ways


def test_reports_have_as_many_numbers_as_models():
    """The network of the source, and a linear model of features and a bias."""
    assert progress.size(PUBLISHED.start(None).model) == 1_068_298
    assert progress.size(OURS.start(None).model) == 28_010


def test_crops_are_the_middle_of_each_image_and_standard():
    """Of one image each: four pixels are cut from every side."""
    images = np.random.default_rng(0).uniform(size=(3, 32, 32, 3)).astype(np.float32)
    crops = crops_of(images)
    middle = images[1, 4:28, 4:28]

    assert crops.shape == (3, 24, 24, 3)
    np.testing.assert_allclose(crops[1], (middle - middle.mean()) / middle.std(), atol=1e-4)


def test_a_signal_is_heard_while_features_are_made_and_while_pictures_have_theirs(monkeypatch):
    """Before every few: ten leaves, twice, and one picture."""
    small = {"patches": 8, "kept": 5, "kept_of_patches": 5, "pictures": 10}
    monkeypatch.setattr(cifar, "ColourFeatures", partial(ColourFeatures, **small))
    images = np.zeros((1, 8, 8, 3), np.float32)

    assert asks(lambda heard: OURS.start(None).prepared(images, heard)) == 3


def test_every_start_is_the_same():
    """So ways differ by what devices send alone."""
    one, other = (jax.tree.leaves(PUBLISHED.start(None).model) for _ in range(2))

    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_budgets_leave_the_caps_the_chances_of_the_source():
    """.731 and .993 with a hundredth for the cap's side, then 1.0 twice; and no privacy."""
    *budgets, free = cifar.STUDY.directions
    chances = [1 / (1 + math.exp(-budget / 100)) for budget in budgets]

    assert math.isinf(free)
    assert [".731", ".993", "1.000", "1.000"] == [f"{c:.3f}".removeprefix("0") for c in chances]
