"""The IDX format: one array in one file, the format of MNIST and its relatives.

    0x00 0x00 type axes | length of each axis, uint32 | the values, row by row        all big-endian

A header is a claim by whoever wrote the file. The only thing done with it before it is believed
is to compute, in unbounded integers, how many bytes it promises. No more is ever taken than the
smaller of what is promised and what is there, whatever the header says and however well the file
compresses (`packed`); and an array is made only when the two agree exactly.

References: Y. LeCun, C. Cortes, C. J. C. Burges, "The MNIST database of handwritten digits",
section "File formats".
"""

import io
import math
import struct
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from tacit.data import packed
from tacit.data.dataset import DataError

# The format's codes.
_TYPES = {
    0x08: np.dtype(np.uint8),
    0x09: np.dtype(np.int8),
    0x0B: np.dtype(np.int16),
    0x0C: np.dtype(np.int32),
    0x0D: np.dtype(np.float32),
    0x0E: np.dtype(np.float64),
}
# A header may claim 255; NumPy's arrays have no more than these.
_MOST_AXES = 64


def read(path: Path) -> Shaped[np.ndarray, "..."]:
    """The array in the IDX file `path`, packed or not (as its first bytes say).

    | case | result |
    | --- | --- |
    | no file `path` | the same name with `.gz` or `.xz` added (or taken away) is read instead |
    | none of them, wrong magic, an axis of length 0 or over 64 axes | `DataError` |
    | fewer or more bytes than the header promises | `DataError` |
    | packed stream cut short or damaged | `DataError` |

    Raises:
      DataError: the file is absent or is not one whole IDX array.
    """
    found = packed.located(path)
    with packed.opened(found) as stream:
        dtype, shape = _header(found, stream)
        data = packed.values(found, stream, math.prod(shape) * dtype.itemsize)
    stored = np.frombuffer(data, dtype.newbyteorder(">")).reshape(shape)
    return stored.astype(dtype, copy=False)


def _header(path: Path, stream: io.BufferedIOBase) -> tuple[np.dtype, tuple[int, ...]]:
    magic = packed.taken(stream, 4)
    if len(magic) < 4:
        raise DataError(f"{path} must begin with 4 bytes of IDX magic, got {len(magic)} bytes")
    zero, code, axes = struct.unpack(">HBB", magic)
    if zero != 0 or code not in _TYPES or not 1 <= axes <= _MOST_AXES:
        types = ", ".join(f"0x{known:02X}" for known in _TYPES)
        raise DataError(
            f"{path} must begin with two zero bytes, a type out of {types} "
            f"and 1 to {_MOST_AXES} axes, got 0x{magic.hex().upper()}"
        )
    return _TYPES[code], _lengths(path, stream, axes)


def _lengths(path: Path, stream: io.BufferedIOBase, axes: int) -> tuple[int, ...]:
    stored = packed.taken(stream, 4 * axes)
    if len(stored) < 4 * axes:
        raise DataError(
            f"{path} must have a header of {4 + 4 * axes} bytes, got {4 + len(stored)} bytes"
        )
    lengths = struct.unpack(f">{axes}I", stored)
    if min(lengths) == 0:
        raise DataError(f"{path} must have axes of length 1 or more, got {lengths}")
    return lengths
