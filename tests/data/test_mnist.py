"""MNIST is read as published, its writers only if they match it; all else is refused."""

import dataclasses

import numpy as np
import pytest

import idx_files
from tacit.data import mnist, people
from tacit.data.dataset import DataError

SMALL = np.arange(3 * 784, dtype=np.uint32).astype(np.uint8).reshape(3, 28, 28)
LABELS = np.array([0, 9, 5], np.uint8)


@pytest.fixture(scope="module", params=[idx_files.ORIGIN])
def source(tmp_path_factory):
    """MNIST on disk."""
    return idx_files.mnist(tmp_path_factory.mktemp("mnist"))


@pytest.fixture(scope="module")
def dataset(source):
    """MNIST in memory."""
    return mnist.load(source.directory)


@pytest.fixture
def three(tmp_path):
    """A folder with three images for training and three to test."""
    for part in ("train", "t10k"):
        idx_files.write(tmp_path / f"{part}-images-idx3-ubyte", SMALL)
        idx_files.write(tmp_path / f"{part}-labels-idx1-ubyte.gz", LABELS)
    return tmp_path


def test_all_of_it_is_there(source, dataset):
    """Counts and the mean pixel are the known ones, and the range is exactly [0, 1]."""
    assert (source.train, 28, 28) == dataset.train_images.shape
    assert (source.test, 28, 28) == dataset.test_images.shape
    assert (dataset.train_images.min(), dataset.train_images.max()) == (0, 1)
    assert source.mean_pixel == pytest.approx(dataset.train_images.mean(dtype=float), abs=1e-4)


def test_all_classes_are_there(dataset):
    """Training and test labels are each of 0 .. 9."""
    np.testing.assert_array_equal(np.arange(10), np.unique(dataset.train_labels))
    np.testing.assert_array_equal(np.arange(10), np.unique(dataset.test_labels))


def test_writers_of_all_of_it(source, dataset):
    """Every training image has a writer, as many as known, and grouping loses no image."""
    owners = mnist.writers(source.writers_directory, dataset.train_labels)
    _, mask, ids = people.by_owner(owners, 200, np.random.default_rng(0))
    assert source.writers == ids.size
    assert source.train == mask.sum()
    assert "owners=known" in repr(dataclasses.replace(dataset, train_owners=owners))


def test_pixels_are_the_nearest_floats(three):
    """Byte k becomes the float nearest to k / 255, and every image keeps its place and label."""
    dataset = mnist.load(three)
    np.testing.assert_array_equal((SMALL / 255).astype(np.float32), dataset.train_images)
    np.testing.assert_array_equal(LABELS, dataset.test_labels)


@pytest.mark.parametrize("name", ["train-images-idx3", "train-labels-idx1", "t10k-images-idx3"])
def test_missing_file_is_named(three, name):
    """A missing file is named with and without .gz."""
    for path in three.glob(f"{name}*"):
        path.unlink()
    with pytest.raises(DataError, match=f"{name}-ubyte or {name}-ubyte.gz"):
        mnist.load(three)


@pytest.mark.parametrize(
    ("name", "array", "sentence"),
    [
        ("train-images-idx3-ubyte", SMALL[:2], "mnist train labels must .* each of the 2 images"),
        ("t10k-images-idx3-ubyte", SMALL[:2], "mnist test labels must .* each of the 2 images"),
        ("train-images-idx3-ubyte", SMALL[:, 1:], r"\(examples, 28, 28\), got uint8 \(3, 27, 28\)"),
        ("train-images-idx3-ubyte", SMALL.reshape(3, 784), r"got uint8 \(3, 784\)"),
        ("train-images-idx3-ubyte", SMALL.astype("f4"), "must be uint8 .* got float32"),
        ("t10k-labels-idx1-ubyte.gz", LABELS.astype("i4"), "must be uint8 .* got int32"),
        ("t10k-labels-idx1-ubyte.gz", LABELS[:, None], r"shape \(examples,\), got uint8 \(3, 1\)"),
        ("train-labels-idx1-ubyte.gz", LABELS + np.uint8(1), r"train labels must lie in 0 \.\. 9"),
        ("t10k-labels-idx1-ubyte.gz", LABELS + np.uint8(250), r"test labels must lie in 0 \.\. 9"),
    ],
)
def test_wrong_content_is_refused(three, name, array, sentence):
    """A file that is sound IDX but not what its name says is refused."""
    idx_files.write(three / name, array)
    with pytest.raises(DataError, match=sentence):
        mnist.load(three)


def table(labels) -> np.ndarray:
    """Rows as in QMNIST's label file, with writers 100, 101, ..."""
    rows = np.full((len(labels), 8), -1, np.int32)
    rows[:, 0] = labels
    rows[:, 2] = 100 + np.arange(len(labels))
    return rows


def test_writers_are_the_third_column(tmp_path):
    """The writer is column 2 of the table, row for row."""
    idx_files.write(tmp_path / "qmnist-train-labels-idx2-int", table(LABELS))
    writers = mnist.writers(tmp_path, LABELS.astype(np.int32))
    np.testing.assert_array_equal([100, 101, 102], writers)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (table(LABELS[::-1]), "the training labels as its first column, got 2 that differ"),
        (table(LABELS[:2]), r"int32 of shape \(3, 8\), .* got int32 \(2, 8\)"),
        (table(LABELS)[:, :7], r"int32 of shape \(3, 8\), .* got int32 \(3, 7\)"),
        (table(LABELS).astype("i2"), "int32 of shape .* got int16"),
    ],
)
def test_writers_of_something_else_are_refused(tmp_path, rows, sentence):
    """A table for other images, in another order or of another layout is refused."""
    idx_files.write(tmp_path / "qmnist-train-labels-idx2-int.gz", np.ascontiguousarray(rows))
    with pytest.raises(DataError, match=sentence):
        mnist.writers(tmp_path, LABELS.astype(np.int32))


def test_writers_file_missing(tmp_path):
    """Without QMNIST's file there are no writers, and both names are told."""
    with pytest.raises(DataError, match=r"qmnist-train-labels-idx2-int or .*-int\.gz"):
        mnist.writers(tmp_path, LABELS.astype(np.int32))


def test_made_files_are_learnable_mnist(tmp_path):
    """The stand-in for absent files loads like the published ones, writers included."""
    made = idx_files.make_mnist(tmp_path)
    dataset = mnist.load(made.directory)
    assert (dataset.train_labels.size, dataset.test_labels.size) == (1400, 300)
    assert np.unique(mnist.writers(tmp_path, dataset.train_labels)).size == 30
