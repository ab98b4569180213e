"""All decision lists at once: sums over them, and draws from them.

A list of length L is a chain of rules, "if bit i is v, then label y", each for those whom none
before it was for, and a label for the rest: (2d)^L k^(L+1) lists of d bits and k labels. Its leaves
are the people of each rule and the rest, so its weight is the product of theirs (`leaf_weights`),
and sums of all weights are

    Z_0(people) = their leaf,
    Z_L(people) = sum over bits i and values v of
                  leaf(those with x_i = v) Z_(L-1)(those with x_i = 1 - v).

A list is drawn from its first rule on: (i, v) in proportion to its term, a label for whom it is
for, and the rest likewise, so its chance is its weight over Z_L. The first rule of two takes how
many have two bits each; that of three, for each bit, how many of those with it have two others.
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
class RuleListLaw:
    """Lists of one length, from 1 to 3, in proportion to rate^-u, u people labelled right.

    Args:
      length: L.
      rate: from 0 to below 1; one more person who is right makes a list 1/rate times as likely.
    """

    length: int
    rate: float

    def __post_init__(self):
        if not (is_number(self.length) and self.length in (1, 2, 3)):
            raise ValueError(f"length must be 1, 2 or 3, got {got(self.length)}")
        _ = self.weights

    @cached_property
    def weights(self) -> LeafWeights:
        """Of leaves."""
        return LeafWeights(self.rate)

    def lists(self, dim: int, labels: int) -> int:
        """How many there are; lists that label all bits alike are several."""
        return (2 * dim) ** self.length * labels ** (self.length + 1)

    def roots(self, people: People) -> TreeSums:
        """What the lists weigh whose first rule asks bit i to be v, at 2 i + v; summed, Z_L."""
        return self._by_rule(people, self.length)

    def draw(self, words: Iterator[int], people: People, roots: TreeSums) -> list[int]:
        """One list: its rules, 2 i + v each, then their labels, and that of the rest.

        Args:
          roots: of these people.
        """
        rules, labels, left = [self.weights.one_of(words, roots)], [], people
        for remaining in range(self.length - 1, -1, -1):
            bit, value = divmod(rules[-1], 2)
            halves = split(left, bit)
            met, left = halves[value], halves[1 - value]
            labels.append(self.weights.label(words, met))
            if remaining:
                rules.append(self.weights.one_of(words, self._by_rule(left, remaining)))
        return [*rules, *labels, self.weights.label(words, left)]

    def _by_rule(self, people: People, length: int) -> TreeSums:
        """What the lists of a length weigh that begin with each rule."""
        if length == 1:
            both = self.weights.tested(ones_of(people), sizes_of(people)[:, None])
            return _alternating(both, both)
        everybody = counted(people)
        if length == 2:
            return self._first_of_two(everybody)
        bits = range(people[0].shape[1])
        each = [self._first_of_three(everybody, counted(split(people, bit)[1])) for bit in bits]
        without, with_it = zip(*each, strict=True)
        return _alternating(joined(without), joined(with_it))

    def _first_of_two(self, counts: PairCounts) -> TreeSums:
        """leaf Z_1 of each rule, from how many have each two bits."""
        weights, ones = self.weights, np.diagonal(counts.pairs, axis1=1, axis2=2)
        others = counts.people[:, None] - ones
        within = self._either(weights.tested(counts.pairs, ones[:, :, None]))
        beyond = self._either(weights.tested(ones[:, None, :] - counts.pairs, others[:, :, None]))
        return _alternating(
            product(weights.leaf(others), within), product(weights.leaf(ones), beyond)
        )

    def _first_of_three(
        self, everybody: PairCounts, with_it: PairCounts
    ) -> tuple[TreeSums, TreeSums]:
        """leaf Z_2 of the rule that asks one bit to be 0, and of that which asks it to be 1."""
        weights, without = self.weights, everybody.less(with_it)
        rest = [weights.summed(self._first_of_two(each)) for each in (with_it, without)]
        met = [weights.leaf(each.people) for each in (without, with_it)]
        return product(met[0], rest[0]), product(met[1], rest[1])

    def _either(self, tested: TreeSums) -> TreeSums:
        """Z_1: a rule that asks a bit to be 0 weighs what one does that asks it to be 1."""
        summed = self.weights.summed(tested)
        return TreeSums(summed.most, 2 * summed.share)


def _alternating(without: TreeSums, with_it: TreeSums) -> TreeSums:
    """At 2 i that of bit i asked to be 0, at 2 i + 1 asked to be 1."""
    each = (np.stack(pair, axis=-1).ravel() for pair in zip(without, with_it, strict=True))
    return TreeSums(*each)
