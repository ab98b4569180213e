"""Counts of people in cells of an interval, and in ever larger groups of cells, made consistent.

A tree has 16 branches at each node; its leaves are the cells. Every level's counts have errors of
their own, independent and all of one variance. Least squares makes them one set of counts in two
passes (Hay, Rastogi, Miklau and Suciu 2010): upwards a node's count is averaged with its children's
sum, in proportion to what each is worth; downwards what children lack to their parent's count is
shared among them evenly. What is below a place is then known from few nodes: of a node's b children
with errors of variance u that are brought to their parent's count, the first i and a part p of the
next are off by u (i + p^2 - (i + p)^2/b), independently of other levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from jaxtyping import Float

BRANCHES = 16
_PLACES = 997

Shares = Float[np.ndarray, " nodes"]


def sizes_of(levels: int) -> tuple[int, ...]:
    """How many nodes each of so many levels has; the last one's are the cells."""
    return tuple(BRANCHES**level for level in range(1, levels + 1))


@final
@dataclass(frozen=True)
class CellTree:
    """Nodes on so many levels, the last one's being the cells.

    Args:
      levels: at least one.
      variances: of one node's error on each level, positive.
      whole: whether everybody's share is known to be one.
    """

    levels: int
    variances: tuple[float, ...]
    whole: bool

    @property
    def cells(self) -> int:
        return BRANCHES**self.levels

    @cached_property
    def averaged(self) -> tuple[float, ...]:
        """The variance of a node's count after the pass upwards, by level."""
        found = [self.variances[-1]]
        for own in reversed(self.variances[:-1]):
            found.insert(0, 1 / (1 / own + 1 / (BRANCHES * found[0])))
        return tuple(found)

    def consistent(self, estimates: Sequence[Shares]) -> Shares:
        """Of every level's estimated shares, those of the cells."""
        upwards = self._upwards(estimates)
        found = np.ones(1) if self.whole else upwards[0].sum(keepdims=True)
        for level in upwards:
            children = level.reshape(-1, BRANCHES)
            lacking = (found - children.sum(axis=1))[:, None] / BRANCHES
            found = (children + lacking).ravel()
        return found

    def _upwards(self, estimates: Sequence[Shares]) -> list[Shares]:
        """Each averaged with its children's sum, in proportion to what they are worth."""
        found = [np.asarray(estimates[-1], np.float64)]
        for level in reversed(range(self.levels - 1)):
            own, sums = self.variances[level], BRANCHES * self.averaged[level + 1]
            children = found[0].reshape(-1, BRANCHES).sum(axis=1)
            weight = sums / (own + sums)
            found.insert(0, weight * np.asarray(estimates[level]) + (1 - weight) * children)
        return found

    def below(self, estimates: Sequence[Shares]) -> Float[np.ndarray, " ends"]:
        """The share of people below each end of a cell, from 0 on, rising."""
        sums = np.concatenate([[0.0], np.cumsum(self.consistent(estimates))])
        rising = np.maximum.accumulate(sums), np.minimum.accumulate(sums[::-1])[::-1]
        return np.maximum((rising[0] + rising[1]) / 2, 0.0)

    @cached_property
    def error(self) -> float:
        """How far a share below a place is off (root mean square), over evenly many places."""
        places, total = (np.arange(_PLACES) + 0.5) / _PLACES, np.zeros(_PLACES)
        for level, variance in enumerate(self.averaged):
            inside = places * BRANCHES ** (level + 1) % BRANCHES
            first = np.floor(inside)
            part = inside - first if level + 1 < self.levels else np.zeros(_PLACES)
            held = 0.0 if level == 0 and not self.whole else (first + part) ** 2 / BRANCHES
            total += variance * (first + part**2 - held)
        return float(np.sqrt(total.mean()))


def split(answer: Shares, sizes: Sequence[int]) -> list[Shares]:
    """An answer's parts of these sizes, in order."""
    ends = np.cumsum([0, *sizes])
    return [answer[one:other] for one, other in pairwise(ends)]
