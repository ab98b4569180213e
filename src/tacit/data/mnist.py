"""MNIST from its four IDX files, and its writers from QMNIST's label file.

QMNIST traced every MNIST image back to the NIST archive it was cut from, whose records name the
writer. Row i of its training labels describes MNIST training image i; that this holds for the
files at hand is not assumed but checked, label by label, before a writer is believed: a file for
other images, or in another order, is refused.

References: C. Yadav, L. Bottou, "Cold case: the lost MNIST digits", NeurIPS 2019.
"""

from pathlib import Path

import numpy as np
from jaxtyping import Float32, Int, Int32

from tacit.data import idx
from tacit.data.dataset import WHITE, DataError, Dataset

# Pixels along a side of every image.
_SIDE = 28
# Of QMNIST's table: which columns are the label and the writer's number, and how many there are.
_LABEL_COLUMN, _WRITER_COLUMN, _COLUMNS = 0, 2, 8


def load(directory: Path) -> Dataset:
    """MNIST, or a dataset in its place under the same file names, from `directory`.

    Raises:
      DataError: a file is absent or damaged, images are not 28x28, labels not 0 .. 9, or
        their counts differ.
    """
    return Dataset(
        name="mnist",
        classes=10,
        train_images=_images(directory / "train-images-idx3-ubyte"),
        train_labels=_labels(directory / "train-labels-idx1-ubyte"),
        test_images=_images(directory / "t10k-images-idx3-ubyte"),
        test_labels=_labels(directory / "t10k-labels-idx1-ubyte"),
    )


def writers(
    directory: Path, labels: Int32[np.ndarray, " examples"]
) -> Int[np.ndarray, " examples"]:
    """Each MNIST training image's writer, from `qmnist-train-labels-idx2-int` in `directory`.

    Args:
      labels: MNIST's training labels in published order; the first column must equal them.

    Raises:
      DataError: the file is absent or damaged, or describes other labels.
    """
    path = directory / "qmnist-train-labels-idx2-int"
    table = idx.read(path)
    if table.dtype != np.int32 or table.shape != (labels.size, _COLUMNS):
        raise DataError(
            f"{path} must be int32 of shape {(labels.size, _COLUMNS)}, "
            f"one row for each training label, got {table.dtype} {table.shape}"
        )
    different = np.count_nonzero(table[:, _LABEL_COLUMN] != labels)
    if different:
        raise DataError(
            f"{path} must have the training labels as its first column, got {different} that differ"
        )
    return table[:, _WRITER_COLUMN].copy()


def _images(path: Path) -> Float32[np.ndarray, "examples 28 28"]:
    stored = idx.read(path)
    if stored.dtype != np.uint8 or stored.ndim != 3 or stored.shape[1:] != (_SIDE, _SIDE):
        raise DataError(
            f"{path} must be uint8 of shape (examples, {_SIDE}, {_SIDE}), "
            f"got {stored.dtype} {stored.shape}"
        )
    return stored / WHITE


def _labels(path: Path) -> Int32[np.ndarray, " examples"]:
    stored = idx.read(path)
    if stored.dtype != np.uint8 or stored.ndim != 1:
        raise DataError(
            f"{path} must be uint8 of shape (examples,), got {stored.dtype} {stored.shape}"
        )
    return stored.astype(np.int32)
