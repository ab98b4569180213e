"""CIFAR-10 from the files of its binary version: 32x32 photographs of ten kinds of things.

    label | 1,024 red bytes | 1,024 green | 1,024 blue, each row by row        3,073 bytes a record

A file has no header. What it promises is the format's: 10,000 records, and neither a byte less nor
one more. Images come out as [examples, 32, 32, 3]: colours last, as a convolution takes them.

Where the test file is not there, a fifth of the training images stands in its place, by one public
permutation, and the dataset is called `cifar-10 for tuning`: nothing measured on it is a result on
CIFAR-10's test images.

References: A. Krizhevsky, "Learning multiple layers of features from tiny images", 2009.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, UInt8

from tacit.argument import got, is_whole
from tacit.data import packed
from tacit.data.dataset import WHITE, DataError, Dataset, two_parts

CLASSES = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)
# The format's: pixels along a side, colours, and the bytes of a label and its image.
_SIDE, _COLOURS = 32, 3
_RECORD = 1 + _COLOURS * _SIDE**2
_TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
_TEST = "test_batch.bin"
# Without a test file: one image in so many is held out, and the seed of which; both a choice.
_FIFTH, _SPLIT = 5, 0


class _Records(NamedTuple):
    """Labels and pixels as they are stored, a row for each record."""

    stored: UInt8[np.ndarray, "records 3073"]

    @property
    def labels(self) -> np.ndarray:
        return self.stored[:, 0].astype(np.int32)

    @property
    def images(self) -> Float32[np.ndarray, "records 32 32 3"]:
        planes = self.stored[:, 1:].reshape(-1, _COLOURS, _SIDE, _SIDE)
        return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)) / WHITE


def load(directory: Path, records: int = 10_000) -> Dataset:
    """CIFAR-10, or as much of it as `directory` holds: any of the five training files.

    | case | result |
    | --- | --- |
    | a file is there as `.bin`, `.bin.gz` or `.bin.xz` | the first of them is read |
    | some training files are absent | those that are there, in the order of their numbers |
    | `test_batch.bin` is absent | a fifth of the images is held out; the name says so |
    | no folder, no training file | `DataError` |
    | fewer or more bytes than `records` promise, a label over 9, damage | `DataError` |

    Args:
      directory: where the files lie.
      records: how many each file holds: 10,000 in the published set.

    Raises:
      DataError: a file is not what the format promises.
      ValueError: records are fewer than 5.
    """
    if not (is_whole(records) and records >= _FIFTH):
        raise ValueError(f"records must be at least {_FIFTH} in a file, got {got(records)}")
    train = _Records(np.concatenate([_read(path, records) for path in _training(directory)]))
    test = packed.found(directory / _TEST)
    if test is not None:
        return _dataset("cifar-10", train, _Records(_read(test, records)))
    kept, held = two_parts(len(train.stored), len(train.stored) // _FIFTH, _SPLIT)
    parts = (_Records(train.stored[rows]) for rows in (kept, held))
    return _dataset("cifar-10 for tuning", *parts)


def _training(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise DataError(f"{directory} must be a folder, got none of that name")
    paths = [path for name in _TRAIN if (path := packed.found(directory / name)) is not None]
    if not paths:
        raise DataError(
            f"{directory} must hold at least one of {_TRAIN[0]} to {_TRAIN[-1]}, "
            "plain or with .gz or .xz, got none of them"
        )
    return paths


def _read(path: Path, records: int) -> UInt8[np.ndarray, "records 3073"]:
    with packed.opened(path) as stream:
        data = packed.values(path, stream, records * _RECORD)
    stored = np.frombuffer(data, np.uint8).reshape(records, _RECORD)
    beyond = np.count_nonzero(stored[:, 0] >= len(CLASSES))
    if beyond:
        raise DataError(f"{path} must have labels 0 .. 9 in its records, got {beyond} beyond")
    return stored


def _dataset(name: str, train: _Records, test: _Records) -> Dataset:
    return Dataset(
        name=name,
        classes=len(CLASSES),
        train_images=train.images,
        train_labels=train.labels,
        test_images=test.images,
        test_labels=test.labels,
    )
