"""The covariance of two numbers, and no variances beside it: the noise of one pair alone.

A matrix of two columns pays for three pairs, of which this is one; rows, levels and limits are
those of `covariances`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, final

from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.corners import reach_of
from tacit.tables.covariances import ColumnCovariances, Pair, width_in_words
from tacit.tables.measured import found
from tacit.tables.products import MOST_LEVELS, finest, refuse_more_rows


@final
@dataclass(frozen=True)
class CovarianceOfTwo:
    """Of rows that have both numbers.

    Args:
      one, other: the numbers.
      most: levels of either.
    """

    one: Between
    other: Between
    most: int = MOST_LEVELS

    def within(self, caps: Caps) -> Self:
        return replace(self, most=finest(caps, 1))

    @property
    def columns(self) -> Mapping[str, Any]:
        return ColumnCovariances((("one", self.one), ("other", self.other)), self.most).columns

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return self._pair.cells(row["level0"], row["level1"])

    def shape(self, caps: Caps, groups: int) -> Contribution:
        refuse_more_rows("covariance", caps)
        return caps.counts(self._pair.many * groups, self._pair.given)

    @property
    def words(self) -> str:
        return f"the covariance of {self.one.named} and {self.other.named}"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        pair, reach = self._pair, reach_of(noisy)
        return {"": found([pair.read(sums, reach) for sums in noisy.cells.tolist()], pair.within)}

    def width(self, noise: Server, chance: float) -> str:
        return width_in_words(noise, chance, self._pair.given)

    @property
    def _pair(self) -> Pair:
        return Pair(self.one, self.other, same=False, most=self.most)
