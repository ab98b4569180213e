"""All decision trees at once: sums over them, and draws from them.

A full tree of depth D tests one of d bits at each of 2^D - 1 nodes and gives one of k labels at
each of 2^D leaves: d^(2^D - 1) k^(2^D) trees. With u(t) the number of people that t labels right,
the weight of t is rate^-u(t). u is a sum over leaves, so weights are products over them, and sums
of all weights

    Z_0(people) = rate^-n_0 + ... + rate^-n_(k-1),    n_y of them with label y,
    Z_D(people) = sum over bits i of Z_(D-1)(those with x_i = 0) Z_(D-1)(those with x_i = 1).

A tree is drawn from the root down: bit i in proportion to its term, then both subtrees likewise, so
its chance is its weight over Z_D.

**Counts.** Z_1 of those with x_i = 1, for all i, takes how many have x_i = x_j = 1 and label y: a
product of matrices. Those with x_i = 0 are the others. Depth three takes one such product for each
bit of the root. Floats add up whole numbers exactly, below 2^24 in 32 bits and 2^53 in 64.

**Weights** are held as rate^-M F, with M a whole number, the most people any tree labels right, and
F a float between 1 and the number of trees. Products add M and multiply F; sums take the largest M
and add F rate^(M - M_i). All are positive, so nothing cancels: a sum of d terms is right within d
roundings, and one of k within k. Powers below 2^-1022 count as zero. With a rate of zero, F counts
the best trees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Float64, Int64

from tacit.mechanisms.rows.decays import powers
from tacit.noise.host_choice import chosen

_LEAST, _EXACT_IN_32_BITS = 2.0**-1022, 2**24
# Those with label 0, those with label 1, and so on: a row of bits for each.
People = tuple[Float[np.ndarray, "people bits"], ...]


class TreeSums(NamedTuple):
    """Sums of weights: rate^-`most` times `share`."""

    most: Int64[np.ndarray, "*sums"]
    share: Float64[np.ndarray, "*sums"]


class PairCounts(NamedTuple):
    """How many people have each label, and how many of them have two bits (or one, twice)."""

    people: Int64[np.ndarray, " labels"]
    pairs: Int64[np.ndarray, "labels bits bits"]

    def less(self, other: PairCounts) -> PairCounts:
        """Those who are not among the others."""
        return PairCounts(self.people - other.people, self.pairs - other.pairs)


@final
@dataclass(frozen=True)
class TreeLaw:
    """Trees of one depth, from 1 to 3, in proportion to rate^-u.

    Args:
        depth: D.
        rate: from 0 to below 1; one more person who is right makes a tree 1/rate times as likely.
    """

    depth: int
    rate: float

    def __post_init__(self):
        if self.depth not in (1, 2, 3):
            raise ValueError(f"depth must be 1, 2 or 3, got {self.depth}")
        if not 0 <= self.rate < 1:
            raise ValueError(f"rate must be at least 0 and below 1, got {self.rate}")

    def trees(self, dim: int, labels: int) -> int:
        """How many there are of so many bits; trees that label all bits alike are several."""
        return dim ** (2**self.depth - 1) * labels ** (2**self.depth)

    def roots(self, people: People) -> TreeSums:
        """What the trees weigh that test each bit first; summed, Z_D."""
        return self._by_bit(people, self.depth)

    def draw(self, words: Iterator[int], people: People, roots: TreeSums) -> list[int]:
        """One tree: its nodes' bits and leaves' labels, level by level from the root.

        Args:
            roots: of these people.
        """
        tree = [self._bit(words, roots)]
        level = [*split(people, tree[0])]
        for depth in range(self.depth - 1, 0, -1):
            bits = [self._bit(words, self._by_bit(each, depth)) for each in level]
            halves = [split(each, bit) for each, bit in zip(level, bits, strict=True)]
            tree, level = tree + bits, [half for both in halves for half in both]
        return tree + [self._label(words, each) for each in level]

    def summed(self, weights: TreeSums) -> TreeSums:
        """Over the last axis."""
        most = weights.most.max(axis=-1, keepdims=True)
        share = weights.share * self._power(most - weights.most)
        return TreeSums(most[..., 0], share.sum(axis=-1))

    def _by_bit(self, people: People, depth: int) -> TreeSums:
        """What the trees of a depth weigh that test each bit first."""
        if depth == 1:
            ones = np.stack([each.sum(axis=0, dtype=np.float64) for each in people])
            return self._tested(ones.astype(np.int64), _sizes(people)[:, None])
        everybody = _counted(people)
        if depth == 2:
            return self._tested_twice(everybody)
        each = [self._halves(everybody, _counted(split(people, bit)[1])) for bit in _bits(people)]
        most, share = zip(*each, strict=True)
        return TreeSums(np.array(most), np.array(share))

    def _bit(self, words: Iterator[int], weights: TreeSums) -> int:
        most, share = weights
        return chosen(words, share * self._power(most.max() - most))

    def _label(self, words: Iterator[int], people: People) -> int:
        sizes = _sizes(people)
        return chosen(words, self._power(sizes.max() - sizes))

    def _tested(
        self, ones: Int64[np.ndarray, "*sums"], people: Int64[np.ndarray, "*sums"]
    ) -> TreeSums:
        """Z_0 Z_0 of those with each bit and those without, from how many have it."""
        return _product(self._leaf(ones), self._leaf(people - ones))

    def _tested_twice(self, counts: PairCounts) -> TreeSums:
        """Z_1 Z_1 of those with each bit and those without, from how many have each two."""
        ones = np.diagonal(counts.pairs, axis1=1, axis2=2)
        with_it = self.summed(self._tested(counts.pairs, ones[:, :, None]))
        others = counts.people[:, None, None] - ones[:, :, None]
        without = self.summed(self._tested(ones[:, None, :] - counts.pairs, others))
        return _product(with_it, without)

    def _halves(self, everybody: PairCounts, with_it: PairCounts) -> TreeSums:
        """Z_2 Z_2 of those with one bit and those without."""
        halves = with_it, everybody.less(with_it)
        one, other = (self.summed(self._tested_twice(half)) for half in halves)
        return _product(one, other)

    def _leaf(self, sizes: Int64[np.ndarray, "*sums"]) -> TreeSums:
        most = sizes.max(axis=0)
        return TreeSums(most, self._power(most - sizes).sum(axis=0))

    def _power(self, steps: Int64[np.ndarray, "*sums"]) -> Float64[np.ndarray, "*sums"]:
        return self._powers[np.minimum(steps, len(self._powers) - 1)]

    @cached_property
    def _powers(self) -> Float64[np.ndarray, " powers"]:
        """Until they are zero."""
        if self.rate == 0:
            return np.array([1.0, 0.0])
        size = math.ceil(math.log(_LEAST) / math.log(self.rate)) + 2
        found = powers(self.rate, size)
        return np.where(found < _LEAST, 0.0, found) * (np.arange(size) < size - 1)


def split(people: People, bit: int) -> tuple[People, People]:
    """Those without the bit, and those with it."""
    has = [each[:, bit] > 0 for each in people]
    without = tuple(each[~own] for each, own in zip(people, has, strict=True))
    return without, tuple(each[own] for each, own in zip(people, has, strict=True))


def _product(one: TreeSums, other: TreeSums) -> TreeSums:
    return TreeSums(one.most + other.most, one.share * other.share)


def _counted(people: People) -> PairCounts:
    pairs = [(each.T @ each).astype(np.int64) for each in map(_exact, people)]
    return PairCounts(_sizes(people), np.stack(pairs))


def _exact(rows: Float[np.ndarray, "people bits"]) -> Float[np.ndarray, "people bits"]:
    return rows.astype(np.float32 if len(rows) < _EXACT_IN_32_BITS else np.float64, copy=False)


def _sizes(people: People) -> Int64[np.ndarray, " labels"]:
    return np.array([len(each) for each in people], np.int64)


def _bits(people: People) -> range:
    return range(people[0].shape[1])
