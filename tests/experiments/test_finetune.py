"""Refitting as the experiment has it: who holds what, what is public, and what people refit."""

import math
from types import SimpleNamespace as Namespace

import equinox as eqx
import numpy as np
import pytest

import quick_keys
from signals import asks, unheard
from tacit.data.dataset import Dataset
from tacit.experiments import finetune
from tacit.experiments.cifar import crops_of
from tacit.experiments.finetune import STUDY, OpenLayers, parted
from tacit.experiments.records import unprepared
from tacit.federated.classifying import accuracy
from tacit.learning import progress
from tacit.models.colour_network import ColourNetwork

PUBLISHED, OURS = STUDY.ways
DRAW = np.random.default_rng(4)


def pictures(many: int, classes: int = 10):
    """Each as bright as its label says, up to noise, on one side."""
    labels = DRAW.permutation(np.arange(many) % classes).astype(np.int32)
    images = DRAW.uniform(0, 0.2, (many, 32, 32, 3)).astype(np.float32)
    images[:, :, :16] += 0.08 * labels[:, None, None, None]
    return images, labels


@pytest.fixture(scope="module")
def data() -> Dataset:
    return Dataset("pictures", 10, *pictures(120), *pictures(50))


@pytest.fixture
def quick(monkeypatch) -> ColourNetwork:
    """A network that nothing was learned by, in place of pretraining."""
    network = ColourNetwork(quick_keys.key(3))
    monkeypatch.setattr(finetune, "pretrained", lambda *_, heard: network)
    return network


def test_classes_are_of_everybody_or_of_people(data):
    """Each picture of one of them is on its side, once."""
    found = parted(data)
    images, labels = found.public

    assert (len(labels), len(found.labels), len(found.test_labels)) == (60 + 25, 60, 25)
    everything = np.concatenate([data.train_images, data.test_images])
    kinds = np.concatenate([data.train_labels, data.test_labels])
    np.testing.assert_array_equal(images, everything[kinds < 5])
    np.testing.assert_array_equal(labels, kinds[kinds < 5])
    np.testing.assert_array_equal(found.inputs, data.train_images[data.train_labels >= 5])
    np.testing.assert_array_equal(found.labels + 5, data.train_labels[data.train_labels >= 5])
    np.testing.assert_array_equal(found.test_inputs, data.test_images[data.test_labels >= 5])
    np.testing.assert_array_equal(found.test_labels + 5, data.test_labels[data.test_labels >= 5])


def test_pretraining_sees_no_picture_of_people(data, monkeypatch):
    """Networks and directions are of public pictures, and of nothing else."""
    seen = []

    def public_of(own, *_, heard):
        seen.append(own)
        return unprepared

    monkeypatch.setattr(
        finetune, "pretrained", lambda model, _, own, *__, heard: seen.append(own) or model
    )
    monkeypatch.setattr(finetune, "PatchDirections", Namespace(of=public_of))
    images, labels = parted(data).public
    for way in STUDY.ways:
        way.start(STUDY.pretrained((images, labels), unheard))

    (crops, told), pictures = seen
    np.testing.assert_array_equal(crops, crops_of(images))
    np.testing.assert_array_equal(told, labels)
    np.testing.assert_array_equal(pictures, images)


def test_pretraining_tells_public_classes_apart():
    """Pictures that it has not seen, where a guess is right one time in five."""
    images, labels = pictures(260, classes=5)
    made = finetune.network_of(STUDY.pretrained((images[:200], labels[:200]), unheard))

    assert accuracy(made, np.asarray(crops_of(images[200:])), labels[200:]) > 0.6


def test_a_signal_is_heard_while_a_network_is_pretrained(data):
    """Before its next step."""

    def signalled():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune.network_of(STUDY.pretrained(parted(data).public, signalled))


def test_a_signal_is_heard_while_directions_are_found_and_pictures_prepared(quick, monkeypatch):
    """Before every few of them, in either way."""
    monkeypatch.setattr(finetune, "KEPT", 6)
    monkeypatch.setattr(finetune, "CHUNK", 2)
    public, own = pictures(12, classes=5), pictures(4)[0]
    ours, published = (way.start(STUDY.pretrained(public, unheard)) for way in (OURS, PUBLISHED))

    assert asks(lambda heard: OURS.start(STUDY.pretrained(public, heard))) == 2
    assert asks(lambda heard: ours.prepared(own, heard)) == 1
    assert asks(lambda heard: published.prepared(own, heard)) == 2


def test_reports_have_as_many_numbers_as_what_is_open(data, quick, monkeypatch):
    """The last two layers of the network, and a linear model of directions and a bias."""
    monkeypatch.setattr(finetune, "PatchDirections", Namespace(of=lambda *_, heard: unprepared))
    public = STUDY.pretrained(parted(data).public, unheard)

    assert progress.size(PUBLISHED.start(public).model) == 74_885
    assert progress.size(OURS.start(public).model) == 97 * 5


def test_a_row_of_directions_is_as_long_as_the_model_is_wide(monkeypatch):
    """For everybody's pictures and for people's."""
    monkeypatch.setattr(finetune, "KEPT", 6)
    start = OURS.start(STUDY.pretrained(pictures(12, classes=5), unheard))

    rows = start.prepared(pictures(4)[0], unheard)
    assert rows.shape == (4, 6) and start.model(rows).shape == (4, 5)


def test_open_layers_on_closed_ones_are_the_network(data, quick):
    """With its own softmax in place of the new one."""
    start = PUBLISHED.start(STUDY.pretrained(parted(data).public, unheard))
    assert isinstance(start.model, OpenLayers)
    whole = eqx.tree_at(lambda model: model.output, start.model, quick.output)
    images = data.test_images[:7]

    rows, expected = start.prepared(images, unheard), quick(crops_of(images))
    np.testing.assert_allclose(whole(rows), expected, rtol=1e-4, atol=1e-4)
    assert not np.any(start.model(rows))


def test_a_device_takes_fifteen_steps():
    """As in the source; one setting is without privacy."""
    assert STUDY.steps == 15 and math.isinf(STUDY.directions[-1])
