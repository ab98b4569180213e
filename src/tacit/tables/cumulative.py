"""Distributions: the shares of a group's rows at or below public places.

Places cut the line into cells, in one of which each row with a number is, those beyond the last
place too; rows are counted by cell (`laid`). With R rows up to a place and n in all, p = R/n, and
noise moves R' - p n' by the weighted sum that R - p n is.

**Its interval.** For p between v and w no weight is larger than at one of these ends, as each is
linear in p. So with t the reach of the larger ones, a p in [v, w] is refuted if |R' - p n'| > t:
what is left of many such stretches has p in it but for the stated chance. The shorter they are the
less they widen what is left. Where n' is not above zero nothing is known.

Estimates rise from place to place and are from 0 to 1; each interval is a place's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import is_number
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.bins import MOST_BINS, written
from tacit.tables.caps import Caps
from tacit.tables.keys import refuse_alike
from tacit.tables.laid import LaidOut
from tacit.tables.language import exactly, ibis
from tacit.tables.reaches import reaches
from tacit.tables.rowwise import Said, number, said
from tacit.tables.words import column_in_words

# Stretches of p: so many where places are few, and fewer of many, for so many weights in all.
_FINE, _COARSE, _WEIGHTS = 128, 16, 2**23
_SHOWN = 1_000, 100_000


@final
@dataclass(frozen=True)
class ColumnCdf:
    """The shares of rows at or below each of several places, of those with a number."""

    number: Said
    places: tuple[float, ...]

    def __post_init__(self):
        said(self.number)
        # NaN is no place, also alone.
        rising = all(is_number(place) and place == place for place in self.places) and all(
            a < b for a, b in zip(self.places, self.places[1:], strict=False)
        )
        if not (1 <= len(self.places) <= MOST_BINS and rising):
            raise ValueError(
                f"a cdf needs from 1 to {MOST_BINS:,} rising numbers, e.g. bins=[18, 40, 65]"
            )
        refuse_alike(self._ending)

    @cached_property
    def laid(self) -> LaidOut:
        return LaidOut(len(self.places) + 1)

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"cell": self._cell}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return list(self.laid.ones(row["cell"]))

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.laid.shape(caps, groups)

    @property
    def words(self) -> str:
        own = column_in_words(self.number)
        return f"the shares of rows at or below {len(self.places):,} places of {own}"

    @property
    def behind(self) -> list[str]:
        return limited(*self._ending)

    def read(self, noisy: Noisy) -> dict[str, Found]:
        upto, rising = self.laid.upto(noisy.cells), self.laid.rising(noisy.cells)
        whole = rising[:, -1:]
        share = np.where(whole > 0, rising / np.where(whole > 0, whole, 1.0), 0.5)
        far = self._reaches(noisy.noise, noisy.chance)
        found = {}
        for i, ending in enumerate(self._ending):
            low, high = _limits(upto[:, i], upto[:, -1], far[i], self._ends)
            own = share[:, i]
            limits = np.minimum(low, own), np.maximum(high, own)
            found[ending] = Found(own, *limits, (0.0, 1.0))
        return found

    def width(self, noise: Server, chance: float) -> str:
        far = float(self._reaches(noise, chance).max())
        return "; ".join(f"± {min(far / rows, 1.0):,.3g} of {rows:,} rows" for rows in _SHOWN)

    @property
    def _ending(self) -> list[str]:
        """Of each place's number."""
        return [f"[{written(place)}]" for place in self.places]

    def _cell(self, rows: Any) -> Any:
        own = number(rows, self.number)
        upto = [(own <= exactly(place), i) for i, place in enumerate(self.places)]
        cell = ibis().cases(*upto, else_=len(self.places))
        return ibis().ifelse(own.isnan() | own.isnull(), None, cell).cast("int64")

    @cached_property
    def _ends(self) -> Float[np.ndarray, " ends"]:
        """Of the stretches of p."""
        many = _WEIGHTS // (len(self.places) * self.laid.nodes)
        return np.linspace(0, 1, min(max(many, _COARSE), _FINE) + 1)

    def _reaches(self, noise: Server, chance: float) -> Float[np.ndarray, "places stretches"]:
        """t of each place, by where p may be."""
        whole = self.laid.weights[-1]
        apart = np.abs(self.laid.weights[:-1, None] - self._ends[:, None] * whole)
        larger = np.maximum(apart[:, :-1], apart[:, 1:])
        return reaches(noise, chance, larger.reshape(-1, len(whole))).reshape(larger.shape[:2])


def cdf(number: Said, *, bins: Sequence[float]) -> ColumnCdf:
    """The shares of rows at or below each of these numbers, of a column or an expression.

    Args:
      number: the column.
      bins: public places, rising.
    """
    listed = isinstance(bins, Sequence) and not isinstance(bins, str)
    return ColumnCdf(number, tuple(bins) if listed else ())


def _limits(
    upto: Float[np.ndarray, " groups"],
    whole: Float[np.ndarray, " groups"],
    far: Float[np.ndarray, " stretches"],
    ends: Float[np.ndarray, " ends"],
) -> tuple[Float[np.ndarray, " groups"], Float[np.ndarray, " groups"]]:
    """The least and the largest p that is left; none is where nothing is, and all of nobody."""
    known = whole > 0
    n = np.where(known, whole, 1.0)[:, None]
    low = np.maximum((upto[:, None] - far) / n, ends[:-1])
    high = np.minimum((upto[:, None] + far) / n, ends[1:])
    left = low <= high
    least = np.where(left, low, 1.0).min(axis=1)
    most = np.where(left, high, 0.0).max(axis=1)
    return np.where(known, least, 0.0), np.where(known, most, 1.0)
