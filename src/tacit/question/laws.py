"""The question which of several public laws is nearest to people's; see `question.rows`.

A law is what share of people it gives to each of finitely many public cells.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float64, Int64

from tacit.argument import got

UNIT = 2**32
MOST_CELLS, MOST_NUMBERS = 2**16, 2**24
# Of a law's sum, beside one.
_OFF = 1e-6


@final
@dataclass(frozen=True)
class NearestLaw:
    """Which of these laws is nearest to people's in total variation: its number.

    Args:
      masses: a row for each law, with the share of people it gives to each cell. Rows sum to one,
        or to within a millionth of it and are divided by what they sum to. They are public, and
        held to 2^-32.
      digest: of the numbers as they are held; it stands for them in records.

    Raises:
      ValueError: if there are not two laws and two cells, or a row is no law.
    """

    masses: Float64[np.ndarray, "laws cells"] | ArrayLike = field(
        repr=False, compare=False, metadata={"recorded": False}
    )
    digest: str = field(init=False)

    size = 1

    def __post_init__(self):
        object.__setattr__(self, "masses", _laws(self.masses))
        shape = "{} laws, {} cells:".format(*self.units.shape).encode()
        digest = hashlib.sha256(shape + self.units.astype("<i8").tobytes()).hexdigest()
        object.__setattr__(self, "digest", digest)

    @property
    def cells(self) -> int:
        return self.units.shape[1]

    @cached_property
    def units(self) -> Int64[np.ndarray, "laws cells"]:
        """The masses in whole units of 2^-32: each row sums to exactly 2^32."""
        ends = np.rint(np.cumsum(self.masses, axis=1) * UNIT).astype(np.int64)
        ends[:, -1] = UNIT
        return np.diff(np.minimum(ends, UNIT), axis=1, prepend=0)


def _laws(masses: ArrayLike) -> Float64[np.ndarray, "laws cells"]:
    try:
        found = np.array(masses, np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"masses must be a table of numbers, a row for each law, got {got(masses)}"
        ) from None
    if not (found.ndim == 2 and found.shape[0] >= 2 and 2 <= found.shape[1] <= MOST_CELLS):
        raise ValueError(
            f"masses must be of at least 2 laws and from 2 to 2^16 cells, got shape {found.shape}"
        )
    if not found.size <= MOST_NUMBERS:
        raise ValueError(f"masses must be at most 2^24 numbers, got {found.size:,}")
    sums = found.sum(axis=1, keepdims=True)
    if not (np.all(found >= 0) and np.all(np.abs(sums - 1) <= _OFF)):
        worst = float(sums.ravel()[np.argmax(np.abs(np.nan_to_num(sums, nan=np.inf) - 1))])
        raise ValueError(
            "masses must be at least 0, and those of a law sum to one, got a least one of "
            f"{found.min():g} and a sum of {worst:g}"
        )
    return found / sums
