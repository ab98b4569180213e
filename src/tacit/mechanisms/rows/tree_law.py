"""All decision trees at once: sums over them, and draws from them.

A full tree of depth D tests one of d bits at each of 2^D - 1 nodes and gives one of k labels at
each of 2^D leaves: d^(2^D - 1) k^(2^D) trees. With u(t) the number of people that t labels right,
the weight of t is rate^-u(t). u is a sum over leaves, so weights are products over them
(`leaf_weights`), and sums of all weights

    Z_0(people) = rate^-n_0 + ... + rate^-n_(k-1),    n_y of them with label y,
    Z_D(people) = sum over bits i of Z_(D-1)(those with x_i = 0) Z_(D-1)(those with x_i = 1).

A tree is drawn from the root down: bit i in proportion to its term, then both subtrees likewise, so
its chance is its weight over Z_D.

**Counts.** Z_1 of those with x_i = 1, for all i, takes how many have x_i = x_j = 1 and label y: a
product of matrices. Those with x_i = 0 are the others. Depth three takes one such product for each
bit of the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from tacit.argument import got, is_number
from tacit.mechanisms.rows.leaf_weights import (
    LeafWeights,
    PairCounts,
    People,
    TreeSums,
    counted,
    joined,
    ones_of,
    product,
    sizes_of,
    split,
)


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
        if not (is_number(self.depth) and self.depth in (1, 2, 3)):
            raise ValueError(f"depth must be 1, 2 or 3, got {got(self.depth)}")
        _ = self.weights

    @cached_property
    def weights(self) -> LeafWeights:
        """Of leaves."""
        return LeafWeights(self.rate)

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
        tree = [self.weights.one_of(words, roots)]
        level = [*split(people, tree[0])]
        for depth in range(self.depth - 1, 0, -1):
            bits = [self.weights.one_of(words, self._by_bit(each, depth)) for each in level]
            halves = [split(each, bit) for each, bit in zip(level, bits, strict=True)]
            tree, level = tree + bits, [half for both in halves for half in both]
        return tree + [self.weights.label(words, each) for each in level]

    def _by_bit(self, people: People, depth: int) -> TreeSums:
        """What the trees of a depth weigh that test each bit first."""
        if depth == 1:
            return self.weights.tested(ones_of(people), sizes_of(people)[:, None])
        everybody = counted(people)
        if depth == 2:
            return self._tested_twice(everybody)
        bits = range(people[0].shape[1])
        return joined(self._halves(everybody, counted(split(people, bit)[1])) for bit in bits)

    def _tested_twice(self, counts: PairCounts) -> TreeSums:
        """Z_1 Z_1 of those with each bit and those without, from how many have each two."""
        weights, ones = self.weights, np.diagonal(counts.pairs, axis1=1, axis2=2)
        with_it = weights.summed(weights.tested(counts.pairs, ones[:, :, None]))
        others = counts.people[:, None, None] - ones[:, :, None]
        without = weights.summed(weights.tested(ones[:, None, :] - counts.pairs, others))
        return product(with_it, without)

    def _halves(self, everybody: PairCounts, with_it: PairCounts) -> TreeSums:
        """Z_2 Z_2 of those with one bit and those without."""
        halves = with_it, everybody.less(with_it)
        one, other = (self.weights.summed(self._tested_twice(half)) for half in halves)
        return product(one, other)
