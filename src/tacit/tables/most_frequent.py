"""The most frequent of declared categories: which they are in each group, and how many rows have
them.

They are read off a histogram with its noise, at no cost besides: what is largest there is public.
A category that is largest is so because of its noise too, so an interval of one count by itself
would be too low too often. Here all categories' intervals hold together, each with its part of the
chance to miss: whichever are shown, theirs do. So do those of the rest's largest count: where its
upper limit is below a category's lower one, that category is among the largest, for sure.

**What would be better where.** Noise of a histogram grows with all rows of a person, noise of
choosing one category after the other with how many are chosen, and with a person's rows of one
category. So where a person has rows in many more categories than are asked for, choosing them would
find them in fewer rows; no count would come with them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from tacit.argument import got, is_whole
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.tables.asked import Found, Noisy, OneOf, Which, limited
from tacit.tables.caps import Caps
from tacit.tables.counted import counts
from tacit.tables.keys import Key


@final
@dataclass(frozen=True)
class TopCategories:
    """The most frequent values of a column, with their counts.

    Args:
      kinds: the values, declared.
      most: how many of them are shown.
    """

    kinds: Key
    most: int

    def __post_init__(self):
        many = len(self.kinds.values)
        if not (many >= 2 and is_whole(self.most) and 1 <= self.most <= many):
            raise ValueError(
                "top needs at least two categories, and k as a whole number from 1 to how many "
                f"they are, got k={got(self.most)} of {many} categories"
            )

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"kind": self.kinds.place}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [OneOf(row["kind"], len(self.kinds.values))]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(len(self.kinds.values) * groups)

    @property
    def words(self) -> str:
        many = "" if self.most == 1 else f"{self.most:,} "
        of = f"{len(self.kinds.values):,} values of {self.kinds.column}"
        return f"the {many}most frequent of {of}"

    @property
    def behind(self) -> list[str]:
        return [f"_{i + 1}" for i in range(self.most)] + limited(*self._counted)

    def read(self, noisy: Noisy) -> dict[str, Found | Which]:
        """By rank, `_1` and so on: the category, and `_1_n`, how many rows; of equal ones the first
        declared comes first. `_rest` is the largest count of the others, if there are any."""
        far = replace(noisy, chance=self._each(noisy.chance)).reach()
        order = np.argsort(-noisy.cells, axis=1, kind="stable")
        found: dict[str, Found | Which] = {}
        for rank in range(self.most):
            own = order[:, rank]
            found[f"_{rank + 1}"] = Which([self.kinds.values[i] for i in own])
            found[f"_{rank + 1}_n"] = counts(_at(noisy, own), far)
        if self.most < len(self.kinds.values):
            found["_rest"] = counts(_at(noisy, order[:, self.most]), far)
        return found

    def width(self, noise: Server, chance: float) -> str:
        return f"± {noise_reach(noise, self._each(chance)):,.4g} rows, all counts together"

    @property
    def _counted(self) -> list[str]:
        rest = ["_rest"] if self.most < len(self.kinds.values) else []
        return [f"_{i + 1}_n" for i in range(self.most)] + rest

    def _each(self, chance: float) -> float:
        return chance / len(self.kinds.values)


def top(column: str, *, categories: Sequence[Any], k: int) -> TopCategories:
    """The k most frequent of declared values of a column, and how many rows have each.

    Args:
      column: its name.
      categories: the values, at least two.
      k: how many are shown.
    """
    return TopCategories(Key.of(column, categories), k)


def _at(noisy: Noisy, own: np.ndarray) -> np.ndarray:
    return noisy.cells[np.arange(len(own)), own]
