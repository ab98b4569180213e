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

# In what `minimum_distance` counts masses (its `UNIT_BITS`).
UNIT = 2**32
# Choices: what so many laws give to the sets of all pairs is below 64 MiB, and `units` reckons with
# as many cells.
MOST_LAWS, MOST_CELLS = 256, 2**16
# Of a law's sum, beside one.
_OFF = 1e-6


@final
@dataclass(frozen=True)
class NearestLaw:
    """Which of these laws is nearest to people's in total variation: its number.

    Args:
      masses: a row for each law, with the share of people it gives to each cell. Rows sum to one,
        or to within a millionth of it and are divided by what they sum to. They are public, and
        held to 2^-32, a largest one to 2^-17.
      digest: of the numbers as they are held; it stands for them in records.

    Raises:
      ValueError: if there are not 2 to 256 laws (any two are compared by all of them) and 2 to 2^16
        cells, or a row is no law.
    """

    masses: ArrayLike = field(repr=False, compare=False, metadata={"recorded": False})
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

    @property
    def words(self) -> str:
        return f"the nearest of {len(self.units):,} laws"

    @cached_property
    def units(self) -> Int64[np.ndarray, "laws cells"]:
        """The masses in whole units of 2^-32: each row sums to exactly 2^32.

        Equal masses are equal units, and what rounding leaves is the largest cell's: it has 2^16
        units at least, and all others are off by fewer than 2^15 together.
        """
        found = np.rint(np.asarray(self.masses) * UNIT).astype(np.int64)
        rows = np.arange(len(found))
        found[rows, np.argmax(found, axis=1)] += UNIT - found.sum(axis=1)
        return found


def _laws(masses: ArrayLike) -> Float64[np.ndarray, "laws cells"]:
    try:
        found = np.array(masses, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"masses must be a table of numbers, a row for each law, got {got(masses)}"
        ) from None
    _refuse_no_table(found)
    sums = found.sum(axis=1, keepdims=True)
    if not (np.all(found >= 0) and np.all(np.abs(sums - 1) <= _OFF)):
        worst = float(sums.ravel()[np.argmax(np.abs(np.nan_to_num(sums, nan=np.inf) - 1))])
        raise ValueError(
            "masses must be at least 0, and those of a law sum to one, got a least one of "
            f"{found.min():g} and a sum of {worst:g}"
        )
    return found / sums


def _refuse_no_table(found: Float64[np.ndarray, "*shape"]) -> None:
    laws, cells = found.shape if found.ndim == 2 else (0, 0)
    if not (2 <= laws <= MOST_LAWS and 2 <= cells <= MOST_CELLS):
        raise ValueError(
            f"masses must be of 2 to 256 laws and 2 to 2^16 cells, got shape {found.shape}"
        )
