"""Variances: mean, variance and standard deviation of a number between bounds, from one triple.

Put the number's level k at p = k/L. A row gives p², 2p(1 - p) and (1 - p)², in units of 1/L²: k²,
2k(L - k) and (L - k)², which add up to L² whatever k is (`products`, of one place with itself: what
they say, and how far it is off). Levels are within h = 1/(2L) of their numbers, so the standard
deviation of one is within h of the other's (Minkowski); limits are widened by that.

The mean's interval is one by itself, with all of the chance to miss. The variance's holds a bit
more often than it says: levels are hardly ever as far off their numbers as they may be.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, final

from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.corners import reach_of
from tacit.tables.measured import found
from tacit.tables.products import MOST_LEVELS, Products, finest, refuse_more_rows
from tacit.tables.rowwise import Said, number


@final
@dataclass(frozen=True)
class ColumnVariance:
    """The mean, variance and standard deviation of a number between bounds.

    Args:
      between: the number.
      most: levels.
    """

    between: Between
    most: int = MOST_LEVELS

    @property
    def levels(self) -> int:
        return self.between.levels(self.most)

    def within(self, caps: Caps) -> Self:
        return replace(self, most=finest(caps, 1))

    @property
    def columns(self) -> Mapping[str, Any]:
        def level(rows: Any) -> Any:
            return self.between.level(number(rows, self.between.number), self.levels)

        return {"level": level}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        level, most = row["level"], self.levels
        return [level * level, 2 * level * (most - level), (most - level) * (most - level)]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        refuse_more_rows("variance", caps)
        return caps.counts(3 * groups, self.levels**2)

    @property
    def words(self) -> str:
        return f"the variance of {self.between.named}"

    @property
    def behind(self) -> list[str]:
        return limited("_mean", "", "_std")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        reach = reach_of(noisy)
        each = [self._of(Products(tuple(triple), reach)) for triple in noisy.cells.tolist()]
        means, deviations = ([pair[i] for pair in each] for i in (0, 1))
        wide = self.between.width
        squares = [tuple((wide * x) ** 2 for x in three) for three in deviations]
        return {
            "_mean": found(
                [tuple(map(self.between.at, each)) for each in means], self.between.ends
            ),
            "": found(squares, (0.0, (wide * 0.5) ** 2)),
            "_std": found(
                [tuple(wide * x for x in each) for each in deviations], (0.0, wide * 0.5)
            ),
        }

    def width(self, noise: Server, chance: float) -> str:
        far = noise_reach(noise, chance, (0.25,) * 3) / self.levels**2 * self.between.width**2
        return f"about ± {far / 1000:,.3g} of 1,000 rows, where numbers fill the bounds evenly"

    def _of(self, products: Products) -> tuple[Any, Any]:
        """The mean's place between the bounds and the standard deviation, each with its limits."""
        half, (middle, low, high) = 1 / (2 * self.levels), products.mean
        deviation, least, most = (square**0.5 for square in products.covariance)
        mean = middle, max(low - half, 0.0), min(high + half, 1.0)
        return mean, (deviation, max(least - half, 0.0), min(most + half, 0.5))


@final
@dataclass(frozen=True)
class ColumnDeviation:
    """The standard deviation alone, from the same three sums."""

    of: ColumnVariance

    def within(self, caps: Caps) -> Self:
        return replace(self, of=self.of.within(caps))

    @property
    def columns(self) -> Mapping[str, Any]:
        return self.of.columns

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        return self.of.cells(row, first)

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.of.shape(caps, groups)

    @property
    def words(self) -> str:
        return f"the standard deviation of {self.of.between.named}"

    @property
    def behind(self) -> list[str]:
        return limited("", "_mean", "_variance")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        found = self.of.read(noisy)
        return {"": found["_std"], "_mean": found["_mean"], "_variance": found[""]}

    def width(self, noise: Server, chance: float) -> str:
        return f"its square {self.of.width(noise, chance)}"


def variance(number: Said, lower: float, upper: float) -> ColumnVariance:
    """The mean, variance and standard deviation of a column, or an expression of one row."""
    return ColumnVariance(Between(number, lower, upper))


def deviation(number: Said, lower: float, upper: float) -> ColumnDeviation:
    """The standard deviation of a column, or an expression of one row; and what it is made of."""
    return ColumnDeviation(variance(number, lower, upper))
