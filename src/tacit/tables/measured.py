"""Sums, means and shares: of a number between bounds, or of a condition.

A number at the level k of L gives k to the upper end and L - k to the lower one. This pair adds up
to L whatever k is, so one row moves both sums together by L and no more; from their noisy values A
and B follow all three: A/(A + B) is the mean's place between the bounds, (A + B)/L how many rows
have a number, and (upper A + lower B)/L the sum (`statistics.bounded_mean`: why one pair, and not a
count and a sum apart). A row without a number gives nothing, and is in none of them.

**Error.** Levels are within 1/(2L) of the bounds' distance of their numbers; limits are widened by
that. The rest is noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tacit.contribution import Contribution
from tacit.contribution.tally import MOST_IN_A_CELL
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.statistics.fieller import share_of
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.between import Between
from tacit.tables.caps import MOST_ROWS, Caps
from tacit.tables.counted import counts
from tacit.tables.language import as_number
from tacit.tables.rowwise import Said, condition, number, said
from tacit.tables.words import column_in_words

# Numbers of rows that a plan is told for.
_SHOWN = 1_000, 100_000


@final
@dataclass(frozen=True)
class Ends:
    """What a number between bounds gives to each of them, in whole levels."""

    between: Between

    @property
    def levels(self) -> int:
        return self.between.levels(MOST_IN_A_CELL // MOST_ROWS)

    def column(self, rows: Any) -> Any:
        """The level of each row's number, for the engine."""
        return self.between.level(number(rows, self.between.number), self.levels)

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(2 * groups, self.levels)

    def words(self, noise: Server, chance: float, of: float) -> str:
        """How wide intervals of a mean are, where it is widest."""
        far = self.between.width * noise_reach(noise, chance, (1.0, 0.0)) / self.levels
        each = (f"± {far / rows * of:,.3g} of {rows:,} rows" for rows in _SHOWN)
        return "; ".join(each)


@final
@dataclass(frozen=True)
class ColumnMean:
    """The mean of a number between bounds, of the rows that have one."""

    ends: Ends

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"level": self.ends.column}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [row["level"], self.ends.levels - row["level"]]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.ends.shape(caps, groups)

    @property
    def words(self) -> str:
        return f"the mean of {self.ends.between.named}"

    @property
    def behind(self) -> list[str]:
        return limited("", "_rows")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        each = [_mean_of(self.ends, noisy, *pair) for pair in noisy.cells.tolist()]
        rows = noisy.cells.sum(axis=1) / self.ends.levels
        reach = noisy.reach(1.0, 1.0) / self.ends.levels
        return {"": found(each, self.ends.between.ends), "_rows": counts(rows, reach)}

    def width(self, noise: Server, chance: float) -> str:
        return self.ends.words(noise, chance, 1.0)


@final
@dataclass(frozen=True)
class ColumnSum:
    """The sum of a number between bounds, of the rows that have one."""

    ends: Ends

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"level": self.ends.column}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [row["level"], self.ends.levels - row["level"]]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.ends.shape(caps, groups)

    @property
    def words(self) -> str:
        return f"the sum of {self.ends.between.named}"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        between, levels = self.ends.between, self.ends.levels
        weights = np.array([between.upper, between.lower]) / levels
        sums = noisy.cells @ weights
        rows = np.maximum(noisy.cells.sum(axis=1) + noisy.reach(1.0, 1.0), 0.0) / levels
        far = noisy.reach(*weights) + rows * between.width / (2 * levels)
        return {"": Found(sums, sums - far, sums + far)}

    def width(self, noise: Server, chance: float) -> str:
        between = self.ends.between
        weights = between.upper / self.ends.levels, between.lower / self.ends.levels
        return f"± {noise_reach(noise, chance, weights):,.4g}"


@final
@dataclass(frozen=True)
class ConditionShare:
    """Of how many rows a condition holds, as a share of those where it is known."""

    holds: Said

    def __post_init__(self):
        said(self.holds)

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"holds": lambda rows: as_number(condition(rows, self.holds)).cast("int64")}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [row["holds"], 1 - row["holds"]]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(2 * groups)

    @property
    def words(self) -> str:
        return f"the share of rows with {column_in_words(self.holds)}"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        each = [
            share_of(upper, upper + lower, _far(noisy)) for upper, lower in noisy.cells.tolist()
        ]
        return {"": found(each, (0.0, 1.0))}

    def width(self, noise: Server, chance: float) -> str:
        far = noise_reach(noise, chance, (1.0, 0.0))
        return "; ".join(f"± {min(far / rows, 1.0):,.3g} of {rows:,} rows" for rows in _SHOWN)


def mean(number: Said, lower: float, upper: float) -> ColumnMean:
    """The mean of a column, or of an expression of one row, between public bounds."""
    return ColumnMean(Ends(Between(number, lower, upper)))


def total(number: Said, lower: float, upper: float) -> ColumnSum:
    """The sum of a column, or of an expression of one row, between public bounds."""
    return ColumnSum(Ends(Between(number, lower, upper)))


def share(holds: Said) -> ConditionShare:
    """Of what share of rows a condition holds: a column of truth values, or an expression.

    Rows where it is unknown, because what it compares is missing, are no part of them.
    """
    return ConditionShare(holds)


def found(each: list[tuple[float, float, float]], within: tuple[float, float]) -> Found:
    """An estimate and its limits for each group, as columns, and what is known before."""
    estimate, low, high = np.array(each, np.float64).reshape(-1, 3).T
    return Found(estimate, low, high, within)


def _mean_of(ends: Ends, noisy: Noisy, upper: float, lower: float) -> tuple[float, float, float]:
    middle, low, high = share_of(upper, upper + lower, _far(noisy))
    more = 1 / (2 * ends.levels)
    inside = middle, max(low - more, 0.0), min(high + more, 1.0)
    least, mean, most = (ends.between.at(place) for place in (inside[1], inside[0], inside[2]))
    return mean, least, most


def _far(noisy: Noisy) -> Any:
    return lambda weights: noisy.reach(*weights)
