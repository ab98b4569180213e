"""The IDX format: one array in one file, the format of MNIST and its relatives.

    0x00 0x00 type axes | length of each axis, uint32 | the values, row by row        all big-endian

A header is a claim by whoever wrote the file. The only thing done with it before it is believed
is to compute, in unbounded integers, how many bytes it promises; then bytes are read a piece at a
time until one more than promised has come, or none is left. So no more is ever taken than the
smaller of what is promised and what is there, whatever the header says and however well the file
compresses; and an array is made only when the two agree exactly. In a gzipped file the read past
the last value also makes gzip compare its checksum.

References: Y. LeCun, C. Cortes, C. J. C. Burges, "The MNIST database of handwritten digits",
section "File formats".
"""

import gzip
import io
import math
import struct
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from tacit.data.dataset import DataError

_TYPES = {
    0x08: np.dtype(np.uint8),
    0x09: np.dtype(np.int8),
    0x0B: np.dtype(np.int16),
    0x0C: np.dtype(np.int32),
    0x0D: np.dtype(np.float32),
    0x0E: np.dtype(np.float64),
}
_MOST_AXES = 64
_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 20


def read(path: Path) -> Shaped[np.ndarray, "..."]:
    """The array in the IDX file `path`, gzipped or not (as its first two bytes say).

    | case | result |
    | --- | --- |
    | no file `path` | the same name with `.gz` added (or taken away) is read instead |
    | neither, wrong magic, an axis of length 0 or over 64 axes | `DataError` |
    | fewer or more bytes than the header promises | `DataError` |
    | gzip stream cut short or damaged | `DataError` |

    Raises:
        DataError: the file is absent or is not one whole IDX array.
    """
    found = _locate(path)
    try:
        with _open(found) as stream:
            dtype, shape = _header(found, stream)
            data = _values(found, stream, math.prod(shape) * dtype.itemsize)
    except (EOFError, gzip.BadGzipFile, zlib.error) as damage:
        raise DataError(f"{found} must be one whole gzip stream, got: {damage}") from damage
    stored = np.frombuffer(data, dtype.newbyteorder(">")).reshape(shape)
    return stored.astype(dtype, copy=False)


def _locate(path: Path) -> Path:
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    gzipped = plain.with_name(plain.name + ".gz")
    for candidate in (path, plain, gzipped):
        if candidate.is_file():
            return candidate
    raise DataError(
        f"{path.parent} must hold a file {plain.name} or {gzipped.name}, got neither of them"
    )


def _open(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as file:
        gzipped = file.read(2) == _GZIP_MAGIC
    return gzip.open(path, "rb") if gzipped else path.open("rb")


def _header(path: Path, stream: io.BufferedIOBase) -> tuple[np.dtype, tuple[int, ...]]:
    magic = _take(stream, 4)
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
    stored = _take(stream, 4 * axes)
    if len(stored) < 4 * axes:
        raise DataError(
            f"{path} must have a header of {4 + 4 * axes} bytes, got {4 + len(stored)} bytes"
        )
    lengths = struct.unpack(f">{axes}I", stored)
    if min(lengths) == 0:
        raise DataError(f"{path} must have axes of length 1 or more, got {lengths}")
    return lengths


def _values(path: Path, stream: io.BufferedIOBase, promised: int) -> bytearray:
    data = _take(stream, promised + 1)
    if len(data) < promised:
        raise DataError(f"{path} must hold {promised} bytes of values, got {len(data)} bytes")
    if len(data) > promised:
        raise DataError(f"{path} must end after {promised} bytes of values, got more bytes")
    return data


def _take(stream: io.BufferedIOBase, most: int) -> bytearray:
    taken = bytearray()
    while piece := stream.read(min(_PIECE, most - len(taken))):
        taken += piece
    return taken
