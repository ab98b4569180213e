"""Files of bytes, plain or packed by gzip or xz, of which no more is taken than was promised.

How many bytes a file holds is a claim: of its header, or of its format. A packed file of a few
kilobytes can hold gigabytes. So bytes are read a piece at a time until one more than promised has
come, or none is left; nothing is made of them unless the two agree exactly. The read past the last
byte also makes gzip and xz compare their checksums.

What a file is its first bytes say, not its name: files are unpacked twice, or not at all, by
whoever downloads them.
"""

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from tacit.data.dataset import DataError


class _Packing(NamedTuple):
    name: str
    magic: bytes
    open: Callable[[Path], io.BufferedIOBase]


_PACKINGS = (
    _Packing("gzip", b"\x1f\x8b", gzip.open),
    _Packing("xz", b"\xfd7zXZ\x00", lzma.open),
)
_PLAIN = _Packing("plain", b"", lambda path: path.open("rb"))
_ENDINGS = (".gz", ".xz")
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, MemoryError)
# Bytes that room is made for before they have come, whatever is promised: a choice.
_PIECE = 2**20


def names(path: Path) -> tuple[Path, ...]:
    """What a file may be called: the name itself, without an ending of a packing, and with each."""
    plain = path.with_suffix("") if path.suffix in _ENDINGS else path
    return path, plain, *(plain.with_name(plain.name + ending) for ending in _ENDINGS)


def found(path: Path) -> Path | None:
    """The first of its `names` that is a file."""
    return next((name for name in names(path) if name.is_file()), None)


def located(path: Path) -> Path:
    """The first of its `names` that is a file.

    Raises:
      DataError: there is none.
    """
    there = found(path)
    if there is None:
        plain, *packed = (name.name for name in names(path)[1:])
        raise DataError(
            f"{path.parent} must hold a file {plain} or {' or '.join(packed)}, got none of them"
        )
    return there


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedIOBase]:
    """The bytes that `path` holds once unpacked, as a stream.

    | case | result |
    | --- | --- |
    | a packed stream cut short or damaged, found out while it is open | `DataError` |
    | after the end of an xz stream more than a few bytes that are no other one | not read |

    Raises:
      DataError: what was read is no whole packed stream.
    """
    packing = _packing(path)
    try:
        with packing.open(path) as stream:
            yield stream
    except _DAMAGE as damage:
        raise DataError(
            f"{path} must be one whole {packing.name} stream, got: {damage}"
        ) from damage


def values(path: Path, stream: io.BufferedIOBase, promised: int) -> bytearray:
    """The rest of the stream of the file `path`, which is `promised` bytes long.

    Raises:
      DataError: it is shorter or longer.
    """
    data = taken(stream, promised + 1)
    if len(data) < promised:
        raise DataError(f"{path} must hold {promised} bytes of values, got {len(data)} bytes")
    if len(data) > promised:
        raise DataError(f"{path} must end after {promised} bytes of values, got more bytes")
    return data


def whole(path: Path, most: int) -> bytes:
    """All that `path` holds once unpacked.

    Raises:
      DataError: it is more than so many bytes, or no whole packed stream.
    """
    with opened(path) as stream:
        data = taken(stream, most + 1)
    if len(data) > most:
        raise DataError(f"{path} must hold at most {most} bytes, got more")
    return bytes(data)


def taken(stream: io.BufferedIOBase | IO[bytes], most: int) -> bytearray:
    """The next bytes, at most so many."""
    data = bytearray()
    while piece := stream.read(min(_PIECE, most - len(data))):
        data += piece
    return data


def _packing(path: Path) -> _Packing:
    with path.open("rb") as file:
        begins = file.read(max(len(packing.magic) for packing in _PACKINGS))
    return next((each for each in _PACKINGS if begins.startswith(each.magic)), _PLAIN)
