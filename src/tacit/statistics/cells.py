"""Counts of people in cells of an interval, and in ever larger groups of cells, made consistent.

A tree has as many branches at every node of a level; its leaves are the cells. Every level's counts
have errors of their own, independent and all of one variance. Least squares makes them one set of
counts in two passes (Hay, Rastogi, Miklau and Suciu 2010): upwards a node's count is averaged with
its children's sum, in proportion to what each is worth; downwards what children lack to their
parent's count is shared among them evenly. What is below a place is then known from few nodes: of a
node's b children with errors of variance u that are brought to their parent's count, the first i
and a part p of the next are off by u (i + p^2 - (i + p)^2/b), independently of other levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import mul
from typing import final

import numpy as np
from jaxtyping import Float, Num

# Of a node, where people report by themselves: three levels have 4,096 cells. With as many cells it
# is within a tenth of the best of 2 to 64 (`bench/branches.py`).
BRANCHES = 16
# Of a mean over places: a prime, so that few of them are at ends of nodes.
_PLACES = 997

Shares = Float[np.ndarray, "*several nodes"]


def sizes_of(branches: Sequence[int]) -> tuple[int, ...]:
    """How many nodes each level has, of nodes with so many branches; the last one's are the
    cells."""
    return tuple(accumulate(branches, mul))


@final
@dataclass(frozen=True)
class CellTree:
    """Nodes on several levels, the last one's being the cells.

    Args:
      branches: of the root, and of each node of every level but the last.
      variances: of one node's error on each level, positive.
      whole: whether the share of all who are counted is known, beside noise.
    """

    branches: tuple[int, ...]
    variances: tuple[float, ...]
    whole: bool

    @property
    def levels(self) -> int:
        return len(self.branches)

    @property
    def cells(self) -> int:
        return sizes_of(self.branches)[-1]

    @cached_property
    def averaged(self) -> tuple[float, ...]:
        """The variance of a node's count after the pass upwards, by level."""
        found = [self.variances[-1]]
        for own, below in reversed(list(zip(self.variances[:-1], self.branches[1:], strict=True))):
            found.insert(0, 1 / (1 / own + 1 / (below * found[0])))
        return tuple(found)

    def consistent(self, estimates: Sequence[Shares], total: float = 1.0) -> Shares:
        """Of every level's estimated shares, those of the cells; of several trees at once.

        `total` is the share of all who are counted, where that is known.
        """
        upwards = self._upwards(estimates)
        sums = upwards[0].sum(axis=-1, keepdims=True)
        found = np.full_like(sums, total) if self.whole else sums
        for level, many in zip(upwards, self.branches, strict=True):
            children = _families(level, many)
            lacking = (found - children.sum(axis=-1))[..., None] / many
            found = (children + lacking).reshape(level.shape)
        return found

    def _upwards(self, estimates: Sequence[Shares]) -> list[Shares]:
        """Each averaged with its children's sum, in proportion to what they are worth."""
        found = [np.asarray(estimates[-1], np.float64)]
        for level in reversed(range(self.levels - 1)):
            many = self.branches[level + 1]
            own, sums = self.variances[level], many * self.averaged[level + 1]
            children = _families(found[0], many).sum(axis=-1)
            weight = sums / (own + sums)
            found.insert(0, weight * np.asarray(estimates[level]) + (1 - weight) * children)
        return found

    def below(
        self, estimates: Sequence[Shares], total: float = 1.0
    ) -> Float[np.ndarray, "*several ends"]:
        """The share of people below each end of a cell, from 0 on, rising."""
        cells = self.consistent(estimates, total)
        sums = np.cumsum(np.concatenate([np.zeros_like(cells[..., :1]), cells], axis=-1), axis=-1)
        falling = np.minimum.accumulate(sums[..., ::-1], axis=-1)[..., ::-1]
        return np.maximum((np.maximum.accumulate(sums, axis=-1) + falling) / 2, 0.0)

    @cached_property
    def rmse(self) -> float:
        """How far a share below a place is off (root mean square), over evenly many places."""
        places = (np.arange(_PLACES) + 0.5) / _PLACES
        return float(np.sqrt(self.variances_below(np.floor(places * self.cells)).mean()))

    def variances_below(self, ends: Num[np.ndarray, " ends"]) -> Float[np.ndarray, " ends"]:
        """Of the share in so many cells from the first on; of all cells it is none, if `whole`."""
        total = np.zeros(len(ends))
        each = zip(self.averaged, sizes_of(self.branches), self.branches, strict=True)
        for level, (variance, size, many) in enumerate(each):
            nodes = ends * size / self.cells
            inside = nodes % many if level else nodes
            first = np.floor(inside)
            part = inside - first
            held = 0.0 if level == 0 and not self.whole else inside**2 / many
            total += variance * (first + part**2 - held)
        return total


def _families(level: Shares, many: int) -> Float[np.ndarray, "*several parents children"]:
    """A level's nodes by their parents; of no trees too, of which NumPy infers no size."""
    return level.reshape(*level.shape[:-1], level.shape[-1] // many, many)


def split(answer: Shares, sizes: Sequence[int]) -> list[Shares]:
    """An answer's parts of these sizes, in order."""
    ends = np.cumsum([0, *sizes])
    return [answer[..., one:other] for one, other in pairwise(ends)]
