"""Tables of chances that took long to find, kept on this machine's disk.

A file is named by all that a table depends on: the workload's squares, epsilon, how many outputs,
and how they are found. What it holds is not trusted: whoever asks verifies it (`device.workload`).

| what happens | then |
| --- | --- |
| the file is not there, cut short, damaged, or no table | nothing is returned; it is found anew |
| two processes write it, or one is killed meanwhile | the file is whole: one of theirs, or none |
| the folder cannot be made or written | nothing is kept |

The folder is `tacit/tables` in `$XDG_CACHE_HOME`, or in `~/.cache`; it can be removed at any time.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, UInt64

from tacit.whole_file import replacing

# Another number whenever tables are found in another way.
_WAY = 1


def place(squares: Float[np.ndarray, "cells cells"], epsilon: float, outputs: int) -> Path:
    """Where the table for these is kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(np.ascontiguousarray(squares).tobytes())
    digest.update(f"{_WAY} {epsilon!r} {outputs}".encode())
    return Path(cache) / "tacit" / "tables" / f"{digest.hexdigest()}.npy"


def kept(path: Path) -> UInt64[np.ndarray, "outputs cells"] | None:
    """What is there, if it is a table of words; whether it is private is not looked at."""
    try:
        found: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    is_table = isinstance(found, np.ndarray) and found.ndim == 2 and found.dtype == np.uint32
    return found.astype(np.uint64) if is_table else None


def keep(path: Path, table: UInt64[np.ndarray, "outputs cells"]) -> None:
    """Puts it there, whole, where the disk lets it."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.save(file, table.astype(np.uint32), allow_pickle=False)
