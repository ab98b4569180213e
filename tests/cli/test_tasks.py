"""What can be trained: who the people are, and how a model is measured."""

import jax.numpy as jnp
import numpy as np
import pytest

import idx_files
from tacit.cli import tasks
from tacit.data.dataset import Dataset
from tacit.federated.updates import GradientSteps
from tacit.models.networks import DigitsNetwork, Softmax

UPDATE = GradientSteps(1, 0.1)


def dataset(train=6, test=4) -> Dataset:
    draw = np.random.default_rng(0)
    images = [draw.uniform(0, 1, (n, 8, 8)).astype(np.float32) for n in (train, test)]
    labels = [draw.integers(0, 10, n).astype(np.int32) for n in (train, test)]
    return Dataset("tiny", 10, images[0], labels[0], images[1], labels[1])


def test_a_task_measures_on_its_own_test_part():
    """A linear model that always says three is right as often as three occurs."""
    data = dataset(test=50)
    task = tasks.digits_task(data)
    model = Softmax(64, 10)
    object.__setattr__(model.output, "bias", jnp.zeros(10).at[3].set(1.0))

    assert pytest.approx(np.mean(data.test_labels == 3)) == task.accuracy(model)


def test_every_digit_is_a_person():
    """One image and its label each, all of the training part and nothing of the test part."""
    data = dataset()
    task = tasks.digits_task(data)
    (images, labels), present = task.population.data

    assert 6 == task.population.people
    np.testing.assert_array_equal(data.train_images, images[:, 0])
    np.testing.assert_array_equal(data.train_labels, labels[:, 0])
    assert present.shape == (6, 1) and present.all()
    assert "tiny" == task.population.name


def test_every_setting_learns_from_the_same_start_in_the_same_way():
    """Only rate, average and update differ: one model, one loss, one optimiser object."""
    task = tasks.digits_task(dataset())
    first, second = task.learner(UPDATE, 0.5, 2), task.learner(UPDATE, 3.0, 0)

    assert first.model is second.model is task.model
    assert first.optimizer is second.optimizer and first.loss is second.loss
    assert (0.5, 2, 3.0, 0) == (
        float(first.rate),
        first.average_from,
        float(second.rate),
        second.average_from,
    )


def test_people_who_are_held_out_are_no_part_of_the_task():
    """Everybody is in one of the two, the same in every run; the population keeps its name."""
    task = tasks.digits_task(dataset(train=30))
    rest, people = task.without(10)
    again, _ = task.without(10)
    (images, labels), present = people
    (own, _), _ = rest.population.data
    (whole, _), _ = task.population.data

    assert (20, 10, 10, 10) == (rest.population.people, len(images), len(labels), len(present))
    assert rest.population.name == task.population.name
    np.testing.assert_array_equal(np.unique(whole), np.unique(np.concatenate([own, images])))
    np.testing.assert_array_equal(own, again.population.data[0][0])
    assert not np.array_equal(images, whole[-10:])


def test_the_digits_are_split_the_same_way_every_time():
    """1,437 people to learn from and 360 images to measure on, none of them in both."""
    first, again = tasks.digits_task(), tasks.digits_task()
    (images, _), _ = first.population.data

    assert (1437, 360) == (first.population.people, len(first.test_labels))
    np.testing.assert_array_equal(images, again.population.data[0][0])
    np.testing.assert_array_equal(first.test_images, again.test_images)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small MNIST with writers."""
    return idx_files.make_mnist(tmp_path_factory.mktemp("mnist")).directory


@pytest.mark.parametrize(
    "who, people, held", [("images", 1400, 1), ("batches", 14, 100), ("writers", 30, 100)]
)
def test_mnist_is_grouped_into_the_people_asked_for(folder, who, people, held):
    """An image, a batch of a hundred, or a writer; each group is a population of its own name."""
    task = tasks.mnist_task(folder, folder, who, linear=True)
    (images, labels), present = task.population.data

    assert people == task.population.people
    assert (people, held, 28, 28) == images.shape
    assert (people, held) == labels.shape == present.shape
    assert 1400 == present.sum() and 300 == len(task.test_labels)


def test_populations_of_different_people_have_different_ledgers(folder):
    """A batch's budget is not an image's."""
    names = {
        tasks.mnist_task(folder, folder, who, linear=True).population.name
        for who in ("images", "batches", "writers")
    }

    assert 3 == len(names)


def test_a_large_network_runs_one_person_at_a_time(folder):
    """The linear model may take as many at once as fit."""
    linear, network = (
        tasks.mnist_task(folder, folder, "batches", linear=kind) for kind in (True, False)
    )

    assert linear.at_once is None and isinstance(linear.model, Softmax)
    assert 1 == network.at_once and isinstance(network.model, DigitsNetwork)
