"""CIFAR-10 as the experiment has it: the models' sizes, crops and features of photographs."""

import math

import jax
import numpy as np

from tacit.experiments import cifar
from tacit.experiments.cifar import crops_of
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
