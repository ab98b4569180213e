"""Scikit-learn's 1,797 handwritten digits of 8x8 pixels: a dataset that needs no download.

No two of the images are equal, so a division of the rows is also a division of the images: no
test image has a copy among the training images. The same 13 people wrote both parts, though, so
test accuracy here is accuracy on known hands.

References: E. Alpaydin, C. Kaynak, "Optical recognition of handwritten digits", UCI Machine
Learning Repository, 1998 (its test set).
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tacit.data.dataset import DataError, Dataset, two_parts

# A fifth of them, rounded up: a choice.
_TEST = 360
# A pixel counts those that are black in a square of 4x4 of the scan.
_DARKEST = np.float32(16)
_FILE = "datasets/data/digits.csv.gz"


def load(split_seed: int) -> Dataset:
    """Scikit-learn's digits, values / 16, divided at random: 1,437 to train on, 360 to test.

    The division is uniform over all divisions, not stratified, and a function of `split_seed`
    alone.
    """
    rows = np.loadtxt(_file(), np.float32, delimiter=",")
    images = (rows[:, :-1] / _DARKEST).reshape(-1, 8, 8)
    labels = rows[:, -1].astype(np.int32)
    train, test = two_parts(labels.size, _TEST, split_seed)
    return Dataset(
        name="digits",
        classes=10,
        train_images=images[train],
        train_labels=labels[train],
        test_images=images[test],
        test_labels=labels[test],
    )


def _file() -> Path:
    """Scikit-learn's own file, found without importing it: that takes longer than reading it."""
    found = find_spec("sklearn")
    if found is None or found.origin is None:
        raise DataError("the digits are scikit-learn's, and it is not installed")
    return Path(found.origin).parent / _FILE
