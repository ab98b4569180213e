"""IDX files to test with: a writer of the format, and MNIST as published or made here.

The published files are used where they lie beside the repository. Where they do not, `mnist` makes
files of the same names and layout from scikit-learn's digits, three times enlarged, so that a
learner has something to learn. Tests parametrise over `ORIGIN`, so that their names say which of
the two they ran on.
"""

import gzip
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

CODES = {"u1": 0x08, "i1": 0x09, "i2": 0x0B, "i4": 0x0C, "f4": 0x0D, "f8": 0x0E}

_DATA = Path(__file__).resolve().parents[1] / "../shared/data"
_PUBLISHED = (_DATA / "mnist").is_dir() and (_DATA / "qmnist-writers").is_dir()
ORIGIN = "published" if _PUBLISHED else "made"


@dataclass(frozen=True)
class Mnist:
    """Where MNIST and its writers lie, and what must be found there."""

    directory: Path
    writers_directory: Path
    train: int
    test: int
    mean_pixel: float
    writers: int


def encode(array: np.ndarray) -> bytes:
    """The array as the bytes of an IDX file."""
    header = struct.pack(">HBB", 0, CODES[array.dtype.str[1:]], array.ndim)
    lengths = struct.pack(f">{array.ndim}I", *array.shape)
    return header + lengths + array.astype(array.dtype.newbyteorder(">")).tobytes()


def write(path: Path, array: np.ndarray) -> None:
    """Write the array as an IDX file, gzipped where the name ends in `.gz`."""
    content = encode(array)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def mnist(empty_directory: Path) -> Mnist:
    """MNIST and its writers: the published files, or else ones made in `empty_directory`."""
    if _PUBLISHED:
        return Mnist(_DATA / "mnist", _DATA / "qmnist-writers", 60_000, 10_000, 0.1307, 539)
    return make_mnist(empty_directory)


def make_mnist(directory: Path) -> Mnist:
    """Write 1,400 training and 300 test images in MNIST's layout, with 30 writers."""
    pixels, labels = load_digits(return_X_y=True)
    small = np.round(pixels * (255 / 16)).astype(np.uint8).reshape(-1, 8, 8)
    images = np.pad(small.repeat(3, axis=1).repeat(3, axis=2), ((0, 0), (2, 2), (2, 2)))
    labels = labels.astype(np.uint8)
    table = np.zeros((1400, 8), np.int32)
    table[:, 0] = labels[:1400]
    table[:, 2] = 2000 + np.arange(1400) % 30
    write(directory / "train-images-idx3-ubyte.gz", images[:1400])
    write(directory / "train-labels-idx1-ubyte", labels[:1400])
    write(directory / "t10k-images-idx3-ubyte", images[-300:])
    write(directory / "t10k-labels-idx1-ubyte.gz", labels[-300:])
    write(directory / "qmnist-train-labels-idx2-int.gz", table)
    return Mnist(directory, directory, 1400, 300, float(images[:1400].mean() / 255), 30)
