"""MNIST by federated learning: a network of millions of weights, and a model of few on features.

Five gradient steps on a device, 100 rounds, a magnitude of e_2 = 10, directions of e_1 from 50 to
500, and a server's noise for a population of 10^7 of whom 20,000 come in a round.

| way | model | numbers in a report |
| --- | --- | --- |
| published | two convolutions and two dense layers | 3,274,634 |
| ours | linear, on features that no data were used for (`ScatteringFeatures`) | 39,700 |

A report of d numbers at e_1 has an error of about d/(2 e_1), whatever it is about, so a model of
few numbers is what a budget is best spent on. The features are public, and cost nothing.

What the source used of pictures a device, people a round, e_2 and the server's promise is lost.
Chosen were e_2 as in its other experiments and (2, 1e-7) for the server, and rates on 10,000 of
the training pictures where the other 50,000 were learned from. Test pictures were looked at for
curves alone.

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning", section 5.2, figure 4 (a).
"""

import math
from pathlib import Path

import jax
import numpy as np
import optax

from tacit.data import mnist
from tacit.experiments.records import Records, Start, unprepared
from tacit.experiments.study import Recipe, Scale, Study
from tacit.features.chunks import Heard
from tacit.features.scattering_features import ScatteringFeatures
from tacit.models.networks import DigitsNetwork, Softmax

# Of features: longer than the bias's 1.
LENGTH = 3.0
MODEL_KEY = 7


def features_of(images: np.ndarray, heard: Heard) -> np.ndarray:
    """A row of 3,969 numbers for each."""
    made = ScatteringFeatures(*images.shape[1:], length=LENGTH, heard=heard)
    return made(images, heard)


def read(folder: Path) -> Records:
    """The digits in a folder."""
    return Records.of_pictures(mnist.load(folder))


STUDY = Study(
    name="mnist",
    title="MNIST's digits",
    section="section 5.2 of Bhowmick et al. 2018",
    read=read,
    directions=(50.0, 100.0, 250.0, 500.0, math.inf),
    ways=(
        Recipe(
            name="published",
            start=lambda pretrained: Start(DigitsNetwork(jax.random.key(MODEL_KEY)), unprepared),
            optimizer=optax.sgd(1.0),
            local=0.05,
            free=0.3,
            wander=60.0,
        ),
        Recipe(
            name="ours",
            start=lambda pretrained: Start(Softmax(3969, 10), features_of),
            optimizer=optax.sgd(1.0),
            local=0.05,
            free=3.0,
            wander=60.0,
        ),
    ),
    small=Scale(records=20, played=8),
    full=Scale(records=100, played=200, trials=20),
)
