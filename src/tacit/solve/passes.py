"""One pass over all rows: parts that threads take in turn, blocks that stay in a core's cache.

What is computed from rows needs them twice, first for scores and then for their share of a
gradient. A block is so small that it is still near when it is read again: memory is read once a
pass. A part of 2^13 rows is what a thread takes at a time. Who is done takes the next, and nobody
waits for a core that is busy with something else, as every product of BLAS's own threads would.

Answers come back in the order of the rows, so that a sum of them does not depend on how many
threads there were, nor on which was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from threading import local
from typing import TypeVar

import numpy as np
from jaxtyping import Float, Shaped
from threadpoolctl import ThreadpoolController

# Rows of a part: of a million rows threads share over a hundred.
PART = 2**13
# Numbers of a block: as float64 one mebibyte.
_NUMBERS = 2**17

T = TypeVar("T")
Rows = Shaped[np.ndarray, "people dim"]


class Near(local):
    """A thread's own memory for one block, so that it is always the same."""

    def __init__(self):
        self.numbers = np.empty(_NUMBERS)

    def widened(self, rows: Rows) -> Float[np.ndarray, "people dim"]:
        """The rows as float64, until the next are."""
        wide = self.numbers[: rows.size].reshape(rows.shape)
        wide[...] = rows
        return wide


@contextmanager
def threads() -> Iterator[Executor]:
    """As many as BLAS would use; BLAS itself works in each of them alone meanwhile."""
    blas = ThreadpoolController().select(user_api="blas")
    many = max((library.num_threads for library in blas.lib_controllers), default=1)
    with blas.limit(limits=1), ThreadPoolExecutor(many) as pool:
        yield pool


def each_part(pool: Executor, people: int, work: Callable[[slice], T]) -> Iterator[T]:
    """What `work` gives for each part, in order."""
    parts = cuts(slice(0, people), PART)
    return pool.map(work, parts) if len(parts) > 1 else map(work, parts)


def blocks(part: slice, dimension: int) -> list[slice]:
    """A part as blocks of a power of two of rows, of this dimension."""
    rows = _NUMBERS // dimension
    return cuts(part, min(PART, 1 << (rows.bit_length() - 1)))


def cuts(whole: slice, rows: int) -> list[slice]:
    """One after the other, of so many rows; the last may have fewer."""
    starts = range(whole.start, whole.stop, rows)
    return [slice(start, min(start + rows, whole.stop)) for start in starts]
