"""From a person's columns to a vector of bounded norm, by public rules.

A linear model is private at a price that grows with the norm R of its rows, so R has to be known
before anybody is looked at. Here it follows from what is declared. Every column becomes a group of
numbers of norm at most one: the indicator of an interval or of a category, or one number in [0, 1].
Groups stand side by side, so for g of them

    |x|² = |x_1|² + ... + |x_g|² <= g,   R = sqrt(g),

and a person of whom every value is declared, and at its upper bound, has that norm exactly: a
shorter R would cut rows, a longer one would buy noise for nothing. Sums of squares of a whole
indicator are whole numbers, so this holds in float32 too.

Edges, bounds and categories are arguments, **never** taken from the data: a quantile, a largest
value or a list of the categories found would be a release that nothing was charged for. For the
same reason a vector depends on one person alone, and a value that was not foreseen is encoded, not
refused: a refusal would tell that there is one. How many there were is counted. That count is
secret, as the vectors are: it is for the data's keeper.

| encoder | a value becomes | missing (NaN) or not declared |
| --- | --- | --- |
| `Bins` | the indicator of the interval it falls in | zeros |
| `Categories` | the indicator of it | zeros |
| `Scaled` | its place between the bounds, 0 to 1 | the nearer bound; zero if missing |

The indicators of `Bins` add up to one, so a model that has a group of them needs no constant.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol, final

import numpy as np
from jaxtyping import Bool, Float32, Num, Shaped

from tacit.argument import got, is_number, listed

Indicators = Float32[np.ndarray, "people dim"]


class EncodedColumn(NamedTuple):
    """One column's numbers, and whose value was missing or not declared. Both are secret."""

    numbers: Indicators
    outside: Bool[np.ndarray, " people"]


class Column(Protocol):
    """A rule for one column; its group has norm one at most, and reaches it."""

    @property
    def dim(self) -> int:
        """How many numbers the group has."""
        ...

    def encode(self, values: Shaped[np.ndarray, " people"]) -> EncodedColumn:
        """Each person's numbers."""
        ...


@final
@dataclass(frozen=True)
class Bins:
    """Which interval a number is in: below the first edge, from one to the next, from the last on.

    An edge belongs to the interval above it; infinities belong to the outer intervals.

    Args:
      edges: Finite and increasing, at least one.
    """

    edges: tuple[float, ...]

    def __post_init__(self):
        edges = listed(self.edges) or []
        finite = bool(edges) and all(is_number(one) and math.isfinite(one) for one in edges)
        if not (finite and all(low < high for low, high in pairwise(edges))):
            said = f"({', '.join(map(got, edges))})" if edges else got(self.edges)
            raise ValueError(f"edges must be finite and increasing, got {said}")

    @property
    def dim(self) -> int:
        return len(self.edges) + 1

    def encode(self, values: Num[np.ndarray, " people"]) -> EncodedColumn:
        missing = np.isnan(_numbers(values))
        return _indicators(np.searchsorted(self.edges, values, side="right"), missing, self.dim)


@final
@dataclass(frozen=True)
class Categories:
    """Which of the declared texts a value is. What is not declared shares one code, of zeros.

    Args:
      values: At least one, all different.
    """

    values: tuple[str, ...]

    def __post_init__(self):
        values = listed(self.values) or []
        texts = bool(values) and all(isinstance(each, str) for each in values)
        if not (texts and len(set(values)) == len(values)):
            said = f"({', '.join(map(got, values))})" if values else got(self.values)
            raise ValueError(f"categories must be text, different, at least one, got {said}")

    @property
    def dim(self) -> int:
        return len(self.values)

    def encode(self, values: Shaped[np.ndarray, " people"]) -> EncodedColumn:
        if values.dtype.kind != "U":
            raise ValueError(f"a column of categories must be an array of str, got {values.dtype}")
        order = np.argsort(self.values)
        ranked = np.array(self.values)[order]
        place = np.minimum(np.searchsorted(ranked, values), self.dim - 1)
        return _indicators(order[place], ranked[place] != values, self.dim)


@final
@dataclass(frozen=True)
class Scaled:
    """One number, (value - lower)/(upper - lower); values beyond the bounds are moved to them.

    Args:
      lower, upper: Finite, in the unit of the column; lower < upper.
    """

    lower: float
    upper: float
    dim = 1

    def __post_init__(self):
        ends = self.lower, self.upper
        if not (all(map(is_number, ends)) and 0 < float(ends[1]) - float(ends[0]) < math.inf):
            raise ValueError(
                f"bounds must be finite and increasing, got {' and '.join(map(got, ends))}"
            )

    def encode(self, values: Num[np.ndarray, " people"]) -> EncodedColumn:
        inside = np.clip(_numbers(values), self.lower, self.upper)
        shares = np.nan_to_num((inside - self.lower) / (self.upper - self.lower), nan=0.0)
        return EncodedColumn(shares.astype(np.float32)[:, None], inside != values)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Encoded:
    """What the data became: **secret, all of it**.

    Args:
      features: One row for each person.
      outside: For each column, how many values were missing or not declared. Not for a report:
        print it where the data may be printed.
    """

    features: Indicators
    outside: dict[str, int]


@final
@dataclass(frozen=True)
class Encoding:
    """Columns side by side, in the order given. All of it is public.

    **Guarantee**: no row is longer than `norm`, and a row of declared values (`Scaled` ones at
    their upper bound) is that long; a row depends on its own person alone.

    Args:
      columns: A rule for every column that is used, by the column's name.
    """

    columns: Mapping[str, Column]

    def __post_init__(self):
        if not (isinstance(self.columns, Mapping) and self.columns):
            said = "none" if self.columns == {} else got(self.columns)
            raise ValueError(f"an encoding needs at least one column, by its name, got {said}")

    @property
    def dim(self) -> int:
        """The length of a row."""
        return sum(column.dim for column in self.columns.values())

    @property
    def norm(self) -> float:
        """R: the largest L2 norm of a row."""
        return math.sqrt(len(self.columns))

    def encode(self, table: Mapping[str, Shaped[np.ndarray, " people"]]) -> Encoded:
        """Every person's row. Columns of the table that have no rule are left out.

        Raises:
          ValueError: if a column is not there, or of another type or length than the others.
        """
        absent = [name for name in self.columns if name not in table]
        if absent:
            raise ValueError(f"the table must have a column {absent[0]!r}, got {sorted(table)}")
        shapes = {np.shape(table[name]) for name in self.columns}
        if len(shapes) != 1 or len(min(shapes)) != 1:
            raise ValueError(f"columns must be of one axis and one length, got {sorted(shapes)}")
        groups = {name: rule.encode(table[name]) for name, rule in self.columns.items()}
        rows = np.hstack([group.numbers for group in groups.values()])
        return Encoded(rows, {name: int(group.outside.sum()) for name, group in groups.items()})


def _indicators(
    place: Shaped[np.ndarray, " people"], outside: Bool[np.ndarray, " people"], dim: int
) -> EncodedColumn:
    numbers = np.zeros((len(place), dim), np.float32)
    known = np.flatnonzero(~outside)
    numbers[known, place[known]] = 1
    return EncodedColumn(numbers, outside)


def _numbers(values: Num[np.ndarray, " people"]) -> Num[np.ndarray, " people"]:
    if values.dtype.kind not in "iuf":
        raise ValueError(f"a column of numbers must be an array of numbers, got {values.dtype}")
    return values
