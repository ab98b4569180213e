"""Statistics of everybody's numbers in order: quantiles and trimmed means; see `question.rows`.

Which number stands at a rank is no sum: one person may move it by as much as numbers lie apart
there. So each is asked for near in rank, or near in value where the data allow it.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import final

from tacit.argument import counted, got, is_number, is_whole, listed, refuse_not_positive


@final
@dataclass(frozen=True)
class Quantile:
    """The value that a `share` of all numbers are below, to one of `cells` parts of the interval.

    Args:
      share: from 0 to 1; one half is the median.
      cells: the grid of the answer, from 1 to 2^30 - 1.
    """

    share: float = 0.5
    cells: int = 2**20

    size = 1

    def __post_init__(self):
        _check_share(self.share)
        _check_cells(self)

    @property
    def words(self) -> str:
        return _the_quantile(self.share)


@final
@dataclass(frozen=True)
class Quantiles:
    """The values that each of several shares of all numbers are below, in order.

    Args:
      shares: from 0 to 1, rising.
      cells: the grid of the answers, from 1 to 2^30 - 1.
      exact: whether the number of people declared is exactly how many there are; nothing is spent
        on asking then, and each of those it is off by may be one rank.
    """

    shares: tuple[float, ...]
    cells: int = 2**20
    exact: bool = False

    def __post_init__(self):
        shares = listed(self.shares)
        if not shares:
            said = got(self.shares) if shares is None else "none"
            raise ValueError(f"shares must be a tuple of shares, got {said}")
        for share in shares:
            _check_share(share)
        object.__setattr__(self, "shares", tuple(map(float, shares)))
        if not all(one < other for one, other in pairwise(self.shares)):
            raise ValueError(f"shares must rise, got {self.shares}")
        if not isinstance(self.exact, bool):
            raise ValueError(f"exact must be True or False, got {got(self.exact)}")
        _check_cells(self)

    @property
    def size(self) -> int:
        return len(self.shares)

    @property
    def words(self) -> str:
        shares = ", ".join(f"{share:g}" for share in self.shares)
        return f"the {shares} quantiles, to the nearest of {self.cells:,} steps,"


@final
@dataclass(frozen=True)
class SmoothQuantile:
    """The value that a `share` of all numbers are at most, with noise of its smooth sensitivity."""

    share: float = 0.5

    size = 1

    def __post_init__(self):
        _check_share(self.share)

    @property
    def words(self) -> str:
        return _the_quantile(self.share)


@final
@dataclass(frozen=True)
class TrimmedMean:
    """The mean of all numbers but a `trim` of them at each end, with noise of its smooth
    sensitivity."""

    trim: float

    size = 1

    def __post_init__(self):
        if not (is_number(self.trim) and 0 <= self.trim < 0.5):
            raise ValueError(
                f"trim must be a share of at least 0 and below 1/2, got {got(self.trim)}"
            )

    @property
    def words(self) -> str:
        return f"the mean without {self.trim:g} at either end"


@final
@dataclass(frozen=True)
class ProposedQuantile:
    """The quantile with noise for a sensitivity of `bound`, or NaN if the data may not allow it."""

    bound: float
    share: float = 0.5

    size = 1

    def __post_init__(self):
        refuse_not_positive("bound", self.bound)
        _check_share(self.share)

    @property
    def words(self) -> str:
        return _the_quantile(self.share)


OrderStatistic = Quantile | Quantiles | SmoothQuantile | TrimmedMean | ProposedQuantile


def _the_quantile(share: float) -> str:
    return "the median" if share == 0.5 else f"the {share:g} quantile"


def _check_share(share: float) -> None:
    if not (is_number(share) and 0 <= share <= 1):
        raise ValueError(
            f"share must be a number from 0 to 1, one half for the median, got {got(share)}"
        )


def _check_cells(statistic: Quantile | Quantiles) -> None:
    object.__setattr__(statistic, "cells", counted(statistic.cells))
    if not (is_whole(statistic.cells) and 1 <= statistic.cells < 2**30):
        raise ValueError(
            f"cells must be a whole number from 1 to 2^30 - 1, got {got(statistic.cells)}"
        )
