"""A number of a row on a public grid between public bounds, as the engine computes it.

A number x becomes the level floor((x - lower) L/(upper - lower) + 1/2), from 0 to L: a whole number
that every engine finds alike, since each step is one operation on double precision numbers. What is
summed are levels, so no engine's threads, order or kind of sum changes anything.

| a row's number | becomes |
| --- | --- |
| between the bounds | the nearest level |
| below, above, infinite | the nearer bound's |
| missing, NaN | missing: it gives nothing, and is not counted |

L is 2^14, so that the most rows of one person fit in a cell, or below that a multiple of the
distance of whole bounds: then whole numbers are levels themselves.
"""

from dataclasses import dataclass
from typing import Any, final

from tacit.argument import got, is_number
from tacit.tables.language import exactly, ibis
from tacit.tables.rowwise import Said, said
from tacit.tables.words import column_in_words

# Differences and squares of such numbers are far from double precision's end, in every engine.
LARGEST = 1e100
# Of a distance below, no engine would have the levels.
CLOSEST = 1e-100


@final
@dataclass(frozen=True)
class Between:
    """A column, or an expression of columns, between bounds.

    Args:
      number: the column's name, or an expression of one row.
      lower, upper: public; a number beyond counts as the nearer.
    """

    number: Said
    lower: float
    upper: float

    def __post_init__(self):
        said(self.number)
        numbers = is_number(self.lower) and is_number(self.upper)
        if not (numbers and -LARGEST <= self.lower < self.upper <= LARGEST):
            raise ValueError(
                f"a number needs bounds with lower < upper, within {LARGEST:g} of zero, got "
                f"{got(self.lower)} and {got(self.upper)}"
            )
        if not self.width >= CLOSEST:
            raise ValueError(
                f"a number's bounds must be at least {CLOSEST:g} apart, got {got(self.lower)} and "
                f"{got(self.upper)}"
            )

    @property
    def width(self) -> float:
        """Between the bounds."""
        return self.upper - self.lower

    @property
    def wholes(self) -> int | None:
        """How many whole numbers one bound is from the other; None where either is no such."""
        whole = float(self.lower).is_integer() and float(self.upper).is_integer()
        return int(self.width) if whole else None

    def levels(self, most: int) -> int:
        """L: how many steps there are between the bounds, at most `most`."""
        whole = self.wholes
        return most if whole is None or not 2 <= whole <= most else whole * (most // whole)

    def level(self, number: Any, levels: int) -> Any:
        """The level of a number of the engine's, in double precision; missing where it is."""
        known = ibis().ifelse(number.isnan(), None, number)
        lower, upper = exactly(self.lower), exactly(self.upper)
        held = ibis().greatest(ibis().least(known, upper), lower)
        share = (held - lower) * exactly(levels / self.width) + exactly(0.5)
        # A rounded product may be a little beyond the last level.
        level = ibis().least(share.floor().cast("int64"), levels)
        return ibis().ifelse(known.isnull(), None, level)

    def at(self, share: Any) -> Any:
        """The number that lies at this share of the way from the lower bound to the upper."""
        return self.lower + self.width * share

    @property
    def ends(self) -> tuple[float, float]:
        """The numbers `at` both ends of the way."""
        return self.at(0.0), self.at(1.0)

    @property
    def named(self) -> str:
        """The number and its bounds, to be read."""
        return f"{column_in_words(self.number)} {self.words}"

    @property
    def words(self) -> str:
        """The bounds, to be read."""
        return f"between {self.lower:g} and {self.upper:g}"
