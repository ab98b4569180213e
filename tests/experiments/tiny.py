"""An experiment on pictures that takes a second."""

import math

import numpy as np
import optax

from tacit.accounting.relation import Relation
from tacit.experiments.records import Records, Start
from tacit.experiments.study import Recipe, Scale, Study
from tacit.features.chunks import Heard
from tacit.models.networks import Softmax
from tacit.trust.central import Central


def halves(images: np.ndarray, heard: Heard) -> np.ndarray:
    del heard
    return images[:, :, :4]


def way(**changed) -> Recipe:
    common = {"local": 0.5, "free": 2.0, "wander": 3.0, "optimizer": optax.sgd(1.0)}
    return Recipe("half", lambda pretrained: Start(Softmax(32, 2), halves), **{**common, **changed})


STUDY = Study(
    name="tiny",
    title="bright and dark",
    section="nowhere",
    read=lambda folder: data(),
    directions=(50.0, math.inf),
    magnitude=10.0,
    central=Central(2.0, 1e-6, Relation.ADD_REMOVE),
    people=10**5,
    cohort=1000,
    steps=2,
    ways=(way(),),
    small=Scale(records=5, played=4, rounds=20),
    full=Scale(records=5, played=8, rounds=20, trials=2),
)


def data() -> Records:
    """Pictures whose left halves are bright or dark, as their labels say."""
    draw = np.random.default_rng(3)
    labels = [draw.integers(0, 2, n).astype(np.int32) for n in (203, 100)]
    images = [np.repeat(own[:, None] * 0.8, 64, 1).reshape(-1, 8, 8) for own in labels]
    noisy = [(each + draw.uniform(0, 0.2, each.shape)).astype(np.float32) for each in images]
    return Records("tiny", noisy[0], labels[0], noisy[1], labels[1])
