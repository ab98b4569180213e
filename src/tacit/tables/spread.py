"""Variances: mean, variance and standard deviation of a number between bounds, from one triple.

Put the number's level k at p = k/L. A row gives p², p(1 - p) and 1 - p, in units of 1/L²: k²,
k(L - k) and L(L - k). None is negative, and they add up to L² whatever k is; so again a row moves
all sums together by its one part, and no budget is divided between moments. With noisy sums A, B, D
and C = A + B + D, the mean is (A + B)/C and, around any point c,

    V(c) = ((1-c)² A + (c² - 2c) B + c² D)/C   estimates   E(p - c)² = Var p + (m - c)².

**Its interval.** Nine tenths of the chance to miss are for the first term, by the same argument as
a mean's (`statistics.fieller`): a v that is E(p - c)² satisfies |C V - v C| <= the reach of weights
((1-c)² - v, c² - 2c - v, c² - v), for c the released mean. A tenth is for the mean's own limits,
between which (m - c)² lies. Levels are within h = 1/(2L) of their numbers, so the standard
deviation of one is within h of the other's (Minkowski); limits are widened by that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.statistics.fieller import share_of
from tacit.tables.asked import Found, Noisy
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.measured import found
from tacit.tables.rowwise import Said, number

# So that a row's part, the square, fits a cell as often as a person's rows may.
_MOST_LEVELS = 2**9
_MOST_ROWS = 64
_FOR_MEAN = 0.1


@final
@dataclass(frozen=True)
class ColumnVariance:
    """The mean, variance and standard deviation of a number between bounds."""

    between: Between

    @property
    def levels(self) -> int:
        return self.between.levels(_MOST_LEVELS)

    @property
    def columns(self) -> Mapping[str, Any]:
        def level(rows: Any) -> Any:
            return self.between.level(number(rows, self.between.number), self.levels)

        return {"level": level}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        level, most = row["level"], self.levels
        return [level * level, level * (most - level), most * (most - level)]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        if not caps.each <= _MOST_ROWS:
            raise ValueError(
                f"a variance is of at most {_MOST_ROWS} rows of one person in a group, got "
                f"{caps.each}: say rows_per_group={_MOST_ROWS}"
            )
        return caps.counts(3 * groups, self.levels**2)

    def read(self, noisy: Noisy) -> dict[str, Found]:
        each = [self._of(noisy, *triple) for triple in noisy.cells.tolist()]
        means, deviations = ([pair[i] for pair in each] for i in (0, 1))
        wide = self.between.width
        squares = [tuple((wide * x) ** 2 for x in three) for three in deviations]
        return {
            "_mean": found([tuple(map(self.between.at, three)) for three in means]),
            "": found(squares),
            "_std": found([tuple(wide * x for x in three) for three in deviations]),
        }

    def width(self, noise: Server, chance: float) -> str:
        far = noise_reach(noise, chance, (1.0,)) / self.levels**2 * self.between.width**2 / 4
        return f"about ± {far / 1000:,.3g} of 1,000 rows, where numbers fill the bounds evenly"

    def _of(self, noisy: Noisy, a: float, b: float, d: float) -> tuple[Any, Any]:
        """The mean's place between the bounds and the standard deviation, each with its limits."""
        count, half = a + b + d, 1 / (2 * self.levels)

        def mean_reach(weights: tuple[float, float]) -> float:
            return _reach(noisy, _FOR_MEAN, (weights[0], weights[0], weights[1]))

        middle, low, high = share_of(a + b, count, mean_reach)
        if not count > 0:
            return (0.5, 0.0, 1.0), (0.5, 0.0, 0.5)
        weights = (1 - middle) ** 2, middle**2 - 2 * middle, middle**2
        around = sum(w * x for w, x in zip(weights, (a, b, d), strict=True)) / count
        off = max(middle - low, high - middle) ** 2
        far = _around(noisy, weights, min(max(around, 0.0), 1.0), count)
        limits = max(around - far - off, 0.0), min(max(around + far, 0.0), 0.25)
        least, most = max(limits[0] ** 0.5 - half, 0.0), min(limits[1] ** 0.5 + half, 0.5)
        deviation = min(max(around, 0.0), 0.25) ** 0.5
        mean = middle, max(low - half, 0.0), min(high + half, 1.0)
        return mean, (deviation, least, most)


@final
@dataclass(frozen=True)
class ColumnDeviation:
    """The standard deviation alone, from the same three sums."""

    of: ColumnVariance

    @property
    def columns(self) -> Mapping[str, Any]:
        return self.of.columns

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        return self.of.cells(row, first)

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.of.shape(caps, groups)

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


def _around(noisy: Noisy, weights: tuple[float, ...], value: float, count: float) -> float:
    """What the mean square around a point is off by, but for the rest of the chance."""
    far = 1.0
    for _ in range(3):
        beyond = [max(abs(w - value - far), abs(w - value + far)) for w in weights]
        far = min(far, _reach(noisy, 1 - _FOR_MEAN, tuple(beyond)) / count)
    return far


def _reach(noisy: Noisy, part: float, weights: tuple[float, ...]) -> float:
    """Of three weights, with a part of the chance: two of them together, and one besides."""
    chance = part * noisy.chance
    try:
        return noise_reach(noisy.noise, chance, weights)
    except ValueError:
        first, *others = sorted(map(abs, weights))
        each = chance / 2
        return noise_reach(noisy.noise, each, tuple(others)) + first * noise_reach(
            noisy.noise, each
        )
