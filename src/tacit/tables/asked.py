"""What can be asked of the rows of each group: the one thing every aggregate is.

An aggregate is whole numbers that each kept row gives to a few cells of its group, a shape that
bounds what one person's rows give in all, and a reading of the noisy sums. Everything about privacy
is in the first two; the third works on what is released.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, Protocol, Self, final, runtime_checkable

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_made
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.tables.caps import Caps
from tacit.tables.reaches import reaches

Numbers = Float[np.ndarray, " groups"]
# What the names of an estimate and of its limits end in.
_ENDS = "", "_low", "_high"
# Names that may be meant for something else, and where that is stated.
_ELSEWHERE = {"people": "; how many there are is stated of a table: tacit.Table(..., people=3000)"}


class OneOf(NamedTuple):
    """A one in one of several cells, for the engine: counted by grouping rows by their place, so
    that a thousand cells cost about as much as one.

    Args:
      place: of the row, from 0 on, in the engine's whole numbers; missing where it is in none.
      cells: how many there are.
    """

    place: Any
    cells: int


class Found(NamedTuple):
    """One number of every group: an estimate, and limits that hold with the stated confidence.

    Args:
      within: what is known of any such number before it is asked, from what is declared alone.
    """

    estimate: Numbers
    low: Numbers
    high: Numbers
    within: tuple[float, float] = (-inf, inf)

    def named(self, name: str) -> dict[str, Any]:
        """As columns."""
        return dict(zip(limited(name), self[:3], strict=True))


class Which(NamedTuple):
    """One of declared values for every group, and no number."""

    values: list[Any]

    def named(self, name: str) -> dict[str, Any]:
        """As a column."""
        return {name: self.values}


def limited(*names: str) -> list[str]:
    """What numbers of these names are called in an answer: each, and its limits."""
    return [name + end for name in names for end in _ENDS]


@final
@dataclass(frozen=True)
class Noisy:
    """The noisy sums of one aggregate.

    Args:
      cells: of each group, in whole numbers.
      noise: the server that made them.
      chance: that an interval may miss.
    """

    cells: Float[np.ndarray, "groups cells"]
    noise: Server
    chance: float

    def reach(self, *weights: float) -> float:
        """How far noise moves a weighted sum of one group's cells, but for that chance."""
        return noise_reach(self.noise, self.chance, weights or (1.0,))

    def reaches(self, weights: Float[np.ndarray, "sums cells"]) -> Float[np.ndarray, " sums"]:
        """The same of each of several sums, or a little more."""
        return reaches(self.noise, self.chance, weights)

    @property
    def deviation(self) -> float:
        """Of the noise on one cell."""
        return self.noise.facts.stated_noise


@runtime_checkable
class Measure(Protocol):
    """What is asked of the rows of each group."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """What of a row is read, by a name of its own: each a function of the row, for the engine,
        that is a whole number, or missing."""
        ...

    @property
    def words(self) -> str:
        """What it is, to be read."""
        ...

    @property
    def behind(self) -> list[str]:
        """What stands behind the aggregate's own name in the name of each column of its answer."""
        ...

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        """What a kept row gives to each cell of its group, in the engine's whole numbers; of
        several cells one after the other, `OneOf` them.

        Args:
          row: its columns.
          first: whether it is the person's first in this group.
        """
        ...

    def shape(self, caps: Caps, groups: int) -> Contribution:
        """A bound on what one person's kept rows give, all groups together."""
        ...

    def read(self, noisy: Noisy) -> Mapping[str, Found | Which]:
        """What the noisy sums say, by what is added to the aggregate's own name."""
        ...

    def width(self, noise: Server, chance: float) -> str:
        """How wide intervals will be, in words."""
        ...


@runtime_checkable
class Fitted(Measure, Protocol):
    """What is read the finer, the fewer rows of one person count."""

    def within(self, caps: Caps) -> Self:
        """As fine as fits these caps."""
        ...


def refuse_no_measures(aggregates: Mapping[str, Any]) -> None:
    """Raises the ValueError of what asks for nothing, by name."""
    if not aggregates:
        raise ValueError("ask for at least one number, e.g. n=tables.count()")
    for name, each in aggregates.items():
        if not is_made(each, Measure):
            raise ValueError(
                f"{name} must be an aggregate of tacit.tables, e.g. tables.count(), got "
                f"{got(each)}{_ELSEWHERE.get(name, '')}"
            )


def fitted(measure: Measure, caps: Caps) -> Measure:
    """A measure as it is read under these caps."""
    return measure.within(caps) if isinstance(measure, Fitted) else measure
