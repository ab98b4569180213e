"""The look-up of `noise.tables` by NumPy: of the same words the same outcomes, for the host.

The upper two limbs of a threshold are one number of 64 bits here, and so are the bits of the two
words that the column leaves over. Pairs of limbs are in order as such numbers are, so each word is
decided, or tied, as in `tables.outcomes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Int64, UInt32, UInt64

from tacit.noise.tables import AliasTable


@final
@dataclass(frozen=True)
class HostTable:
    """A table as the host reads it. Build it with `of`.

    Args:
      thresholds: their upper two limbs.
      lowest: their last ones.
      aliases: as they are.
    """

    thresholds: UInt64[np.ndarray, " rows"]
    lowest: UInt32[np.ndarray, " rows"]
    aliases: Int64[np.ndarray, " rows"]

    @classmethod
    def of(cls, table: AliasTable) -> HostTable:
        """The same law."""
        high, middle, lowest, aliases = table.columns
        return cls(_joined(high, middle), lowest, aliases.astype(np.int64))

    def outcomes(
        self,
        words: UInt32[np.ndarray, " two *shape"],
        third: Callable[[], UInt32[np.ndarray, "*shape"]],
    ) -> Int64[np.ndarray, "*shape"]:
        """What these words stand for; `third` is asked for the last ones if any draw needs them."""
        rows = len(self.aliases)
        column = (words[0] & np.uint32(rows - 1)).astype(np.int64)
        height = _joined(words[0] >> np.uint32(rows.bit_length() - 1), words[1])
        threshold = self.thresholds[column]
        under, tied = height < threshold, height == threshold
        if tied.any():
            under |= tied & (third() < self.lowest[column])
        return np.where(under, column, self.aliases[column])


def _joined(
    high: UInt32[np.ndarray, "*shape"], low: UInt32[np.ndarray, "*shape"]
) -> UInt64[np.ndarray, "*shape"]:
    return high.astype(np.uint64) << np.uint64(32) | low
