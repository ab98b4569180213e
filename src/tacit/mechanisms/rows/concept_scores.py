"""How many people every concept of a class labels right, all at once.

With s(x) the people with bits x and label 1, less those with label 0, a concept that says 1 for a
set A of bits is right about n_0 + (the sum of s over A) people. So only sums of s over sets count:

* **conjunctions** of bits S: A holds the x of which all bits of S are 1. Sums over one bit at a
  time (those with it, and those with it or not) give all 2^d in d 2^d additions;
* with **opposites** each bit may also be asked to be 0: three sums for one bit, 3^d in all;
* **parities**: with W(S) = sum over x of s(x) (-1)^(S.x), the Walsh-Hadamard transform, parity S is
  right about (n - W(S))/2 people and its opposite about (n + W(S))/2.

All are whole numbers, and sums of whole numbers are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from jaxtyping import Float, Int64

Rows = Float[np.ndarray, "people numbers"]


class ScoredConcepts(Protocol):
    """A class of concepts."""

    @property
    def concepts(self) -> int:
        """How many there are."""
        ...

    def scores(self, rows: Rows) -> Int64[np.ndarray, " concepts"]:
        """How many people each is right about, but for a number that all have in common."""
        ...

    def answer(self, number: int) -> Sequence[int]:
        """What tells this concept."""
        ...


@final
@dataclass(frozen=True)
class MonotoneConjunctions:
    """Of each bit, whether it must be 1.

    Args:
      dim: d.
    """

    dim: int

    @property
    def concepts(self) -> int:
        return 2**self.dim

    def scores(self, rows: Rows) -> Int64[np.ndarray, " concepts"]:
        sums = signed(rows)
        for bit in range(self.dim):
            without, with_it = np.split(sums, 2, axis=bit)
            sums = np.concatenate([without + with_it, with_it], axis=bit)
        return sums.ravel()

    def answer(self, number: int) -> Sequence[int]:
        return [int(place) for place in np.unravel_index(number, (2,) * self.dim)]


@final
@dataclass(frozen=True)
class Conjunctions:
    """Of each bit, whether it must be 1, or must be 0 (-1), or neither (0).

    Args:
      dim: d.
    """

    dim: int

    @property
    def concepts(self) -> int:
        return 3**self.dim

    def scores(self, rows: Rows) -> Int64[np.ndarray, " concepts"]:
        sums = signed(rows)
        for bit in range(self.dim):
            without, with_it = np.split(sums, 2, axis=bit)
            sums = np.concatenate([without, without + with_it, with_it], axis=bit)
        return sums.ravel()

    def answer(self, number: int) -> Sequence[int]:
        return [int(place) - 1 for place in np.unravel_index(number, (3,) * self.dim)]


@final
@dataclass(frozen=True)
class Parities:
    """Of each bit, whether it is of the parity; and whether its opposite is meant.

    Args:
      dim: d.
    """

    dim: int

    @property
    def concepts(self) -> int:
        return 2 ** (self.dim + 1)

    def scores(self, rows: Rows) -> Int64[np.ndarray, " concepts"]:
        sums = signed(rows)
        for bit in range(self.dim):
            without, with_it = np.split(sums, 2, axis=bit)
            sums = np.concatenate([without + with_it, without - with_it], axis=bit)
        # W is even or odd as the number of people is: halves of both are off by the same.
        right = np.stack([-sums, sums], axis=-1)
        return (right.ravel() - right.min()) // 2

    def answer(self, number: int) -> Sequence[int]:
        return [int(place) for place in np.unravel_index(number, (2,) * (self.dim + 1))]


def signed(rows: Rows) -> Int64[np.ndarray, "*bits"]:
    """s: an axis of two places for each bit."""
    dim, labels = rows.shape[1] - 1, rows[:, -1]
    places = (rows[:, :-1] > 0) @ (1 << np.arange(dim)[::-1])
    one, zero = (np.bincount(places[labels == label], minlength=2**dim) for label in (1, 0))
    return (one - zero).astype(np.int64).reshape((2,) * dim)
