"""Counts: of rows, of those where a condition holds, and of people.

A count is released as the exact one and whole noise, and so is its interval: the noise's own reach,
rounded to whole numbers, and nothing below zero. An estimate that noise brought below zero stays
there, so that sums of many are right on average, and its interval begins with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, final

import numpy as np

from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.caps import Caps
from tacit.tables.language import as_number
from tacit.tables.rowwise import Said, condition, said
from tacit.tables.words import column_in_words


@final
@dataclass(frozen=True)
class RowCount:
    """How many rows each group has, of those that count."""

    @property
    def columns(self) -> Mapping[str, Any]:
        return {}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del row, first
        return [1]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(groups)

    @property
    def words(self) -> str:
        return "how many rows"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        return {"": counts(noisy.cells[:, 0], noisy.reach())}

    def width(self, noise: Server, chance: float) -> str:
        return f"± {noise_reach(noise, chance):,.4g} rows"


@final
@dataclass(frozen=True)
class PeopleCount:
    """How many people have rows that count in each group."""

    @property
    def columns(self) -> Mapping[str, Any]:
        return {}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del row
        return [first]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.presences(groups)

    @property
    def words(self) -> str:
        return "how many people"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        return {"": counts(noisy.cells[:, 0], noisy.reach())}

    def width(self, noise: Server, chance: float) -> str:
        return f"± {noise_reach(noise, chance):,.4g} people"


@final
@dataclass(frozen=True)
class ConditionCount:
    """Of how many rows a condition holds."""

    holds: Said

    def __post_init__(self):
        said(self.holds)

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"holds": lambda rows: as_number(condition(rows, self.holds)).cast("int64")}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [row["holds"]]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(groups)

    @property
    def words(self) -> str:
        return f"how many rows with {column_in_words(self.holds)}"

    @property
    def behind(self) -> list[str]:
        return limited("")

    def read(self, noisy: Noisy) -> dict[str, Found]:
        return {"": counts(noisy.cells[:, 0], noisy.reach())}

    def width(self, noise: Server, chance: float) -> str:
        return f"± {noise_reach(noise, chance):,.4g} rows"


def count() -> RowCount:
    """How many rows: of those of a person that count, see `Ask`."""
    return RowCount()


def count_if(holds: Said) -> ConditionCount:
    """Of how many rows a condition holds: a column of truth values, or an expression."""
    return ConditionCount(holds)


def people() -> PeopleCount:
    """How many people."""
    return PeopleCount()


def counts(noisy: np.ndarray, reach: float) -> Found:
    """Counts are whole, and not below zero; an estimate lies in its interval, wherever it is."""
    own, low = np.round(noisy), np.maximum(np.ceil(noisy - reach), 0.0)
    high = np.maximum(np.floor(noisy + reach), low)
    return Found(own, np.minimum(low, own), np.maximum(high, own), (0.0, inf))
