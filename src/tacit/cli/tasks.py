"""What the command line can train: real data, who the people are, and the learner.

A task fixes everything that has no privacy in it. The same task is handed to every trust
model; what differs between them is in `settings`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, final

import jax
import numpy as np
import optax
from jaxtyping import Float, Int, PyTree

from tacit.cli.servers import DESCENT
from tacit.data import digits, mnist
from tacit.data.dataset import Dataset
from tacit.data.people import batches, by_owner
from tacit.federated.classifying import Classifier, accuracy, person_loss
from tacit.federated.training import Training
from tacit.federated.updates import Update
from tacit.learning.rates import Rate
from tacit.models.networks import DigitsNetwork, Softmax
from tacit.population.arrays import Arrays

# One split and one initial model for every setting: rows of a table differ in privacy alone.
SPLIT_SEED = 20
MODEL_KEY = 7
# Images one person holds, or at most holds.
BATCH = 100


@final
@dataclass(frozen=True, eq=False)
class Task:
    """A population, how to start a learner on it, and how well a model does on the test part.

    Args:
      name: what the user asked for.
      population: the people to learn from.
      model: where every training starts.
      at_once: people processed side by side; None for as many as fit.
    """

    name: str
    population: Arrays
    model: Classifier
    test_images: Float[np.ndarray, "test height width"]
    test_labels: np.ndarray
    at_once: int | None

    def learner(
        self,
        update: Update,
        rate: float | Rate,
        average_from: int,
        server: optax.GradientTransformation = DESCENT,
    ) -> Training:
        """The learner of every setting."""
        return Training(self.model, person_loss, update, server, average_from, rate)

    def without(self, count: int) -> tuple[Self, PyTree]:
        """The task of all but so many of the people, drawn once and for all, and their data."""
        order = np.random.default_rng(SPLIT_SEED).permutation(self.population.people)
        out, others = np.sort(order[:count]), np.sort(order[count:])
        people, left = (_people(self.population, rows) for rows in (out, others))
        return replace(self, population=Arrays(left, self.population.name)), people

    def accuracy(self, model: Classifier) -> float:
        """The share of test images the model gets right."""
        return accuracy(model, self.test_images, self.test_labels)


def _people(population: Arrays, rows: Int[np.ndarray, " some"]) -> PyTree:
    return jax.tree.map(lambda leaf: leaf[rows], population.data)


def digits_task(dataset: Dataset | None = None) -> Task:
    """Scikit-learn's digits: every image is a person, the model is linear."""
    data = dataset or digits.load(SPLIT_SEED)
    return Task(
        "digits",
        _one_image_each(data),
        Softmax(64, 10, centre=0.3),
        data.test_images,
        data.test_labels,
        None,
    )


def mnist_task(directory: Path, writers: Path, people: str, linear: bool) -> Task:
    """MNIST: a person is an image, a batch of images, or a real writer."""
    data = mnist.load(directory)
    population = _GROUPINGS[people](data, writers)
    model = Softmax(784, 10, centre=0.13) if linear else DigitsNetwork(jax.random.key(MODEL_KEY))
    return Task(
        "mnist", population, model, data.test_images, data.test_labels, None if linear else 1
    )


def _one_image_each(data: Dataset) -> Arrays:
    present = np.ones((len(data.train_labels), 1), bool)
    records = (data.train_images[:, None], data.train_labels[:, None])
    return Arrays((records, present), data.name)


def _images(data: Dataset, writers: Path) -> Arrays:
    del writers
    return _one_image_each(data)


def _batches(data: Dataset, writers: Path) -> Arrays:
    del writers
    order = np.random.default_rng(SPLIT_SEED)
    images, labels = batches(data.train_images, data.train_labels, BATCH, order)
    return Arrays(((images, labels), np.ones(labels.shape, bool)), f"{data.name} batches")


def _writers(data: Dataset, writers: Path) -> Arrays:
    owners = mnist.writers(writers, data.train_labels)
    rows, present, _ = by_owner(owners, BATCH, np.random.default_rng(SPLIT_SEED))
    records = (data.train_images, data.train_labels)
    return Arrays.from_records(records, rows, present, f"{data.name} writers")


_GROUPINGS: dict[str, Callable[[Dataset, Path], Arrays]] = {
    "images": _images,
    "batches": _batches,
    "writers": _writers,
}
