"""Shares halved: the middle one of some, then those before and after it by themselves.

m shares are chosen on floor(log2 m) + 1 levels. With a choice goes what it is made from: pieces of
points that the same people are below and not above.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64


class Halving(NamedTuple):
    """One choice: of the middle share of some, from the share `low` to `high` of all people."""

    first: int
    middle: int
    past: int
    low: Fraction
    high: Fraction
    level: int

    def share(self, shares: tuple[float, ...]) -> Fraction:
        """Of the people between, that the middle one is above."""
        return (Fraction(shares[self.middle]) - self.low) / (self.high - self.low)


def halvings_of(shares: tuple[float, ...]) -> tuple[Halving, ...]:
    """All choices, each after those of the levels before."""
    found, parts = [], [(0, len(shares), Fraction(0), Fraction(1), 0)]
    while parts:
        first, past, low, high, level = parts.pop(0)
        if first < past:
            middle = (first + past - 1) // 2
            found.append(Halving(first, middle, past, low, high, level))
            share = Fraction(shares[middle])
            parts.append((first, middle, low, share, level + 1))
            parts.append((middle + 1, past, share, high, level + 1))
    return tuple(found)


class PiecesBetween(NamedTuple):
    """Points of equal score, in order: the first, how many, people below and not above."""

    starts: Int64[np.ndarray, " pieces"]
    lengths: Int64[np.ndarray, " pieces"]
    under: Int64[np.ndarray, " pieces"]
    up_to: Int64[np.ndarray, " pieces"]


def pieces_of(part: Int64[np.ndarray, " people"], lower: int, upper: int) -> PiecesBetween:
    """What is between two people's points, and those points, from `lower` to `upper`."""
    points, counts = np.unique(part, return_counts=True)
    ranks = np.concatenate([[0], np.cumsum(counts)])
    ends = np.concatenate([[lower - 1], points, [upper + 1]])
    between = np.maximum(np.diff(ends) - 1, 0)
    return PiecesBetween(
        np.concatenate([ends[:-1] + 1, points]),
        np.concatenate([between, np.ones_like(points)]),
        np.concatenate([ranks, ranks[:-1]]),
        np.concatenate([ranks, ranks[1:]]),
    )
