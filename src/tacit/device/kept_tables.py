"""Tables of chances that took long to find, kept on this machine's disk.

A file is named by all that a table depends on: the workload's squares, epsilon, how many outputs,
how they are found and in how many steps. It holds the table's shape, its digest and its words, and
nothing that needs an interpreter. It is not trusted: whoever asks verifies it (`device.workload`).

| what happens | then |
| --- | --- |
| the file is not there, cut short, damaged, or no table | nothing is returned; it is found anew |
| two processes write it, or one is killed meanwhile | the file is whole: one of theirs, or none |
| there is no home, or the folder cannot be made or written | nothing is kept |

The folder is `tacit/tables` in `$XDG_CACHE_HOME`, or in `~/.cache`; it can be removed at any time.
"""

import hashlib
import os
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt64

from tacit.whole_file import replacing

# Another one whenever tables are found, or written, in another way.
_WAY = 2
# Outputs and cells, and the words' digest.
_HEAD = struct.Struct("<II32s")


def place(
    squares: Float[np.ndarray, "cells cells"], epsilon: float, outputs: int, steps: int
) -> Path | None:
    """Where the table for these is kept; None where there is no such place."""
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(cache) if cache else Path.home() / ".cache"
    except RuntimeError:
        return None
    digest = hashlib.sha256(np.ascontiguousarray(squares).tobytes())
    digest.update(f"{_WAY} {epsilon!r} {outputs} {steps}".encode())
    return folder / "tacit" / "tables" / f"{digest.hexdigest()}.words"


def kept(path: Path) -> UInt64[np.ndarray, "outputs cells"] | None:
    """What is there, if it is as it was written; whether it is private is not looked at."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    if not len(found) > _HEAD.size:
        return None
    outputs, cells, digest = _HEAD.unpack_from(found)
    words = found[_HEAD.size :]
    if len(words) != 4 * outputs * cells or hashlib.sha256(words).digest() != digest:
        return None
    return np.frombuffer(words, "<u4").reshape(outputs, cells).astype(np.uint64)


def keep(path: Path, table: UInt64[np.ndarray, "outputs cells"]) -> None:
    """Puts it there, whole, where the disk lets it."""
    words = table.astype("<u4").tobytes()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(_HEAD.pack(*table.shape, hashlib.sha256(words).digest()) + words)
