"""Labelings of points on a line, as walks: a state at each point, which has a label.

A class is which states may be first, and which may follow each. Every labeling of the class is one
walk, and no two walks label alike, so sums over walks are sums over concepts (`line_law`).

| class | states | how many labelings of n points |
| --- | --- | --- |
| thresholds | below, from it on | n + 1 |
| intervals | below, in it, above | n (n+1)/2 + 1 |
| at most K pieces, k labels | the piece's number and label | sum_j C(n-1, j-1) k (k-1)^(j-1) |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol, final

import numpy as np
from jaxtyping import Bool, Int64


class States(NamedTuple):
    """Of a walk: their labels, which may be first, and which (a column) may follow each (a row)."""

    labels: Int64[np.ndarray, " states"]
    first: Bool[np.ndarray, " states"]
    after: Bool[np.ndarray, "states states"]


class Labelings(Protocol):
    """A class of them."""

    @property
    def points(self) -> int:
        """How many points the line has."""
        ...

    @property
    def pieces(self) -> int:
        """Of how many pieces of one label a labeling is, at most."""
        ...

    @property
    def concepts(self) -> int:
        """How many labelings there are."""
        ...

    @property
    def states(self) -> States:
        """What they walk through."""
        ...


@final
@dataclass(frozen=True)
class Thresholds:
    """0 below a point and 1 from it on, none or all of them included.

    Args:
      points: n.
    """

    points: int

    @property
    def pieces(self) -> int:
        return 2

    @property
    def concepts(self) -> int:
        return self.points + 1

    @property
    def states(self) -> States:
        return States(np.arange(2), np.ones(2, bool), np.triu(np.ones((2, 2), bool)))


@final
@dataclass(frozen=True)
class Intervals:
    """1 between two points and 0 elsewhere, none or all of them included.

    Args:
      points: n.
    """

    points: int

    @property
    def pieces(self) -> int:
        return 3

    @property
    def concepts(self) -> int:
        return self.points * (self.points + 1) // 2 + 1

    @property
    def states(self) -> States:
        # Who goes above has been in it: else it would be empty a second time.
        after = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]], bool)
        return States(np.array([0, 1, 0]), np.array([1, 1, 0], bool), after)


@final
@dataclass(frozen=True)
class PieceLabelings:
    """Pieces of one label each, neighbours of different ones.

    Args:
      points: n.
      pieces: how many there are, at most.
      labels: k.
    """

    points: int
    pieces: int
    labels: int

    @property
    def concepts(self) -> int:
        def of(pieces: int) -> int:
            return math.comb(self.points - 1, pieces) * (self.labels - 1) ** pieces

        return self.labels * sum(map(of, range(self.pieces)))

    @property
    def states(self) -> States:
        each = list(product(range(self.pieces), range(self.labels)))
        after = [
            [there == (piece, label) or (there[0] == piece + 1 and there[1] != label)
             for there in each]
            for piece, label in each
        ]  # fmt: skip
        number, label = np.array(each, np.int64).T
        return States(label, number == 0, np.array(after))
